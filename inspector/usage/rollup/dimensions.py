"""Dimensions of the sums and the series that captures are counted in.

By the hour there is one series for each combination of all dimensions. By the day there is one for
each value of each dimension instead: even if every capture has another fingerprint, a month by
model reads as many sums as there are models.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator

import msgspec

from inspector.usage.models import HOUR_SECONDS

EXACT, ALL = "exact", "all"
DIMENSIONS = ("model", "request_model", "vendor", "dialect", "key", "service_tier", "fingerprint")
"""Columns that sums can be grouped by."""


class SeriesKey(msgspec.Struct, frozen=True, array_like=True):
    """A series: ``by`` is ``EXACT``, ``ALL`` or one of ``DIMENSIONS``; then the others are None.

    Of what it is by, None is what was not sent or is not known.
    """

    by: str
    model: str | None = None
    request_model: str | None = None
    vendor: str | None = None
    dialect: str | None = None
    key_id: int | None = None
    service_tier: str | None = None
    fingerprint: str | None = None

    @property
    def digest(self) -> str:
        return hashlib.sha256(msgspec.json.encode(self)).hexdigest()


ALL_CAPTURES = SeriesKey(by=ALL)


def column_of(by: str) -> str:
    return "key_id" if by == "key" else by


def series_keys(exact: SeriesKey, span_seconds: int) -> Iterator[SeriesKey]:
    """The keys of all series that a capture with this exact key counts in."""
    yield ALL_CAPTURES
    if span_seconds == HOUR_SECONDS:
        yield exact
        return
    for by in DIMENSIONS:
        column = column_of(by)
        yield SeriesKey(by=by, **{column: getattr(exact, column)})
