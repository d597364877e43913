"""What votes are grouped by: the same names that the sums of usage have, as far as a row says."""

from __future__ import annotations

import hashlib
from collections.abc import Collection

import msgspec
from django.db.models import CharField, F, Value
from django.db.models.functions import Cast, Concat

from inspector.archive.subjects import Subject
from inspector.feedback.models import DAY_SECONDS, Series, Sum

TRIES = 3
GONE = "gone "
"""How the digest of a series begins whose names are forgotten. None of a kind does."""


class Kind(msgspec.Struct, frozen=True, array_like=True):
    """None where it was not sent or is not known."""

    model: str | None
    request_model: str | None
    vendor: str | None
    dialect: str | None
    key_id: int | None

    @property
    def digest(self) -> str:
        return hashlib.sha256(msgspec.json.encode(self)).hexdigest()


NAMELESS = dict.fromkeys(Kind.__struct_fields__)


def series_id_of(subject: Subject) -> int:
    """The number of the series, made where it is new; until the transaction ends nobody else
    counts under it, or forgets it.
    """
    kind = Kind(
        subject.model, subject.request_model, subject.vendor, subject.dialect, subject.key_id
    )
    for _ in range(TRIES):
        found = _id(subject.team_id, kind)
        if found is not None:
            return found
        row = Series(team_id=subject.team_id, digest=kind.digest, **msgspec.structs.asdict(kind))
        # Of two at once one is made.
        Series.objects.bulk_create([row], ignore_conflicts=True)
    raise AssertionError("a series was forgotten whenever it was made")


def hold(ids: Collection[int]) -> None:
    """As ``series_id_of`` does, in one order: before sums are changed."""
    rows = Series.objects.filter(pk__in=ids).order_by("pk").select_for_update(no_key=True)
    list(rows.values_list("pk", flat=True))


def forget_unused(team_id: int, ids: Collection[int]) -> None:
    """Of those that are held: whose last vote was taken from the sums, their names are forgotten.

    The row stays and is empty: votes refer to it by no index, and one by one they would be read.
    """
    by_day = Sum.objects.filter(team=team_id, span_seconds=DAY_SECONDS, series__in=ids)
    unused = set(ids) - set(by_day.values_list("series", flat=True))
    digest = Concat(Value(GONE), Cast(F("pk"), CharField()))
    Series.objects.filter(pk__in=unused).update(digest=digest, **NAMELESS)


def _id(team_id: int, kind: Kind) -> int | None:
    named = Series.objects.filter(team=team_id, digest=kind.digest)
    return named.select_for_update(no_key=True).values_list("pk", flat=True).first()
