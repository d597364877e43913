"""Reinspection in words: what changed for one capture, and the progress for a team."""

from dataclasses import dataclass
from datetime import datetime
from typing import Any

from inspector.archive.listing.capture_values import CaptureFacts
from inspector.archive.status.health import ReinspectionStatus
from inspector.core.answer.analysis_changes import AnalysisChange, AnalysisChangeKind
from inspector.formatting.humanize import age, plural, seconds
from inspector.formatting.invisible_characters import TextSegment, exact_segments
from inspector.formatting.wire_values import wire_word
from inspector.work.models import WorkState

SHOWN_AT_ONCE = 4
"""The others unfold; a single one more is shown at once."""
VALUE_CHARACTERS = 80
"""Two of them stand in a sentence."""

Words = tuple[TextSegment, ...]


@dataclass(frozen=True, slots=True)
class ReinspectionChanges:
    """Outcome of reading the capture with a newer analysis version."""

    version: int
    at: datetime | None
    changes: tuple[Words, ...]
    more: tuple[Words, ...]
    left_out: int
    error: Words
    """Why it failed; the analysis of ``by_version`` is then kept."""
    by_version: int


def reinspection_changes(capture: CaptureFacts) -> ReinspectionChanges | None:
    """Return the changes; None if there are none, as where one version alone read the capture."""
    if capture.analysis is None or (capture.previous is None and capture.failed_version is None):
        return None
    version = capture.analysis.analysis_version
    if capture.failed_version is not None:
        error = exact_segments(capture.reinspection_error or "no reason recorded")
        return ReinspectionChanges(capture.failed_version, None, (), (), 0, error, version)
    if capture.previous is None or not (capture.previous.changes or capture.previous.omitted):
        return None
    changes = tuple(exact_segments(change_words(change)) for change in capture.previous.changes)
    at_once = changes if len(changes) == SHOWN_AT_ONCE + 1 else changes[:SHOWN_AT_ONCE]
    return ReinspectionChanges(
        version=version,
        at=capture.reinspected_at,
        changes=at_once,
        more=changes[len(at_once) :],
        left_out=capture.previous.omitted,
        error=(),
        by_version=version,
    )


def change_words(change: AnalysisChange) -> str:
    if change.kind is AnalysisChangeKind.FINDING:
        return finding_change_words(change)
    if change.kind is AnalysisChangeKind.TEXT:
        return text_change_words(change)
    name = pointer_words(change.subject)
    return f"{name} {value_word(name, change.before)} → {value_word(name, change.after)}"


def finding_change_words(change: AnalysisChange) -> str:
    where = f" at {change.pointer}" if change.pointer else ""
    finding = f"finding {change.subject}{where}"
    if change.after == 0:
        return f"{finding} gone"
    if change.before == 0:
        return f"{finding} new"
    return f"{finding} {change.before} → {change.after} times"


def text_change_words(change: AnalysisChange) -> str:
    lengths = f"{length_word(change.before)} → {length_word(change.after)}"
    place = f" from character {change.at + 1:,} on" if change.at is not None else ""
    return f"{pointer_words(change.subject)} differs{place} ({lengths})"


def pointer_words(pointer: str) -> str:
    """Format ``/choices/0/finish_reason`` as ``finish_reason of choice 0``."""
    first, *rest = pointer.split("/")[1:]
    if first == "choices" and rest:
        return f"{' '.join(rest[1:])} of choice {rest[0]}"
    return rest[-1] if rest else first


def value_word(name: str, value: Any) -> str:
    if name.endswith("_us") and isinstance(value, int):
        return seconds(value)
    return "none" if value is None else wire_word(value)[:VALUE_CHARACTERS]


def length_word(value: Any) -> str:
    return plural(value, "character") if isinstance(value, int) else wire_word(value)


def reinspection_sentences(found: ReinspectionStatus) -> str:
    return f"{progress_words(found)}{outcome_words(found)}."


def progress_words(found: ReinspectionStatus) -> str:
    # Captures that an older program inspected meanwhile are not in the initial count.
    of = f"{found.done:,} of {max(found.total, found.done):,}"
    if found.state == WorkState.OPEN:
        return f"Analysing again: {of} with version {found.analysis_version}"
    if found.state == WorkState.SUPERSEDED:
        return (
            f"Version {found.analysis_version} analysed {of} again, then a newer version took over"
        )
    read = f"Version {found.analysis_version} analysed {plural(found.done, 'capture')} again"
    if found.started_at is None or found.finished_at is None:
        return read
    took = age(found.started_at, found.finished_at)
    return f"{read} in {'a moment' if took == 'now' else took}"


def outcome_words(found: ReinspectionStatus) -> str:
    changed = f", {plural(found.changed, 'analysis', 'analyses')} changed"
    if not found.failed:
        return changed
    verb_phrase = "keeps its analysis" if found.failed == 1 else "keep their analysis"
    return f"{changed}; {found.failed:,} could not be analysed again and {verb_phrase}"
