"""What captures have in common: the kinds of series that they are counted in.

By the hour a series is of captures that are alike in everything. By the day there is one for each
value of each of those things instead: whatever else captures differ in, be it a fingerprint of its
own in every one, a month by model costs what its models cost.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator

import msgspec

from inspector.usage.models import HOUR_SECONDS

EXACT, ALL = "exact", "all"
BY = ("model", "request_model", "vendor", "dialect", "key", "service_tier", "fingerprint")
"""What can be grouped by."""


class Kind(msgspec.Struct, frozen=True, array_like=True):
    """A series: ``by`` is ``EXACT``, ``ALL`` or one of ``BY``; then the others are None here.

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


EVERY = Kind(by=ALL)


def column_of(by: str) -> str:
    return "key_id" if by == "key" else by


def within(exact: Kind, span_seconds: int) -> Iterator[Kind]:
    """Every kind of series that a capture of this exact kind counts in."""
    yield EVERY
    if span_seconds == HOUR_SECONDS:
        yield exact
        return
    for by in BY:
        column = column_of(by)
        yield Kind(by=by, **{column: getattr(exact, column)})
