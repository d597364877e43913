"""The most severe finding of each row of a list, by one statement for all of them."""

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from uuid import UUID

from django.db.models import Case, IntegerField, OuterRef, QuerySet, Subquery, Value, When

from inspector.archive.models import Capture, FindingRow
from inspector.core.findings import Severity


@dataclass(frozen=True, slots=True)
class WorstFinding:
    """The first finding of the highest severity that a capture has."""

    code: str
    severity: str
    message: str


def worst_findings(
    captures: QuerySet[Capture], ids: Collection[UUID]
) -> Mapping[UUID, WorstFinding]:
    """Return the worst finding of each capture; captures without findings are left out."""
    rank = Case(
        *(When(severity=each, then=Value(number)) for number, each in enumerate(Severity)),
        default=Value(len(Severity)),
        output_field=IntegerField(),
    )
    own = FindingRow.objects.filter(capture=OuterRef("pk"))
    # A capture has two hundred of them at most, found by the index that begins with the capture.
    first = own.order_by(rank, "position", "pk").values("pk")[:1]
    worst = captures.filter(pk__in=ids).order_by().annotate(worst=Subquery(first)).values("worst")
    columns = FindingRow.objects.filter(pk__in=worst).values_list(
        "capture", "code", "severity", "message"
    )
    return {capture_id: WorstFinding(*found) for capture_id, *found in columns}
