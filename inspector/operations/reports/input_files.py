"""Loads input files of ``inspect`` and ``replay``: responses, and files that hold many."""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from enum import StrEnum
from itertools import chain, islice
from pathlib import Path

import msgspec

from inspector.core.credentials.cleaning import clean_exchange
from inspector.core.json.document import BadDocument
from inspector.core.pasted.responses import NoSuchPart, part_of, pasted_responses
from inspector.core.wire import recorded_reads as reads
from inspector.core.wire.content_encoding import decompressed
from inspector.core.wire.exchange import Exchange
from inspector.transfer.entries import (
    FileEntry,
    FileKindName,
    FoundEnvelope,
    FoundExchange,
    PassedOver,
    UnreadableEntry,
)
from inspector.transfer.files.registry import RecognisedFile, recognised
from inspector.transfer.files.single_response import CONTENT_TYPES
from inspector.transfer.source import STANDARD_INPUT, opened_source

CONTAINERS = frozenset((".har", ".flow", ".flows", ".mitm"))
OFTEN_OTHERS = frozenset((".jsonl", ".csv", ".yaml", ".yml", ".db", ".gz"))
"""Endings under which a folder may have anything: such a file is taken by its content alone."""


class InputFileError(Exception):
    """Raised for a path that cannot be opened, and where it holds no response."""


class Carrier(StrEnum):
    """Kind of file: the body itself, or a container of exchanges."""

    BODY = "body"
    READS = "reads"
    ENVELOPE = "envelope"
    ENTRY = "entry"
    """One of the entries of a file with many."""


@dataclass(frozen=True, slots=True)
class InputFile:
    path: str
    exchange: Exchange
    carrier: Carrier
    entry: int | None = None
    """Number of the entry, from 1; None where the file is one response."""

    @property
    def name(self) -> str:
        return self.path if self.entry is None else f"{self.path}, entry {self.entry}"


@dataclass(frozen=True, slots=True)
class InputRefusal:
    """Why a file, or an entry of it, is no input; a sentence that names both."""

    message: str
    entry: int | None = None


@dataclass(frozen=True, slots=True)
class InputNote:
    """A sentence about an entry that is worth a word and no refusal: a call that nothing answered,
    or a body that is none of what its file says.
    """

    message: str


@dataclass(frozen=True, slots=True)
class InputEntry:
    """An entry as it stands in the file, credentials included."""

    content: FoundExchange | FoundEnvelope
    carrier: Carrier
    number: int | None = None


def find_input_files(paths: list[str]) -> Iterator[str]:
    """Yield files as given, and for a folder the recordings below it, by name.

    A folder without any is yielded itself, so that checking nothing does not look like success.
    """
    for path in paths:
        if path != STANDARD_INPUT and Path(path).is_dir():
            below = sorted(Path(path).rglob("*"))
            yield from [str(one) for one in below if one.is_file() and _is_recording(one)] or [path]
        else:
            yield path


def load_input_file(path: str, dialect: str | None = None) -> InputFile:
    """Return the one exchange in a file. Raises ``InputFileError``, also where there are
    several.
    """
    loaded = (each for each in load_inputs(path, dialect) if not isinstance(each, InputNote))
    found = list(islice(loaded, 2))
    for each in found:
        if isinstance(each, InputRefusal):
            raise InputFileError(each.message)
    if len(found) != 1:
        raise InputFileError(f"{path}: it holds more than one response")
    return next(each for each in found if isinstance(each, InputFile))


def load_inputs(
    path: str, dialect: str | None = None
) -> Iterator[InputFile | InputRefusal | InputNote]:
    """Every response in a file, credentials of containers removed, a refusal for each entry that
    cannot be read, and notes. Memory holds one at a time.
    """
    for entry in entries_in(path):
        if isinstance(entry, InputRefusal | InputNote):
            yield entry
            continue
        try:
            exchange = as_stored(entry)
        except BadDocument as error:
            place = path if entry.number is None else f"{path}, entry {entry.number}"
            yield InputRefusal(f"{place}: {error.message}", entry.number)
            continue
        exchange = msgspec.structs.replace(exchange, dialect=dialect)
        yield InputFile(path, exchange, entry.carrier, entry.number)


