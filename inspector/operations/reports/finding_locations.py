"""Maps findings to line and column ranges of the input file, as far as known."""

import os
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

import msgspec

from inspector.core.findings import Finding, Where
from inspector.core.timing.timeline import read_of
from inspector.core.wire.content_encoding import decompressed
from inspector.operations.reports.input_files import Carrier
from inspector.operations.reports.inspected_file import InspectedFile
from inspector.transfer.source import STANDARD_INPUT

_CONTINUATION = bytes(range(0x80, 0xC0))
"""Continuation bytes of UTF-8, which do not begin a character."""


class TextPosition(msgspec.Struct, frozen=True):
    """Line and column, from 1. A column is a character (code point); a line ends with LF."""

    line: int
    column: int


def text_positions(body: bytes, offsets: Iterable[int]) -> dict[int, TextPosition]:
    """Return the position of each offset, in one pass over the body.

    An offset behind the last byte is the position at which the next one would stand.
    """
    found: dict[int, TextPosition] = {}
    line = column = 1
    at = 0
    for offset in sorted(set(offsets)):
        passed = body[at:offset]
        if ends := passed.count(b"\n"):
            line, column = line + ends, 1
            passed = passed[passed.rindex(b"\n") + 1 :]
        column += len(passed.translate(None, _CONTINUATION))
        found[offset] = TextPosition(line, column)
        at = offset
    return found


LocatedFinding = tuple[Finding, "FileLocation"]


@dataclass(frozen=True, slots=True)
class FileLocation:
    """A range of the file with exclusive ends; None if unknown.

    In a recording of reads the location is the line of the read that brought the byte. In an
    envelope there is none, because the offsets are those of the response, not of the file.
    """

    start: TextPosition | None = None
    end: TextPosition | None = None
    byte_start: int | None = None
    byte_end: int | None = None


def located_findings(one: InspectedFile) -> list[LocatedFinding]:
    """Return findings to report, each with its location."""
    carrier = one.recording.carrier
    if carrier is Carrier.BODY:
        return _in_body(one)
    if carrier is Carrier.READS:
        return [(finding, _in_reads(one, finding.where)) for finding in one.findings]
    return [(finding, FileLocation()) for finding in one.findings]


def response_location(where: Where) -> str:
    """Location like ``/choices/0, event #3, bytes 10–20``; empty without one."""
    parts = [where.pointer] if where.pointer else []
    if where.event is not None:
        parts.append(f"event #{where.event:,}")
    if where.byte_start is not None:
        end = where.byte_start if where.byte_end is None else where.byte_end
        parts.append(f"bytes {where.byte_start:,}–{end:,}")
    return ", ".join(parts)


def file_name(path: str) -> str:
    """Path relative to the working directory with slashes, as CI tools expect it."""
    if path == STANDARD_INPUT:
        return "stdin"
    file = Path(os.path.abspath(path))
    here = Path.cwd()
    return file.relative_to(here).as_posix() if file.is_relative_to(here) else file.as_posix()


def _in_body(one: InspectedFile) -> list[LocatedFinding]:
    body = decompressed(one.recording.exchange).body
    wheres = [finding.where for finding in one.findings]
    offsets = [at for where in wheres for at in (where.byte_start, where.byte_end)]
    is_text = b"\0" not in body
    known = text_positions(body, (at for at in offsets if at is not None)) if is_text else {}
    return [(finding, _of_bytes(finding.where, known)) for finding in one.findings]


def _of_bytes(where: Where, known: dict[int, TextPosition]) -> FileLocation:
    start, end = where.byte_start, where.byte_end
    if start is None:
        return FileLocation()
    return FileLocation(known.get(start), None if end is None else known.get(end), start, end)


def _in_reads(one: InspectedFile, where: Where) -> FileLocation:
    if where.byte_start is None:
        return FileLocation()
    return FileLocation(
        start=TextPosition(line=read_of(one.tape, where.byte_start + 1) + 1, column=1)
    )
