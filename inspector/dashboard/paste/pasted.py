"""Recognises pasted or dropped content: a plain response, a recording of reads, an envelope or a
HAR. A text with several responses is read as one; each of its parts can be requested by number and
is then read as the response.
"""

from dataclasses import dataclass, replace
from enum import StrEnum
from typing import Any

import msgspec

from inspector.archive.intake import envelope
from inspector.archive.intake.submission import Submission, prepared
from inspector.core.json import Json, parser
from inspector.core.json.document import BadDocument, has_too_many_tokens
from inspector.core.pasted.responses import PastedResponse, pasted_responses
from inspector.core.wire import recorded_reads as reads
from inspector.core.wire.exchange import Exchange
from inspector.dashboard.paste.pasted_file import PastedFile, open_entry, pasted_container
from inspector.transfer import har
from inspector.transfer.entries import FileKindName, FoundExchange
from inspector.transfer.files.registry import RecognisedFile
from inspector.transfer.har import HarEntrySummary

INVALID_READS = "invalid_reads"
BODY_MEMBERS = ("body", "body_b64", "reads")


class PastedKind(StrEnum):
    BODY = "body"
    PART = "part"
    READS = "reads"
    ENVELOPE = "envelope"
    HAR = "har"
    FILE = "file"
    """A file of another program with any number of answers."""


@dataclass(frozen=True, slots=True)
class PasteOptions:
    """Options of the person who pastes; None is recognised from the content."""

    content_type: str | None = None
    dialect: str | None = None
    entry: int | None = None
    """Number of the HAR entry, or of the response in a text that holds several."""
    part: int | None = None
    """Number of the entry or the response, from 1; ``entry`` takes precedence."""
    as_it_is: bool = False
    """The bytes themselves are the response, whatever they look like."""

    @property
    def index(self) -> int | None:
        """Position of the HAR entry or of the response, from 0."""
        return self.part - 1 if self.entry is None and self.part else self.entry


@dataclass(frozen=True, slots=True)
class Pasted:
    kind: PastedKind
    arrival: Submission
    entries: tuple[HarEntrySummary, ...] = ()
    entry: int | None = None
    file: PastedFile | None = None
    """File that ``entry`` is in; None of all else, and of HAR."""
    parts: tuple[PastedResponse, ...] = ()
    """The responses of the text that ``entry`` is one of; empty where none was requested."""


def read_pasted(content: bytes, wanted: PasteOptions) -> Pasted:
    """Read pasted content. Raises ``BadDocument`` for a broken envelope, recording or HAR."""
    found = _recognised(content, wanted)
    exchange = msgspec.structs.replace(
        found.arrival.exchange,
        dialect=wanted.dialect,
        content_type=wanted.content_type or found.arrival.exchange.content_type,
    )
    return replace(found, arrival=prepared(replace(found.arrival, exchange=exchange), None))


def _recognised(content: bytes, wanted: PasteOptions) -> Pasted:
    if not wanted.as_it_is and reads.looks_like_reads(content):
        return Pasted(PastedKind.READS, _parse_reads(content))
    if not wanted.as_it_is and (file := pasted_container(content)) and not _is_har(file):
        chosen = wanted.part if wanted.entry is None else wanted.entry
        opened, number, found = open_entry(file, chosen)
        return Pasted(PastedKind.FILE, _submission(found), entry=number, file=opened)
    value = None if wanted.as_it_is else _carrier(content)
    if (entries := har.entries_in(value)) is not None:
        return _read_har(entries, wanted.index)
    if _is_envelope(value):
        # A key stands for one capture of its sender; a person may store what they paste twice.
        arrival = replace(envelope.parse_envelope(content), idempotency_key=None)
        return Pasted(PastedKind.ENVELOPE, arrival)
    if wanted.index is not None and not wanted.as_it_is:
        return _read_part(content, wanted.index)
    return Pasted(PastedKind.BODY, Submission(Exchange.of_body(content)))


def _read_part(content: bytes, wanted: int) -> Pasted:
    found = pasted_responses(content)
    if wanted >= len(found):
        return Pasted(PastedKind.BODY, Submission(Exchange.of_body(content)))
    part = found[wanted]
    exchange = Exchange.of_body(content[part.byte_start : part.byte_end])
    return Pasted(PastedKind.PART, Submission(exchange), entry=wanted, parts=found)


def _carrier(content: bytes) -> Json:
    # Parsed only where the text can be an envelope or a HAR: parsing is costly.
    if b'"response"' not in content or has_too_many_tokens(content):
        return None
    return parser.parse_json(content).value


def _is_envelope(value: Json) -> bool:
    response = value.get("response") if isinstance(value, dict) else None
    return isinstance(response, dict) and any(name in response for name in BODY_MEMBERS)


def _parse_reads(content: bytes) -> Submission:
    try:
        return Submission(Exchange(reads=tuple(reads.reads_of(content))))
    except reads.BadLine as error:
        raise BadDocument(INVALID_READS, f"the recording of reads, {error}") from error


def _read_har(entries: list[Any], wanted: int | None) -> Pasted:
    found = list(har.summarize_entries(entries))
    chosen = next((entry for entry in found if entry.number == wanted), har.likeliest_entry(found))
    if chosen is None:
        raise BadDocument(har.INVALID, "the HAR holds no entry that could be read")
    arrival = _submission(har.parse_entry(entries[chosen.number]))
    return Pasted(PastedKind.HAR, arrival, tuple(found), chosen.number)


def _is_har(file: RecognisedFile) -> bool:
    # Of a HAR a person chooses any entry, also one that is no call of a model.
    return file.kind.name is FileKindName.HAR


def _submission(found: FoundExchange) -> Submission:
    return Submission(found.exchange, started_at=found.started_at, metadata=found.metadata)
