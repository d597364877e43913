"""Reading again, in words: of one capture what changed, of a team's archive how far it is."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import Any

from inspector.archive.models import JobState
from inspector.archive.standing import Reinspection
from inspector.archive.values import CapturePage
from inspector.core.changes import Change, ChangeKind
from inspector.dashboard.marks import Segment, exact
from inspector.dashboard.templatetags.formats import age, plural, seconds
from inspector.dashboard.wire import wire_word

SHOWN_AT_ONCE = 4
VALUE_CHARACTERS = 80

Words = tuple[Segment, ...]


@dataclass(frozen=True, slots=True)
class Reread:
    """A newer version read the capture, or tried to."""

    version: int
    at: datetime | None
    changes: tuple[Words, ...]
    more: tuple[Words, ...]
    left_out: int
    error: Words
    """Why it could not; then the analysis of ``by_version`` stays."""
    by_version: int


def reread_of(page: CapturePage) -> Reread | None:
    """None where only one version ever read it."""
    if page.analysis is None or (page.previous is None and page.failed_version is None):
        return None
    version = page.analysis.analysis_version
    if page.failed_version is not None:
        error = exact(page.reinspection_error or "no reason recorded")
        return Reread(page.failed_version, None, (), (), 0, error, version)
    assert page.previous is not None
    told = tuple(exact(told_change(change)) for change in page.previous.changes)
    at_once = told if len(told) == SHOWN_AT_ONCE + 1 else told[:SHOWN_AT_ONCE]
    return Reread(
        version=version,
        at=page.reinspected_at,
        changes=at_once,
        more=told[len(at_once) :],
        left_out=page.previous.left_out,
        error=(),
        by_version=version,
    )


def told_change(change: Change) -> str:
    if change.kind is ChangeKind.FINDING:
        return told_finding(change)
    if change.kind is ChangeKind.TEXT:
        return told_text(change)
    name = name_of(change.subject)
    return f"{name} {value_word(name, change.before)} → {value_word(name, change.after)}"


def told_finding(change: Change) -> str:
    where = f" at {change.pointer}" if change.pointer else ""
    finding = f"finding {change.subject}{where}"
    if change.after == 0:
        return f"{finding} gone"
    if change.before == 0:
        return f"{finding} new"
    return f"{finding} {change.before} → {change.after} times"


def told_text(change: Change) -> str:
    lengths = f"{length_word(change.before)} → {length_word(change.after)}"
    place = f" from character {change.at + 1:,} on" if change.at is not None else ""
    return f"{name_of(change.subject)} differs{place} ({lengths})"


def name_of(pointer: str) -> str:
    """``/choices/0/finish_reason`` as ``finish_reason of choice 0``, counted by position."""
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


def told_reinspection(found: Reinspection) -> str:
    return f"{how_far(found)}{what_came_of_it(found)}."


def how_far(found: Reinspection) -> str:
    # What came in meanwhile by an older program was not counted before.
    of = f"{found.done:,} of {max(found.total, found.done):,}"
    if found.state == JobState.OPEN:
        return f"Analysing again: {of} with version {found.analysis_version}"
    if found.state == JobState.SUPERSEDED:
        return (
            f"Version {found.analysis_version} analysed {of} again, then a newer version took over"
        )
    read = f"Version {found.analysis_version} analysed {plural(found.done, 'capture')} again"
    if found.started_at is None or found.finished_at is None:
        return read
    took = age(found.started_at, found.finished_at)
    return f"{read} in {'a moment' if took == 'now' else took}"


def what_came_of_it(found: Reinspection) -> str:
    changed = f", {plural(found.changed, 'analysis', 'analyses')} changed"
    if not found.failed:
        return changed
    kept = "keeps its analysis" if found.failed == 1 else "keep their analysis"
    return f"{changed}; {found.failed:,} could not be analysed again and {kept}"
