"""The body of a vote: JSON as WorkflowAI's clients send it, or a page's form without scripts."""

from __future__ import annotations

from typing import Annotated, Literal
from urllib.parse import parse_qsl

import msgspec
from django.conf import settings
from django.http import HttpRequest
from msgspec import Meta

from api.api_error import ApiError
from api.body import media_type, read_within
from api.envelope import STATUSES
from inspector.core.completion import Json
from inspector.feedback.casting import Ballot
from inspector.feedback.models import USER_CHARACTERS
from inspector.transfer.json_document import BadDocument, strict_value
from inspector.web.client_timeout import ANONYMOUS_WAIT_SECONDS

FORM = "application/x-www-form-urlencoded"
JSON = "application/json"
COMMENT_CHARACTERS = 8_000
"""Code points."""
MOST_FIELDS = 20


class _VoteBody(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
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
    try:
        value = _form_fields(body) if is_form(request) else strict_value(body, "body")
        said = msgspec.convert(value, _VoteBody)
    except BadDocument as error:
        raise ApiError(STATUSES[error.code], error.code, error.message) from error
    except msgspec.ValidationError as error:
        raise ApiError(422, "invalid_body", str(error)[:500]) from error
    require_no_nul(said.comment, said.user_id)
    return Ballot(said.feedback_token, said.outcome, said.comment, said.user_id or "")


def require_no_nul(*texts: str | None) -> None:
    # PostgreSQL's text cannot hold NUL, and nobody's words are changed silently.
    for text in texts:
        if text is not None and "\0" in text:
            raise ApiError(400, "bad_request", "a comment or user_id holds a NUL")


def _form_fields(body: bytes) -> dict[str, Json]:
    # An empty form field counts as missing.
    try:
        pairs = parse_qsl(
            body.decode(),
            keep_blank_values=True,
            strict_parsing=True,
            errors="strict",
            max_num_fields=MOST_FIELDS,
        )
    except ValueError as error:
        raise ApiError(400, "bad_request", "the form is malformed") from error
    names = [name for name, _ in pairs]
    if len(set(names)) < len(names):
        raise ApiError(400, "bad_request", "a field of the form stands more than once")
    return {name: value for name, value in pairs if value or name not in ("comment", "user_id")}


def _vote_too_large() -> ApiError:
    message = f"a vote has at most {settings.MAX_VOTE_BYTES} bytes (MAX_VOTE_BYTES)"
    return ApiError(413, "body_too_large", message)
