"""Where a finding stands in the file that was read, as far as that can be said."""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path

from inspector.core.coding import uncoded
from inspector.core.findings import Finding, Where
from inspector.core.positions import Position, positions
from inspector.core.timeline import read_of
from inspector.operations.recordings import STANDARD_INPUT, Carrier
from inspector.operations.reports.inspected import Inspected

Placed = tuple[Finding, "Place"]


@dataclass(frozen=True, slots=True)
class Place:
    """A range of the file, ends exclusive; None where nobody can say.

    In a recording of reads a place is the line of the read that brought the byte: its bytes are
    those of the response, not of the file. In an envelope there is none.
    """

    start: Position | None = None
    end: Position | None = None
    byte_start: int | None = None
    byte_end: int | None = None


def placed(one: Inspected) -> list[Placed]:
    """Every finding that is to be told, with its place."""
    carrier = one.recording.carrier
    if carrier is Carrier.BODY:
        return _in_body(one)
    if carrier is Carrier.READS:
        return [(finding, _in_reads(one, finding.where)) for finding in one.findings]
    return [(finding, Place()) for finding in one.findings]


def said_of(where: Where) -> str:
    """``/choices/0, event 3, bytes 10–20``: the place in the response, empty where it has none."""
    parts = [where.pointer] if where.pointer else []
    if where.event is not None:
        parts.append(f"event {where.event:,}")
    if where.byte_start is not None:
        end = where.byte_start if where.byte_end is None else where.byte_end
        parts.append(f"bytes {where.byte_start:,}–{end:,}")
    return ", ".join(parts)


def file_name(path: str) -> str:
    """As programs that look at a checkout expect it: from the working directory, with slashes."""
    if path == STANDARD_INPUT:
        return "stdin"
    file = Path(os.path.abspath(path))
    here = Path.cwd()
    return file.relative_to(here).as_posix() if file.is_relative_to(here) else file.as_posix()


def _in_body(one: Inspected) -> list[Placed]:
    body = uncoded(one.recording.exchange).body
    wheres = [finding.where for finding in one.findings]
    offsets = [at for where in wheres for at in (where.byte_start, where.byte_end)]
    is_text = b"\0" not in body
    known = positions(body, (at for at in offsets if at is not None)) if is_text else {}
    return [(finding, _of_bytes(finding.where, known)) for finding in one.findings]


def _of_bytes(where: Where, known: dict[int, Position]) -> Place:
    start, end = where.byte_start, where.byte_end
    if start is None:
        return Place()
    return Place(known.get(start), None if end is None else known.get(end), start, end)


def _in_reads(one: Inspected, where: Where) -> Place:
    if where.byte_start is None:
        return Place()
    return Place(start=Position(line=read_of(one.tape, where.byte_start + 1) + 1, column=1))
