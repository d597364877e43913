"""A file of another program as a person opens it: what is in it, one answer of it, and all of them
as submissions.
"""

import hashlib
import io
from collections.abc import Iterator
from dataclasses import dataclass, replace

from inspector.archive.intake.envelope import parse_envelope
from inspector.archive.intake.submission import Submission
from inspector.core.json.document import BadDocument
from inspector.transfer.entries import FileEntry, FoundExchange, PassedOver, UnreadableEntry
from inspector.transfer.files.envelope_lines import envelope_line
from inspector.transfer.files.registry import FileKind, RecognisedFile, recognised
from inspector.transfer.source import FileSource

NO_ANSWER = "no_answer"
MOST_LISTED = 200
"""Answers that can be chosen; all are stored."""


@dataclass(frozen=True, slots=True)
class PastedFile:
    """The entries of a file, counted; ``listed`` are the numbers of the first answers."""

    kind: FileKind
    answers: int
    unreadable: int
    passed_over: int
    listed: tuple[int, ...]
    problem: str
    """Why the first of the unreadable entries is one, with its number; empty if none is."""


def pasted_container(content: bytes) -> RecognisedFile | None:
    """None where the content is no file of another program."""
    file = recognised(FileSource.of_stream("", io.BytesIO(content)), opens_gzip=False)
    return file if file.kind.is_container else None


def open_entry(file: RecognisedFile, wanted: int | None) -> tuple[PastedFile, int, FoundExchange]:
    """Count all entries, open the wanted one or the first. ``BadDocument``: none opens."""
    opened: tuple[int, FoundExchange] | None = None
    found = PastedFile(file.kind, 0, 0, 0, (), "")
    for entry in file.entries():
        content = entry.content
        found = _with(found, entry)
        if isinstance(content, FoundExchange) and (opened is None or entry.number == wanted):
            opened = entry.number, content
    if opened is None:
        why = f": {found.problem}" if found.problem else ""
        raise BadDocument(NO_ANSWER, f"no answer could be read in {file.kind.words}{why}")
    return found, *opened


def submissions_of(file: RecognisedFile) -> Iterator[Submission | None]:
    """Every answer, with a key of its content; None for what cannot be stored."""
    for entry in file.entries():
        if isinstance(entry.content, PassedOver):
            continue
        yield _submission(entry, file.kind)


def _submission(entry: FileEntry, kind: FileKind) -> Submission | None:
    content = entry.content
    if not isinstance(content, FoundExchange):
        return None
    # As a line of a batch: what one way of sending stored, all others know.
    line = envelope_line(content, kind).removesuffix(b"\n")
    try:
        arrival = parse_envelope(line)
    except BadDocument:
        return None
    digest = hashlib.sha256(line).hexdigest()
    # With its credentials: storing removes them and counts what it removed.
    return replace(arrival, exchange=content.exchange, posted_sha256=digest)


def _with(found: PastedFile, entry: FileEntry) -> PastedFile:
    content = entry.content
    if isinstance(content, PassedOver):
        return replace(found, passed_over=found.passed_over + 1)
    if isinstance(content, UnreadableEntry):
        problem = found.problem or f"entry {entry.number}: {content.reason}"
        return replace(found, unreadable=found.unreadable + 1, problem=problem)
    listed = found.listed
    if len(listed) < MOST_LISTED:
        listed = (*listed, entry.number)
    return replace(found, answers=found.answers + 1, listed=listed)
