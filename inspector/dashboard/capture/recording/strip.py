"""The strip of the team's recordings on one scale: this one first, then the newest."""

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime, timedelta
from uuid import UUID

from inspector.archive.listing.running_captures import RunningCapture
from inspector.formatting.humanize import size, tenths

MAX_SHOWN = 5
SCALES_SECONDS = (6, 12, 24, 60, 120, 300, 600, 1_200, 3_600)
STORED_LATE_US = 3_000_000
"""Reads are stored a while after they came: a shorter silence may be none."""


@dataclass(frozen=True, slots=True)
class StripEntry:
    """One recording; places are shares of the scale in percent."""

    id: UUID
    name: str
    is_here: bool
    passed: str
    aside: str
    is_silent: bool
    now: float
    first: float | None
    """Where the first byte came; None as long as none is stored."""
    last: float

    @property
    def width(self) -> float:
        return round(self.last - (self.first or 0), 2)


@dataclass(frozen=True, slots=True)
class RecordingStrip:
    number: int
    """Number of all recordings of the team, not only of those that are shown."""
    scale_seconds: int
    entries: tuple[StripEntry, ...]

    @property
    def scale_us(self) -> int:
        return self.scale_seconds * 1_000_000


def recording_strip(
    running: Iterable[RunningCapture], number: int, here: UUID, now: datetime
) -> RecordingStrip | None:
    """Return None if nothing else is being recorded."""
    shown = sorted(running, key=lambda each: each.id != here)[:MAX_SHOWN]
    if len(shown) < 2:
        return None
    passed = {each.id: max(0, (now - each.began_at) // timedelta(microseconds=1)) for each in shown}
    scale = _scale_seconds(max(passed.values()))
    entries = (_entry(each, passed[each.id], scale, here) for each in shown)
    return RecordingStrip(max(number, len(shown)), scale, tuple(entries))


def _scale_seconds(longest_us: int) -> int:
    fits = (scale for scale in SCALES_SECONDS if scale * 1_000_000 >= longest_us)
    return next(fits, -(-longest_us // 1_000_000))


def _entry(each: RunningCapture, passed_us: int, scale: int, here: UUID) -> StripEntry:
    last_us = each.last_us or 0
    silent_us = passed_us - last_us
    is_silent = each.last_us is not None and silent_us > STORED_LATE_US
    return StripEntry(
        id=each.id,
        name=each.request_model or "model not known",
        is_here=each.id == here,
        passed=tenths(passed_us),
        aside=f"silent {tenths(silent_us)}" if is_silent else came_words(each),
        is_silent=is_silent,
        now=_share(passed_us, scale),
        first=None if each.first_us is None else _share(each.first_us, scale),
        last=_share(last_us, scale),
    )


def came_words(each: RunningCapture) -> str:
    return size(each.byte_length) if each.byte_length else "no byte yet"


def _share(us: int, scale_seconds: int) -> float:
    return round(min(100.0, us / (scale_seconds * 10_000)), 2)
