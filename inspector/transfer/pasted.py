"""Something pasted or dropped: a response as it is, a recording of reads, an envelope, a HAR.

A text that holds several responses is read as it is, and nothing of it is chosen; each of its parts
can be asked for by number and is then the response.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from enum import StrEnum
from typing import Any

import msgspec

from inspector.archive.intake import Arrival, cleaned
from inspector.core import json_text
from inspector.core.completion import Json
from inspector.core.exchange import Exchange
from inspector.core.pasting.runs import Part, parts
from inspector.transfer import envelope, har, reads
from inspector.transfer.document import BadDocument, has_too_many_tokens
from inspector.transfer.har import Listed

INVALID_READS = "invalid_reads"
BODY_MEMBERS = ("body", "body_b64", "reads")


class Kind(StrEnum):
    BODY = "body"
    PART = "part"
    READS = "reads"
    ENVELOPE = "envelope"
    HAR = "har"


@dataclass(frozen=True, slots=True)
class Wanted:
    """What a person says about what they paste; None where it is left to be recognised."""

    content_type: str | None = None
    dialect: str | None = None
    entry: int | None = None
    """Which entry of a HAR, or which response of a text that holds several."""
    as_it_is: bool = False
    """The bytes themselves are the response, whatever they look like."""


@dataclass(frozen=True, slots=True)
class Pasted:
    kind: Kind
    arrival: Arrival
    entries: tuple[Listed, ...] = ()
    entry: int | None = None
    parts: tuple[Part, ...] = ()
    """The responses of a text, of which ``entry`` is one; left out where none was asked for."""


def pasted(content: bytes, wanted: Wanted) -> Pasted:
    """Raises BadDocument for what is clearly one of ours or a HAR, and broken."""
    found = _found(content, wanted)
    exchange = msgspec.structs.replace(
        found.arrival.exchange,
        dialect=wanted.dialect,
        content_type=wanted.content_type or found.arrival.exchange.content_type,
    )
    return replace(found, arrival=cleaned(replace(found.arrival, exchange=exchange)))


def _found(content: bytes, wanted: Wanted) -> Pasted:
    if not wanted.as_it_is and reads.looks_like_reads(content):
        return Pasted(Kind.READS, _of_reads(content))
    value = None if wanted.as_it_is else _carrier(content)
    if (entries := har.entries_in(value)) is not None:
        return _of_har(entries, wanted.entry)
    if _is_envelope(value):
        # A key stands for one capture of its sender; a person may store what they paste twice.
        arrival = replace(envelope.arrival_of(content), idempotency_key=None)
        return Pasted(Kind.ENVELOPE, arrival)
    if wanted.entry is not None and not wanted.as_it_is:
        return _of_part(content, wanted.entry)
    return Pasted(Kind.BODY, Arrival(Exchange.of_body(content)))


def _of_part(content: bytes, wanted: int) -> Pasted:
    found = parts(content)
    if wanted >= len(found):
        return Pasted(Kind.BODY, Arrival(Exchange.of_body(content)))
    part = found[wanted]
    exchange = Exchange.of_body(content[part.byte_start : part.byte_end])
    return Pasted(Kind.PART, Arrival(exchange), entry=wanted, parts=found)


def _carrier(content: bytes) -> Json:
    """The value of a JSON text that may carry an exchange; looked at only where it says so."""
    if b'"response"' not in content or has_too_many_tokens(content):
        return None
    return json_text.parse(content).value


def _is_envelope(value: Json) -> bool:
    response = value.get("response") if isinstance(value, dict) else None
    return isinstance(response, dict) and any(name in response for name in BODY_MEMBERS)


def _of_reads(content: bytes) -> Arrival:
    try:
        return Arrival(Exchange(reads=tuple(reads.reads_of(content))))
    except reads.BadLine as error:
        raise BadDocument(INVALID_READS, f"the recording of reads, {error}") from error


def _of_har(entries: list[Any], wanted: int | None) -> Pasted:
    found = list(har.listed(entries))
    chosen = next((entry for entry in found if entry.number == wanted), har.likeliest(found))
    if chosen is None:
        raise BadDocument(har.INVALID, "the HAR holds no entry that could be read")
    arrival = har.arrival_of(entries[chosen.number])
    return Pasted(Kind.HAR, arrival, tuple(found), chosen.number)
