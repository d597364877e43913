"""Reads a vote that was sent as JSON or as a form."""

from typing import Annotated, Literal
from urllib.parse import parse_qsl

import msgspec
from django.conf import settings
from django.http import HttpRequest
from msgspec import Meta

from api.api_error import ApiError
from api.body import convert, media_type, parse_json, read_within
from api.operation import FORM, JSON
from inspector.feedback.casting import Ballot
from inspector.feedback.models import COMMENT_CHARACTERS, USER_CHARACTERS
from inspector.web.client_timeout import ANONYMOUS_WAIT_SECONDS

MAX_FIELDS = 20
"""A vote has four; a body of a million "&" is refused before it is split."""


class VoteRequest(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A vote by token. Without `user_id`, or with an empty one, it is the vote of no named user."""

    feedback_token: str
    outcome: Literal["positive", "negative"]
    comment: Annotated[str, Meta(max_length=COMMENT_CHARACTERS)] | None = None
    user_id: Annotated[str, Meta(max_length=USER_CHARACTERS)] | None = None


def is_form(request: HttpRequest) -> bool:
    return media_type(request) == FORM


def read_ballot(request: HttpRequest) -> Ballot:
    if not is_form(request) and media_type(request) != JSON:
        message = f"name what the body is: Content-Type: {JSON}, or {FORM}"
        raise ApiError(415, "unknown_content_type", message)
    body = read_within(request, settings.MAX_VOTE_BYTES, _vote_too_large, ANONYMOUS_WAIT_SECONDS)
    if is_form(request) and body.lstrip().startswith(b"{"):
        message = f"this is JSON that is called a form: send it with Content-Type: {JSON}"
        raise ApiError(400, "bad_request", message)
    vote = _parse_form(body) if is_form(request) else parse_json(body, VoteRequest)
    require_no_nul(vote.comment, vote.user_id)
    return Ballot(vote.feedback_token, vote.outcome, vote.comment, vote.user_id or "")


def require_no_nul(*texts: str | None) -> None:
    # PostgreSQL's text cannot hold NUL, and nobody's words are changed silently.
    for text in texts:
        if text is not None and "\0" in text:
            raise ApiError(400, "bad_request", "a comment or user_id holds a NUL")


def _parse_form(body: bytes) -> VoteRequest:
    # An empty form field counts as missing.
    try:
        pairs = parse_qsl(
            body.decode(),
            keep_blank_values=True,
            strict_parsing=True,
            errors="strict",
            max_num_fields=MAX_FIELDS,
        )
    except ValueError as error:
        raise ApiError(400, "bad_request", "the form is malformed") from error
    names = [name for name, _ in pairs]
    if len(set(names)) < len(names):
        raise ApiError(400, "bad_request", "a field of the form stands more than once")
    fields = {name: text for name, text in pairs if text or name not in ("comment", "user_id")}
    return convert(fields, VoteRequest)


def _vote_too_large() -> ApiError:
    message = f"a vote has at most {settings.MAX_VOTE_BYTES} bytes (MAX_VOTE_BYTES)"
    return ApiError(413, "body_too_large", message)
