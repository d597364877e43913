"""Periods that sums exist for: whole hours for a few days, else whole days (UTC)."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime, timedelta

from inspector.query.time_input import TIME_FORMATS, parse_time
from inspector.usage.models import DAY_SECONDS, HOUR_SECONDS

RANGES = {"24h": timedelta(hours=24), "7d": timedelta(days=7), "30d": timedelta(days=30)}
DEFAULT_RANGE = "30d"
LONGEST_BY_HOUR = timedelta(days=2)
"""48 bars; a longer period has one for each day."""
LONGEST_PERIOD = timedelta(days=400)
"""Thirteen months: this month and that of last year stand in one chart."""
EARLIEST, LATEST = datetime(2000, 1, 1, tzinfo=UTC), datetime(9000, 1, 1, tzinfo=UTC)
"""Beyond them a calendar has no period before, or no end of a slot."""
OUT_OF_CALENDAR = "Nothing was received in such a period."


class BadPeriod(ValueError):
    """The period is invalid; the message is a sentence for the client."""


@dataclass(frozen=True, slots=True)
class Period:
    """From ``start`` to ``end`` (exclusive), at edges of slots; the last may be unfinished."""

    start: datetime
    end: datetime
    slot_seconds: int

    @property
    def slots(self) -> tuple[datetime, ...]:
        length = timedelta(seconds=self.slot_seconds)
        return tuple(self.start + at * length for at in range((self.end - self.start) // length))

    @property
    def last(self) -> datetime:
        """The last moment in it, to name the day that it ends with."""
        return self.end - timedelta(microseconds=1)

    @property
    def before(self) -> Period:
        """The period of the same length right before."""
        return Period(self.start - (self.end - self.start), self.start, self.slot_seconds)

    @property
    def length(self) -> str:
        """The number of slots with their unit: ``24 hours``, ``30 days``."""
        number, unit = len(self.slots), "hour" if self.is_by_the_hour else "day"
        return f"{number} {unit}" if number == 1 else f"{number} {unit}s"

    @property
    def is_by_the_hour(self) -> bool:
        return self.slot_seconds == HOUR_SECONDS


def period_from_params(
    name: str | None, since: str | None, until: str | None, now: datetime
) -> Period:
    """Return a period of ``RANGES``, by its ends, or the default. Raises ``BadPeriod``."""
    if name and name not in RANGES:
        raise BadPeriod(f"range is one of {', '.join(RANGES)}.")
    if name and (since or until):
        raise BadPeriod("Give either range, or since and until.")
    if since or until:
        return period_between(since or "", until or "", now)
    return latest(name or DEFAULT_RANGE, now)


def latest(name: str, now: datetime) -> Period:
    """Return the period of this name that ends with the current hour or day."""
    length = RANGES[name]
    slot = slot_seconds(length)
    end = slot_start(now, slot) + timedelta(seconds=slot)
    return Period(end - length, end, slot)


def period_between(since: str, until: str, now: datetime) -> Period:
    """Parse the ends, written like times in filters. An empty ``until`` is now, an empty ``since``
    the default length before. Raises ``BadPeriod``.
    """
    last = parse_time(until, now) if until else now
    if last is None:
        raise BadPeriod(f"{until} is not {TIME_FORMATS}.")
    if not EARLIEST < last < LATEST:
        raise BadPeriod(OUT_OF_CALENDAR)
    first = parse_time(since, now) if since else last - RANGES[DEFAULT_RANGE]
    if first is None:
        raise BadPeriod(f"{since} is not {TIME_FORMATS}.")
    if not first < last:
        raise BadPeriod("The period ends where it begins, or before; its end is not in it.")
    if first <= EARLIEST:
        raise BadPeriod(OUT_OF_CALENDAR)
    if last - first > LONGEST_PERIOD:
        raise BadPeriod(f"A period has at most {LONGEST_PERIOD.days} days.")
    slot = slot_seconds(last - first)
    end = slot_start(last, slot)
    return Period(
        slot_start(first, slot), end if end == last else end + timedelta(seconds=slot), slot
    )


def slot_seconds(length: timedelta) -> int:
    return HOUR_SECONDS if length <= LONGEST_BY_HOUR else DAY_SECONDS


def slot_start(moment: datetime, slot: int) -> datetime:
    """Return the beginning of the slot that a moment lies in."""
    return datetime.fromtimestamp(int(moment.timestamp()) // slot * slot, UTC)
