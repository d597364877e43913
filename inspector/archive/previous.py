"""The reading that the stored one replaced, and what the two say differently."""

from __future__ import annotations

from dataclasses import dataclass

from inspector.archive import document
from inspector.core.analysis import Analysis
from inspector.core.changes import Change, changes

MOST_CHANGES = 100


@dataclass(frozen=True, slots=True)
class Previous:
    analysis_version: int
    changes: tuple[Change, ...]
    """Between the documents as they are stored: what was cut off is not compared."""
    left_out: int


def previous_of(packed: bytes | None, now: Analysis) -> Previous | None:
    """None where there is none, or none of a shape that this version can read."""
    before = document.readable(packed) if packed is not None else None
    if before is None:
        return None
    found = changes(before.analysis, now)
    return Previous(
        before.analysis.analysis_version, found[:MOST_CHANGES], max(0, len(found) - MOST_CHANGES)
    )


def differs(before: bytes, after: bytes) -> bool:
    """A document of a shape that this version cannot read is another one."""
    earlier, later = document.readable(before), document.readable(after)
    return earlier is None or later is None or bool(changes(earlier.analysis, later.analysis))
