"""What votes are grouped by: the same names that the sums of usage have, as far as a row says."""

from __future__ import annotations

import hashlib

import msgspec

from inspector.archive.subjects import Subject
from inspector.feedback.models import Series


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


def series_id_of(subject: Subject) -> int:
    """The number of the series, made where it is new."""
    kind = Kind(
        subject.model, subject.request_model, subject.vendor, subject.dialect, subject.key_id
    )
    found = _id(subject.team_id, kind)
    if found is None:
        row = Series(team_id=subject.team_id, digest=kind.digest, **msgspec.structs.asdict(kind))
        # Of two at once one is made.
        Series.objects.bulk_create([row], ignore_conflicts=True)
        found = _id(subject.team_id, kind)
    assert found is not None, "a series is never deleted"
    return found


def _id(team_id: int, kind: Kind) -> int | None:
    named = Series.objects.filter(team=team_id, digest=kind.digest)
    return named.values_list("pk", flat=True).first()
