"""The most severe finding of each row of a list, by one statement for all of them."""

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass
from uuid import UUID

from django.db.models import Case, F, IntegerField, OuterRef, QuerySet, Subquery, Value, When

from inspector.archive.models import Capture, FindingRow
from inspector.core.findings import BREAKS_FIRST, Severity


@dataclass(frozen=True, slots=True)
class WorstFinding:
    """The first finding of a capture by their rank."""

    code: str
    severity: str
    message: str


def _rank(field: str, values: Iterable[str]) -> Case:
    whens = [When(**{field: each}, then=Value(rank)) for rank, each in enumerate(values)]
    return Case(*whens, default=Value(len(whens)), output_field=IntegerField())


_BY_RANK = (
    _rank("severity", Severity),
    _rank("code__startswith", BREAKS_FIRST),
    F("byte_start").asc(nulls_last=True),
    *("position", "pk"),
)
"""As ``by_rank`` sorts them on a capture's page."""


def worst_findings(
    captures: QuerySet[Capture], ids: Collection[UUID]
) -> Mapping[UUID, WorstFinding]:
    """Return the worst finding of each capture; captures without findings are left out."""
    own = FindingRow.objects.filter(capture=OuterRef("pk"))
    # A capture has two hundred of them at most, found by the index that begins with the capture.
    first = own.order_by(*_BY_RANK).values("pk")[:1]
    worst = captures.filter(pk__in=ids).order_by().annotate(worst=Subquery(first)).values("worst")
    columns = FindingRow.objects.filter(pk__in=worst).values_list(
        "capture", "code", "severity", "message"
    )
    return {capture_id: WorstFinding(*found) for capture_id, *found in columns}
