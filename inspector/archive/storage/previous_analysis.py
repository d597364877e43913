"""Compares the stored analysis with the one that it replaced."""

import msgspec

from inspector.archive import readouts
from inspector.core.analysis import Analysis
from inspector.core.answer.analysis_changes import AnalysisChange, changes_between

MAX_CHANGES = 100
"""A new rule may change every choice of an answer; the others are counted (`omitted`)."""


class PreviousAnalysis(msgspec.Struct, frozen=True):
    analysis_version: int
    changes: tuple[AnalysisChange, ...]
    omitted: int
    """Number of changes beyond those that are listed."""


def compare_with_previous(packed: bytes | None, now: Analysis) -> PreviousAnalysis | None:
    """Compare with the analysis before the latest reinspection. None where there is none, or none
    in a shape this version can read.
    """
    before = readouts.load(packed) if packed is not None else None
    if before is None:
        return None
    found = changes_between(before.analysis, now)
    return PreviousAnalysis(
        before.analysis.analysis_version, found[:MAX_CHANGES], max(0, len(found) - MAX_CHANGES)
    )


def readouts_differ(before: bytes, after: bytes) -> bool:
    """Tell whether two analyses differ; one that cannot be loaded always does."""
    earlier, later = readouts.load(before), readouts.load(after)
    return (
        earlier is None or later is None or bool(changes_between(earlier.analysis, later.analysis))
    )