def load_part(path: str, dialect: str | None, part: int) -> InputFile | InputRefusal:
    """One of several: of a file with entries the one of this number, of a text the response."""
    for found in load_inputs(path, dialect):
        if isinstance(found, InputFile) and found.entry is None:
            return _part_of(found, part)
        if isinstance(found, InputFile) and found.entry == part:
            return found
        if isinstance(found, InputRefusal) and found.entry in (None, part):
            return found
    return InputRefusal(f"{path}: no entry {part} has an answer")


def _part_of(whole: InputFile, part: int) -> InputFile | InputRefusal:
    body = decompressed(whole.exchange).body
    try:
        text = part_of(body, pasted_responses(body), part)
    except NoSuchPart as error:
        return InputRefusal(f"{whole.path}: {error}")
    exchange = msgspec.structs.replace(Exchange.of_body(text), dialect=whole.exchange.dialect)
    return replace(whole, exchange=exchange, entry=part)


def entries_in(path: str) -> Iterator[InputEntry | InputRefusal | InputNote]:
    """Yield the answers in a file; where it has none, a refusal says why."""
    if path != STANDARD_INPUT and Path(path).is_dir():
        yield InputRefusal(f"{path}: no recordings in this folder")
        return
    try:
        with opened_source(path) as source:
            yield from _entries(path, recognised(source))
    except OSError as error:
        yield InputRefusal(f"{path}: {error.strerror or error}")


def _entries(path: str, file: RecognisedFile) -> Iterator[InputEntry | InputRefusal | InputNote]:
    entries = file.entries()
    begun = list(islice(entries, 2))
    carrier = _carrier(file.kind.name, is_alone=len(begun) < 2)
    passed, has_any = list[PassedOver](), False
    for entry in chain(begun, entries):
        if isinstance(entry.content, PassedOver):
            # The first one is an example; a HAR may have any number of them.
            passed = passed or [entry.content]
            if entry.content.is_unanswered:
                yield InputNote(f"{path}, entry {entry.number}: {entry.content.reason}")
            continue
        has_any = True
        if isinstance(entry.content, FoundExchange) and entry.content.note:
            yield InputNote(f"{path}, entry {entry.number}: {entry.content.note}")
        yield _told(path, entry, carrier)
    if not has_any:
        why = f"; {passed[0].reason}" if passed else ""
        yield InputRefusal(f"{path}: no response in it ({file.kind.words}){why}")


def _told(path: str, entry: FileEntry, carrier: Carrier) -> InputEntry | InputRefusal:
    content = entry.content
    number = entry.number if carrier is Carrier.ENTRY else None
    if isinstance(content, FoundExchange | FoundEnvelope):
        return InputEntry(content, carrier, number)
    assert isinstance(content, UnreadableEntry)
    place = "" if number is None else f"entry {number}: "
    return InputRefusal(f"{path}, {place}{content.reason}", number)


def _carrier(kind: FileKindName, is_alone: bool) -> Carrier:
    if kind is FileKindName.BODY:
        return Carrier.BODY
    if kind is FileKindName.READS:
        return Carrier.READS
    is_envelope = kind is FileKindName.ENVELOPES and is_alone
    return Carrier.ENVELOPE if is_envelope else Carrier.ENTRY


def _is_recording(file: Path) -> bool:
    if file.name.endswith(reads.ENDING) or file.suffix in CONTENT_TYPES.keys() | CONTAINERS:
        return True
    if file.suffix not in OFTEN_OTHERS:
        return False
    try:
        with opened_source(str(file)) as source:
            return recognised(source).kind.name is not FileKindName.BODY
    except OSError:
        return False


def as_stored(entry: InputEntry) -> Exchange:
    """Return the exchange, of containers as it would be stored. Raises ``BadDocument``."""
    content = entry.content
    if entry.carrier in (Carrier.BODY, Carrier.READS) and isinstance(content, FoundExchange):
        return content.exchange
    if isinstance(content, FoundExchange):
        # Nothing is kept of what was removed, so that its digest needs no secret.
        return clean_exchange(content.exchange, {}, str).exchange
    # Imported here: most files are no envelopes, and what their members are is much.
    from inspector.archive.intake.exchange_envelope import exchange_of, read_envelope

    envelope = read_envelope(content.text)
    return clean_exchange(exchange_of(envelope), envelope.metadata, str).exchange
