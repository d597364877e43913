"""When a call was made, by which lists and sums go."""

from datetime import UTC, datetime

EARLIEST = datetime(2015, 1, 1, tzinfo=UTC)
"""Before there was anything to call: a clock that was never set, or seconds taken for something
else.
"""


def called_at(told: datetime | None, arrived: datetime) -> datetime:
    """Return the start as it was told, or the arrival where that cannot be."""
    return told if told is not None and EARLIEST <= told <= arrived else arrived
