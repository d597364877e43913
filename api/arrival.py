"""Makes a submission from a posted exchange, its headers and its query parameters."""

from __future__ import annotations

import hashlib
from dataclasses import replace

import msgspec
from django.http import HttpRequest

from api import envelope
from api.api_error import ApiError
from api.body import STORED_LIMIT, media_type, read_body
from api.query_params import QueryParams, invalid_parameter
from inspector.archive.intake.submission import (
    MAX_TAGS,
    NOTE_CHARACTERS,
    TAG_CHARACTERS,
    Submission,
)
from inspector.core.formats import dialects
from inspector.core.wire.exchange import Exchange

LONGEST_IDEMPOTENCY_KEY = 255


def read_arrival(request: HttpRequest, asked: QueryParams, limit: str = STORED_LIMIT) -> Submission:
    """The posted exchange, whether it came bare or in an envelope."""
    body = read_body(request, limit)
    if media_type(request) == envelope.MEDIA_TYPE:
        arrival = envelope.arrival_of(body)
    else:
        content_type = request.META.get("CONTENT_TYPE") or None
        arrival = Submission(Exchange.of_body(body, content_type))
    arrival = replace(arrival, idempotency_key=_idempotency_key(request, arrival))
    return _with_params(arrival, body, asked)


def read_arrival_line(line: bytes, asked: QueryParams) -> Submission:
    """Parses one line of a batch: an envelope, with the parameters of the query added."""
    if not line.strip():
        raise ApiError(400, "body_empty", "the line is empty")
    arrival = envelope.arrival_of(line)
    check_idempotency_key(arrival.idempotency_key)
    return _with_params(arrival, line, asked)


def check_shared_params(asked: QueryParams) -> None:
    """Checks the parameters that hold for every line, so that a fault in them is reported once."""
    _tags(asked.many("tag"))
    _note(asked)
    _dialect(asked)


def _with_params(arrival: Submission, body: bytes, asked: QueryParams) -> Submission:
    return replace(
        arrival,
        exchange=msgspec.structs.replace(arrival.exchange, dialect=_dialect(asked)),
        tags=_tags((*arrival.tags, *asked.many("tag"))),
        note=_note(asked),
        posted_sha256=hashlib.sha256(body).hexdigest(),
    )


def _tags(tags: tuple[str, ...]) -> tuple[str, ...]:
    if len(tags) > MAX_TAGS:
        raise invalid_parameter("tag", f"makes more than {MAX_TAGS} tags")
    if any(not tag.strip() or len(tag) > TAG_CHARACTERS for tag in tags):
        raise invalid_parameter("tag", f"is blank or over {TAG_CHARACTERS} characters")
    return tuple(dict.fromkeys(tags))


def _note(asked: QueryParams) -> str:
    note = asked.one("note") or ""
    if len(note) > NOTE_CHARACTERS:
        raise invalid_parameter("note", f"is over {NOTE_CHARACTERS} characters")
    return note


def _dialect(asked: QueryParams) -> str | None:
    dialect = asked.one("dialect")
    if dialect is not None and dialect not in dialects():
        raise invalid_parameter("dialect", f"is none of {', '.join(dialects())}")
    return dialect


def _idempotency_key(request: HttpRequest, arrival: Submission) -> str | None:
    key: str | None = request.META.get("HTTP_IDEMPOTENCY_KEY", arrival.idempotency_key)
    check_idempotency_key(key)
    if arrival.idempotency_key not in (None, key):
        raise ApiError(422, "invalid_idempotency_key", "header and envelope name two keys")
    return key


def check_idempotency_key(key: str | None) -> None:
    if key is None or (key.isprintable() and 0 < len(key) <= LONGEST_IDEMPOTENCY_KEY):
        return
    message = f"an idempotency key has 1 to {LONGEST_IDEMPOTENCY_KEY} printable characters"
    raise ApiError(422, "invalid_idempotency_key", message)
