"""Imports an export, line by line: what was here before stays as it is, what cannot be taken is
reported with its line, and nothing of it is stored.
"""

import hashlib
import logging
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace

from django.conf import settings
from django.db import IntegrityError

from inspector.archive.intake.envelope import parse_envelope
from inspector.archive.intake.imports import Imported, store_imported
from inspector.archive.intake.submission import Submission
from inspector.core.json.document import BadDocument
from inspector.core.wire.batch_lines import BatchLine, LineFault, split_lines
from inspector.database.portability import UNAVAILABLE
from inspector.teams.access import Principal

NOT_EXPORTED = "no export wrote this: it has no member archived"
EMPTY = "the line is empty"
INTERNAL = "it could not be stored ({})"

_LOGGER = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class RefusedLine:
    """Why nothing of a line was stored."""

    reason: str


@dataclass(frozen=True, slots=True)
class ImportedLine:
    """One line of an export, and what became of it. ``number`` counts from 1."""

    number: int
    result: Imported | RefusedLine


def import_lines(principal: Principal, pieces: Iterable[bytes]) -> Iterator[ImportedLine]:
    """Import the lines of an export in the one team of a principal, which may send there."""
    for group in _commit_groups(_entries(pieces)):
        yield from _stored(principal, group)


@dataclass(frozen=True, slots=True)
class _Entry:
    number: int
    content: Submission | RefusedLine
    length: int = 0


def _entries(pieces: Iterable[bytes]) -> Iterator[_Entry]:
    # Two bodies in base64, and what is told of them.
    for line in split_lines(pieces, settings.MAX_BODY_BYTES * 3):
        yield _Entry(line.number, _content(line), len(line.text))


def _content(line: BatchLine) -> Submission | RefusedLine:
    if line.fault is not None:
        return RefusedLine(_FAULTS[line.fault])
    if not line.text.strip():
        return RefusedLine(EMPTY)
    try:
        arrival = parse_envelope(line.text)
    except BadDocument as error:
        return RefusedLine(error.message)
    except Exception as error:
        _LOGGER.exception("line %d of an import failed", line.number)
        return RefusedLine(INTERNAL.format(type(error).__name__))
    if arrival.origin is None:
        return RefusedLine(NOT_EXPORTED)
    return replace(arrival, posted_sha256=hashlib.sha256(line.text).hexdigest())


def _commit_groups(entries: Iterable[_Entry]) -> Iterator[list[_Entry]]:
    """Group entries into commits: what names another capture comes after its commit."""
    group: list[_Entry] = []
    for entry in entries:
        if _names_one_of(entry, group):
            yield group
            group = []
        group.append(entry)
        length = sum(each.length for each in group)
        if len(group) == settings.BATCH_COMMIT_LINES or length >= settings.BATCH_COMMIT_BYTES:
            yield group
            group = []
    yield group


def _names_one_of(entry: _Entry, group: Sequence[_Entry]) -> bool:
    if not isinstance(entry.content, Submission) or entry.content.origin is None:
        return False
    origin = entry.content.origin
    named = origin.retry_of
    arrivals = (each.content for each in group if isinstance(each.content, Submission))
    return named is not None and any(each.origin and each.origin.id == named for each in arrivals)


def _stored(principal: Principal, group: Sequence[_Entry]) -> Iterator[ImportedLine]:
    arrivals = [each.content for each in group if isinstance(each.content, Submission)]
    results = iter(_results(principal, arrivals))
    for entry in group:
        refused = entry.content if isinstance(entry.content, RefusedLine) else None
        yield ImportedLine(entry.number, refused or next(results))


def _results(
    principal: Principal, arrivals: Sequence[Submission]
) -> Sequence[Imported | RefusedLine]:
    try:
        return store_imported(principal, arrivals) if arrivals else []
    except UNAVAILABLE:
        raise
    except Exception:
        return [_stored_alone(principal, arrival) for arrival in arrivals]


def _stored_alone(principal: Principal, arrival: Submission) -> Imported | RefusedLine:
    try:
        return _stored_once(principal, arrival)
    except UNAVAILABLE:
        raise
    except Exception as error:
        _LOGGER.exception("a line of an import failed")
        return RefusedLine(INTERNAL.format(type(error).__name__))


def _stored_once(principal: Principal, arrival: Submission) -> Imported:
    try:
        [result] = store_imported(principal, [arrival])
    except IntegrityError:
        # Another import of the same file was first.
        [result] = store_imported(principal, [arrival])
    return result


_FAULTS = {
    LineFault.TOO_LONG: "the line is longer than any that an export writes",
    LineFault.UNTERMINATED: "the line has no newline at its end: it may be cut",
}
