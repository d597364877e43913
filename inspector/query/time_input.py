"""Parses times as people and programs write them: RFC 3339, a day, Unix seconds, or an age."""

import re
from datetime import UTC, datetime, timedelta

TIME_FORMATS = (
    "a time of RFC 3339, a day such as 2026-11-01, today or yesterday (its beginning in UTC), Unix"
    " seconds, or an age such as 24h or 7d"
)

# A plus sign that was not escaped comes out of a query as a space.
_RFC_3339 = re.compile(
    r"(\d{4}-\d\d-\d\d)[Tt ](\d\d:\d\d:\d\d(?:\.\d{1,6})?)\d*(?:[Zz]|([+ -])(\d\d:\d\d))", re.ASCII
)
# As in "2026-11-28".
_DAY = re.compile(r"\d{4}-\d\d-\d\d", re.ASCII)
# As in "1764115200.5".
_UNIX = re.compile(r"\d{1,11}(?:\.\d{1,9})?", re.ASCII)
# As in "36h", "2w".
_AGE = re.compile(r"(\d{1,6})([smhdw])", re.ASCII)
_DAYS_BACK = {"today": 0, "yesterday": 1}
_UNITS = {"s": "seconds", "m": "minutes", "h": "hours", "d": "days", "w": "weeks"}


def parse_time(text: str, now: datetime) -> datetime | None:
    """Return an age, Unix time, day or RFC 3339 time; None for others, and outside the calendar."""
    try:
        return _age(text, now) or _unix(text) or _day(text, now) or _rfc_3339(text)
    except (ValueError, OverflowError, OSError):
        return None


def _age(text: str, now: datetime) -> datetime | None:
    found = _AGE.fullmatch(text)
    return now - timedelta(**{_UNITS[found[2]]: int(found[1])}) if found else None


def _unix(text: str) -> datetime | None:
    return datetime.fromtimestamp(float(text), UTC) if _UNIX.fullmatch(text) else None


def _day(text: str, now: datetime) -> datetime | None:
    if text in _DAYS_BACK:
        midnight = now.astimezone(UTC).replace(hour=0, minute=0, second=0, microsecond=0)
        return midnight - timedelta(days=_DAYS_BACK[text])
    return datetime.fromisoformat(text).replace(tzinfo=UTC) if _DAY.fullmatch(text) else None


def _rfc_3339(text: str) -> datetime | None:
    found = _RFC_3339.fullmatch(text)
    if found is None:
        return None
    sign = "+" if found[3] == " " else found[3]
    zone = f"{sign}{found[4]}" if sign else "+00:00"
    return datetime.fromisoformat(f"{found[1]}T{found[2]}{zone}").astimezone(UTC)
