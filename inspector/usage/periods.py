"""Stretches of time that sums exist for: whole hours of a few days, else whole days, in UTC."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime, timedelta

from inspector.archive.moments import FORMS, moment_of
from inspector.usage.models import DAY_SECONDS, HOUR_SECONDS

RANGES = {"24h": timedelta(hours=24), "7d": timedelta(days=7), "30d": timedelta(days=30)}
USUAL = "30d"
BY_THE_HOUR = timedelta(days=2)
LONGEST = timedelta(days=400)
EARLIEST, LATEST = datetime(2000, 1, 1, tzinfo=UTC), datetime(9000, 1, 1, tzinfo=UTC)
"""Beyond them a calendar has no period before, or no end of a slot."""
NOTHING_THEN = "Nothing was received in such a period."


class BadPeriod(ValueError):
    """Why nothing can be summed up for what was asked, as a sentence."""


@dataclass(frozen=True, slots=True)
class Period:
    """From ``start`` up to ``end``, both at the edge of a slot; the last slot may be unfinished."""

    start: datetime
    end: datetime
    slot_seconds: int

    @property
    def slots(self) -> tuple[datetime, ...]:
        length = timedelta(seconds=self.slot_seconds)
        return tuple(self.start + at * length for at in range((self.end - self.start) // length))

    @property
    def before(self) -> Period:
        """As long, and right before."""
        return Period(self.start - (self.end - self.start), self.start, self.slot_seconds)

    @property
    def length(self) -> str:
        """``24 hours``, ``30 days``."""
        number, unit = len(self.slots), "hour" if self.is_by_the_hour else "day"
        return f"{number} {unit}" if number == 1 else f"{number} {unit}s"

    @property
    def is_by_the_hour(self) -> bool:
        return self.slot_seconds == HOUR_SECONDS


def asked(name: str | None, since: str | None, until: str | None, now: datetime) -> Period:
    """One of ``RANGES`` by its name, else what the ends say, else the usual. Empty is not asked
    for. Raises ``BadPeriod``.
    """
    if name and name not in RANGES:
        raise BadPeriod(f"range is one of {', '.join(RANGES)}.")
    if name and (since or until):
        raise BadPeriod("Either a range is asked for, or since and until.")
    if since or until:
        return between(since or "", until or "", now)
    return latest(name or USUAL, now)


def latest(name: str, now: datetime) -> Period:
    """One of ``RANGES``, with the hour or the day that has begun as its last."""
    length = RANGES[name]
    slot = slot_seconds(length)
    end = edge(now, slot) + timedelta(seconds=slot)
    return Period(end - length, end, slot)


def between(since: str, until: str, now: datetime) -> Period:
    """As filters write moments; up to now, or as long as usual, where one is empty. Raises
    ``BadPeriod``.
    """
    last = moment_of(until, now) if until else now
    if last is None:
        raise BadPeriod(f"{until} is not {FORMS}.")
    if not EARLIEST < last < LATEST:
        raise BadPeriod(NOTHING_THEN)
    first = moment_of(since, now) if since else last - RANGES[USUAL]
    if first is None:
        raise BadPeriod(f"{since} is not {FORMS}.")
    if not first < last:
        raise BadPeriod("The period ends where it begins, or before; its end is not in it.")
    if first <= EARLIEST:
        raise BadPeriod(NOTHING_THEN)
    if last - first > LONGEST:
        raise BadPeriod(f"A period has at most {LONGEST.days} days.")
    slot = slot_seconds(last - first)
    end = edge(last, slot)
    return Period(edge(first, slot), end if end == last else end + timedelta(seconds=slot), slot)


def slot_seconds(length: timedelta) -> int:
    return HOUR_SECONDS if length <= BY_THE_HOUR else DAY_SECONDS


def edge(moment: datetime, slot: int) -> datetime:
    """The beginning of the slot that a moment lies in."""
    return datetime.fromtimestamp(int(moment.timestamp()) // slot * slot, UTC)
