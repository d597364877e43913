"""Dimensions of the sums and the series that captures are counted in.

By the hour there is one series for each combination of all dimensions. By the day there is one for
each value of each dimension instead: even if every capture has another fingerprint, a month by
model reads as many sums as there are models.
"""

import hashlib
from functools import lru_cache

import msgspec

from inspector.usage.models import HOUR_SECONDS

EXACT, ALL = "exact", "all"
DIMENSIONS = ("model", "request_model", "vendor", "dialect", "key", "service_tier", "fingerprint")
"""Dimensions that series are kept of."""
OF_CAPTURES = ("tag", "session")
"""Dimensions that captures alone know: tags change after a capture was counted, and there are as
many sessions as callers like.
"""
GROUPINGS = (*DIMENSIONS, *OF_CAPTURES)
"""Everything that usage can be grouped by, under the names that filters have."""
COLUMNS = {
    "model": ("named_model",),
    "key": ("key_id",),
    "service_tier": ("service_tier", "other_service_tier"),
}
"""Columns of dimensions that are not one column of the same name."""

MOST_KEPT = 1_024
"""Keys whose digests are kept in memory: the next capture is mostly like the ones before it."""

TeamDigest = tuple[int, str]
"""A team's number and the digest of a row of the team."""


class SeriesKey(msgspec.Struct, frozen=True, array_like=True):
    """A series: ``by`` is ``EXACT``, ``ALL`` or one of ``DIMENSIONS``; then the others are None.

    In the dimension that it is by, None stands for a value that was not sent or is not known.
    ``named_model`` is the model that answered, else the one that was asked for.
    ``other_service_tier`` is a part of the dimension ``service_tier``: the second of two tiers
    where either may apply.
    """

    by: str
    model: str | None = None
    request_model: str | None = None
    named_model: str | None = None
    vendor: str | None = None
    dialect: str | None = None
    key_id: int | None = None
    service_tier: str | None = None
    other_service_tier: str | None = None
    fingerprint: str | None = None

    @property
    def digest(self) -> str:
        return _digest_of(self)


@lru_cache(maxsize=MOST_KEPT)
def _digest_of(key: SeriesKey) -> str:
    return hashlib.sha256(msgspec.json.encode(key)).hexdigest()


ALL_CAPTURES = SeriesKey(by=ALL)


def columns_of(by: str) -> tuple[str, ...]:
    """Return the fields of ``SeriesKey`` that a dimension consists of."""
    return COLUMNS.get(by, (by,))


@lru_cache(maxsize=MOST_KEPT)
def series_keys(exact: SeriesKey, span_seconds: int) -> tuple[SeriesKey, ...]:
    """Return the keys of all series that a capture with this exact key counts in."""
    if span_seconds == HOUR_SECONDS:
        return ALL_CAPTURES, exact
    single = (
        SeriesKey(by=by, **{name: getattr(exact, name) for name in columns_of(by)})
        for by in DIMENSIONS
    )
    return ALL_CAPTURES, *single
