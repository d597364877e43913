"""A posted exchange with what headers and query say about it."""

from __future__ import annotations

import hashlib
from dataclasses import replace

import msgspec
from django.http import HttpRequest

from api import envelope
from api.body import STORED, media_type, read_body
from api.parameters import Parameters, wrong
from api.refusal import Refusal
from inspector.archive.intake import MAX_TAGS, NOTE_CHARACTERS, TAG_CHARACTERS, Arrival
from inspector.core.dialects import dialects
from inspector.core.exchange import Exchange

LONGEST_IDEMPOTENCY_KEY = 255


def arrival_of(request: HttpRequest, asked: Parameters, limit: str = STORED) -> Arrival:
    """The posted exchange, whether it came bare or in an envelope."""
    body = read_body(request, limit)
    if media_type(request) == envelope.MEDIA_TYPE:
        arrival = envelope.arrival_of(body)
    else:
        content_type = request.META.get("CONTENT_TYPE") or None
        arrival = Arrival(Exchange.of_body(body, content_type))
    arrival = replace(arrival, idempotency_key=_idempotency_key(request, arrival))
    return _completed(arrival, body, asked)


def arrival_of_line(line: bytes, asked: Parameters) -> Arrival:
    """One line of a batch: an envelope, and what the query says of all of them."""
    if not line.strip():
        raise Refusal(400, "body_empty", "the line is empty")
    arrival = envelope.arrival_of(line)
    require_printable(arrival.idempotency_key)
    return _completed(arrival, line, asked)


def require_sound(asked: Parameters) -> None:
    """What is wrong for every line is said once."""
    _tags(asked.many("tag"))
    _note(asked)
    _dialect(asked)


def _completed(arrival: Arrival, body: bytes, asked: Parameters) -> Arrival:
    return replace(
        arrival,
        exchange=msgspec.structs.replace(arrival.exchange, dialect=_dialect(asked)),
        tags=_tags((*arrival.tags, *asked.many("tag"))),
        note=_note(asked),
        posted_sha256=hashlib.sha256(body).hexdigest(),
    )


def _tags(tags: tuple[str, ...]) -> tuple[str, ...]:
    if len(tags) > MAX_TAGS:
        raise wrong("tag", f"makes more than {MAX_TAGS} tags")
    if any(not tag.strip() or len(tag) > TAG_CHARACTERS for tag in tags):
        raise wrong("tag", f"is blank or over {TAG_CHARACTERS} characters")
    return tuple(dict.fromkeys(tags))


def _note(asked: Parameters) -> str:
    note = asked.one("note") or ""
    if len(note) > NOTE_CHARACTERS:
        raise wrong("note", f"is over {NOTE_CHARACTERS} characters")
    return note


def _dialect(asked: Parameters) -> str | None:
    dialect = asked.one("dialect")
    if dialect is not None and dialect not in dialects():
        raise wrong("dialect", f"is none of {', '.join(dialects())}")
    return dialect


def _idempotency_key(request: HttpRequest, arrival: Arrival) -> str | None:
    key: str | None = request.META.get("HTTP_IDEMPOTENCY_KEY", arrival.idempotency_key)
    require_printable(key)
    if arrival.idempotency_key not in (None, key):
        raise Refusal(422, "invalid_idempotency_key", "header and envelope name two keys")
    return key


def require_printable(key: str | None) -> None:
    if key is None or (key.isprintable() and 0 < len(key) <= LONGEST_IDEMPOTENCY_KEY):
        return
    message = f"an idempotency key has 1 to {LONGEST_IDEMPOTENCY_KEY} printable characters"
    raise Refusal(422, "invalid_idempotency_key", message)
