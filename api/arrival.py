"""Makes a submission from a posted exchange, its headers and its query parameters."""

from __future__ import annotations

import hashlib
from dataclasses import replace

import msgspec
from django.http import HttpRequest

from api.api_error import ApiError, document_error
from api.body import STORED_LIMIT, media_type, read_body
from api.query_params import QueryParams, invalid_parameter
from api.upload_limits import parsing
from inspector.archive.intake.limits import MAX_TAGS, NOTE_CHARACTERS, TAG_CHARACTERS
from inspector.archive.intake.submission import Submission
from inspector.core.formats import dialects
from inspector.core.wire.exchange import Exchange
from inspector.teams.access import Principal
from inspector.transfer import envelope, exchange_envelope
from inspector.transfer.exchange_envelope import IDEMPOTENCY_KEY_CHARACTERS
from inspector.transfer.json_document import BadDocument


def read_arrival(
    request: HttpRequest, principal: Principal, params: QueryParams, limit: str = STORED_LIMIT
) -> Submission:
    """The posted exchange, whether it came bare or in an envelope."""
    body = read_body(request, limit)
    if media_type(request) == exchange_envelope.MEDIA_TYPE:
        with parsing(principal, len(body)):
            arrival = parse_envelope(body)
    else:
        content_type = request.META.get("CONTENT_TYPE") or None
        arrival = Submission(Exchange.of_body(body, content_type))
    arrival = replace(arrival, idempotency_key=_idempotency_key(request, arrival))
    return _with_params(arrival, body, params)


def read_arrival_line(line: bytes, params: QueryParams) -> Submission:
    """Parses one line of a batch: an envelope, with the parameters of the query added."""
    if not line.strip():
        raise ApiError(400, "body_empty", "the line is empty")
    arrival = parse_envelope(line)
    check_idempotency_key(arrival.idempotency_key)
    return _with_params(arrival, line, params)


def parse_envelope(text: bytes) -> Submission:
    try:
        return envelope.parse_envelope(text)
    except BadDocument as error:
        raise document_error(error) from error


def check_shared_params(params: QueryParams) -> None:
    """Checks the parameters that hold for every line, so that a fault in them is reported once."""
    _tags(params.many("tag"))
    _note(params)
    _dialect(params)


def _with_params(arrival: Submission, body: bytes, params: QueryParams) -> Submission:
    return replace(
        arrival,
        exchange=_read_as(arrival.exchange, _dialect(params)),
        tags=_tags((*arrival.tags, *params.many("tag"))),
        note=_note(params) or arrival.note,
        posted_sha256=hashlib.sha256(body).hexdigest(),
    )


def _read_as(exchange: Exchange, dialect: str | None) -> Exchange:
    return msgspec.structs.replace(exchange, dialect=dialect) if dialect else exchange


def _tags(tags: tuple[str, ...]) -> tuple[str, ...]:
    if len(tags) > MAX_TAGS:
        raise invalid_parameter("tag", f"makes more than {MAX_TAGS} tags")
    if any(not tag.strip() or len(tag) > TAG_CHARACTERS for tag in tags):
        raise invalid_parameter("tag", f"is blank or over {TAG_CHARACTERS} characters")
    return tuple(dict.fromkeys(tags))


def _note(params: QueryParams) -> str:
    note = params.one("note") or ""
    if len(note) > NOTE_CHARACTERS:
        raise invalid_parameter("note", f"is over {NOTE_CHARACTERS} characters")
    return note


def _dialect(params: QueryParams) -> str | None:
    dialect = params.one("dialect")
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
    if key is None or (key.isprintable() and 0 < len(key) <= IDEMPOTENCY_KEY_CHARACTERS):
        return
    message = f"an idempotency key has 1 to {IDEMPOTENCY_KEY_CHARACTERS} printable characters"
    raise ApiError(422, "invalid_idempotency_key", message)
