"""The series that votes are counted in: those dimensions of the usage sums that a capture's row
has.
"""

from __future__ import annotations

import hashlib
from collections.abc import Collection

import msgspec
from django.db.models import CharField, F, Value
from django.db.models.functions import Cast, Concat

from inspector.archive.vote_targets import VoteTarget
from inspector.feedback.models import DAY_SECONDS, VoteSeries, VoteSum

TRIES = 3
# Prefix of the digest of a series whose names were deleted; no real digest begins so.
FORGOTTEN = "gone "


class VoteSeriesKey(msgspec.Struct, frozen=True, array_like=True):
    """The names that identify a series; None where a name was not sent or is unknown."""

    model: str | None
    request_model: str | None
    vendor: str | None
    dialect: str | None
    key_id: int | None

    @property
    def digest(self) -> str:
        return hashlib.sha256(msgspec.json.encode(self)).hexdigest()


NO_NAMES = dict.fromkeys(VoteSeriesKey.__struct_fields__)


def series_id_of(subject: VoteTarget) -> int:
    """The number of the series, made where it is new; until the transaction ends nobody else
    counts under it, or forgets it.
    """
    kind = VoteSeriesKey(
        subject.model, subject.request_model, subject.vendor, subject.dialect, subject.key_id
    )
    for _ in range(TRIES):
        found = _id(subject.team_id, kind)
        if found is not None:
            return found
        row = VoteSeries(
            team_id=subject.team_id, digest=kind.digest, **msgspec.structs.asdict(kind)
        )
        # Of two at once one is made.
        VoteSeries.objects.bulk_create([row], ignore_conflicts=True)
    raise AssertionError("a series was forgotten whenever it was made")


def lock_series(ids: Collection[int]) -> None:
    """Locks series in the order of their ids, as ``series_id_of`` does, before sums are changed."""
    # NO KEY: votes that name a series may be inserted meanwhile, which a full lock would hold up.
    rows = VoteSeries.objects.filter(pk__in=ids).order_by("pk").select_for_update(no_key=True)
    list(rows.values_list("pk", flat=True))


def forget_unused(team_id: int, ids: Collection[int]) -> None:
    """Deletes the names of locked series without votes left in the sums.

    The row stays: no index leads from it to the votes that refer to it, so deleting it would scan
    them.
    """
    by_day = VoteSum.objects.filter(team=team_id, span_seconds=DAY_SECONDS, series__in=ids)
    unused = set(ids) - set(by_day.values_list("series", flat=True))
    digest = Concat(Value(FORGOTTEN), Cast(F("pk"), CharField()))
    VoteSeries.objects.filter(pk__in=unused).update(digest=digest, **NO_NAMES)


def _id(team_id: int, kind: VoteSeriesKey) -> int | None:
    named = VoteSeries.objects.filter(team=team_id, digest=kind.digest)
    return named.select_for_update(no_key=True).values_list("pk", flat=True).first()
