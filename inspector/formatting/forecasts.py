"""Words for what would be deleted."""

from datetime import datetime

from inspector.formatting.humanize import plural, size

NOT_COUNTED = "Counting takes too long: ask for less by time."


def forecast_words(
    thing: str,
    count: int,
    byte_length: int,
    oldest: datetime | None,
    first_due: datetime | None = None,
) -> str:
    """``2 captures, 4.1 kB, the oldest of 2026-01-02``; bytes are left out where there are none."""
    if not count:
        return f"nothing until {first_due:%Y-%m-%d}" if first_due else "nothing"
    parts = [plural(count, thing)]
    if byte_length:
        parts.append(size(byte_length))
    if oldest is not None:
        parts.append(f"the oldest of {oldest:%Y-%m-%d}")
    return ", ".join(parts)
