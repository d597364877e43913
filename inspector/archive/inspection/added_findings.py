"""Stores findings that are added to those of the rules (``core.rules.added_findings``), each under
the name of its source.

Callers are inside the transaction that stores inspections, or have locked the captures
(``lock_inspected``).
"""

from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from uuid import UUID

from django.db.models import F

from inspector.archive.inspection.projection import FINDING_ROWS, READING, finding_row
from inspector.archive.models import Capture, FindingRow, Inspection, State
from inspector.core.findings import Finding, Severity, Where
from inspector.database import bulk
from inspector.database.portability import skip_locked

Severities = Counter[str]


def lock_inspected(ids: Collection[UUID]) -> set[UUID]:
    """Lock the inspected captures among ``ids`` until the transaction ends, and return their ids.

    Rows are locked in the order of their ids, so that two transactions cannot deadlock.
    """
    inspected = Capture.objects.filter(pk__in=ids, state=State.INSPECTED).order_by("pk")
    # Reinspection replaces all rows of a capture: it is before or after, never between.
    return set(inspected.select_for_update().values_list("pk", flat=True))


def lock_free(ids: Collection[UUID]) -> set[UUID]:
    """Lock the captures among ``ids`` that no other transaction holds, and return their ids."""
    rows = Capture.objects.filter(pk__in=ids).order_by("pk").only("pk")
    return {each.pk for each in skip_locked(rows)}


def replace_findings(
    source: str, found: Mapping[UUID, Sequence[Finding]], known: Collection[UUID]
) -> None:
    """Replace all findings of one source. ``found``: the findings of each capture from now on.
    ``known``: the captures that may already have findings of this source; no others are queried.
    """
    before = _severities_of(source, known) if known else {}
    rows = [
        row for capture_id, findings in found.items() for row in _rows(capture_id, source, findings)
    ]
    if before:
        FindingRow.objects.filter(capture__in=before, source=source).delete()
    bulk.bulk_insert(rows)
    after: dict[UUID, Severities] = defaultdict(Counter)
    for row in rows:
        after[row.capture_id][row.severity] += 1
    _count(before, after)


def findings_of(rows: Iterable[FindingRow]) -> tuple[Finding, ...]:
    return tuple(
        Finding(
            code=row.code,
            severity=Severity(row.severity),
            message=row.message,
            where=Where(
                pointer=row.pointer,
                event=row.event,
                byte_start=row.byte_start,
                byte_end=row.byte_end,
            ),
        )
        for row in rows
    )


def findings_added_to(capture_id: UUID) -> tuple[Finding, ...]:
    """Return the added findings on one capture, by source and position."""
    rows = FindingRow.objects.filter(capture=capture_id).exclude(source=READING)
    return findings_of(rows.order_by("source", "position"))


def count_added_findings(inspection: Inspection, findings: Iterable[FindingRow]) -> None:
    """Add the added findings to the severity counts of a new inspection. A new reading replaces
    only its own findings, so these still exist and must be counted again.
    """
    for row in findings:
        if row.source != READING:
            name = f"{row.severity}_count"
            setattr(inspection, name, getattr(inspection, name) + 1)


def _rows(capture_id: UUID, source: str, findings: Sequence[Finding]) -> Iterable[FindingRow]:
    for position, finding in enumerate(findings[:FINDING_ROWS]):
        yield finding_row(capture_id, source, position, finding)


def _severities_of(source: str, ids: Collection[UUID]) -> dict[UUID, Severities]:
    found: dict[UUID, Severities] = defaultdict(Counter)
    rows = FindingRow.objects.filter(capture__in=ids, source=source)
    for capture_id, severity in rows.values_list("capture", "severity"):
        found[capture_id][severity] += 1
    return found


def _count(before: Mapping[UUID, Severities], after: Mapping[UUID, Severities]) -> None:
    # One statement for all inspections whose counter changes by the same number.
    alike: dict[tuple[str, int], list[UUID]] = defaultdict(list)
    for capture_id in sorted(before.keys() | after.keys()):
        for severity in Severity:
            change = (
                after.get(capture_id, Counter())[severity]
                - before.get(capture_id, Counter())[severity]
            )
            if change:
                alike[f"{severity}_count", change].append(capture_id)
    for (name, change), ids in alike.items():
        Inspection.objects.filter(pk__in=ids).update(**{name: F(name) + change})
