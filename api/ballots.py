"""The body of a vote: JSON as WorkflowAI's clients send it, or a page's form without scripts."""

from __future__ import annotations

from typing import Annotated, Literal
from urllib.parse import parse_qsl

import msgspec
from django.conf import settings
from django.http import HttpRequest
from msgspec import Meta

from api.body import body_within, media_type
from api.envelope import STATUSES
from api.refusal import Refusal
from inspector.core.completion import Json
from inspector.feedback.casting import Ballot
from inspector.feedback.models import USER_CHARACTERS
from inspector.patience import STRANGER_SECONDS
from inspector.transfer.document import BadDocument, strict_value

FORM = "application/x-www-form-urlencoded"
JSON = "application/json"
COMMENT_CHARACTERS = 8_000
"""Code points."""
MOST_FIELDS = 20


class _Said(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    feedback_token: str
    outcome: Literal["positive", "negative"]
    comment: Annotated[str, Meta(max_length=COMMENT_CHARACTERS)] | None = None
    user_id: Annotated[str, Meta(max_length=USER_CHARACTERS)] | None = None


def is_form(request: HttpRequest) -> bool:
    return media_type(request) == FORM


def ballot_of(request: HttpRequest) -> Ballot:
    if not is_form(request) and media_type(request) != JSON:
        message = f"name what the body is: Content-Type: {JSON}, or {FORM}"
        raise Refusal(415, "unknown_content_type", message)
    body = body_within(request, settings.MAX_VOTE_BYTES, _too_large, STRANGER_SECONDS)
    if is_form(request) and body.lstrip().startswith(b"{"):
        message = f"this is JSON that is called a form: send it with Content-Type: {JSON}"
        raise Refusal(400, "bad_request", message)
    try:
        value = _fields(body) if is_form(request) else strict_value(body, "body")
        said = msgspec.convert(value, _Said)
    except BadDocument as error:
        raise Refusal(STATUSES[error.code], error.code, error.message) from error
    except msgspec.ValidationError as error:
        raise Refusal(422, "invalid_body", str(error)[:500]) from error
    require_text(said.comment, said.user_id)
    return Ballot(said.feedback_token, said.outcome, said.comment, said.user_id or "")


def require_text(*texts: str | None) -> None:
    """Of what is kept, every character: nobody's words are changed on the way."""
    for text in texts:
        if text is not None and "\0" in text:
            raise Refusal(400, "bad_request", "a comment or user_id holds a NUL")


def _fields(body: bytes) -> dict[str, Json]:
    """A field that was left empty says nothing."""
    try:
        pairs = parse_qsl(
            body.decode(),
            keep_blank_values=True,
            strict_parsing=True,
            errors="strict",
            max_num_fields=MOST_FIELDS,
        )
    except ValueError as error:
        raise Refusal(400, "bad_request", "the form is malformed") from error
    names = [name for name, _ in pairs]
    if len(set(names)) < len(names):
        raise Refusal(400, "bad_request", "a field of the form stands more than once")
    return {name: value for name, value in pairs if value or name not in ("comment", "user_id")}


def _too_large() -> Refusal:
    message = f"a vote has at most {settings.MAX_VOTE_BYTES} bytes (MAX_VOTE_BYTES)"
    return Refusal(413, "body_too_large", message)
