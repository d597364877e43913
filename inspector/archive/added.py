"""Findings that a projection adds to those of reading: under its own name, counted with the others.

Called inside the transaction that a projection was called in, or in one that holds the captures.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from uuid import UUID

from django.db.models import F

from inspector.archive import bulk
from inspector.archive.models import Capture, FindingRow, Inspection, State
from inspector.archive.projection import FINDING_ROWS, READING, finding_row
from inspector.core.findings import Finding, Severity, Where

Severities = Counter[str]


def hold(ids: Collection[UUID]) -> set[UUID]:
    """Those that are inspected: until the transaction ends nobody reads one again or deletes it.

    In one order, so that of two who want the same captures one waits for the other.
    """
    held = Capture.objects.filter(pk__in=ids, state=State.INSPECTED).order_by("pk")
    return set(held.select_for_update().values_list("pk", flat=True))


def replace(source: str, found: Mapping[UUID, Sequence[Finding]], known: Collection[UUID]) -> None:
    """``found``: all that there is to say of these captures now. ``known``: those among them that
    may have findings of this source already; nothing is asked about others.
    """
    before = _severities_of(source, known) if known else {}
    rows = [row for id, findings in found.items() for row in _rows(id, source, findings)]
    if before:
        FindingRow.objects.filter(capture__in=before, source=source).delete()
    bulk.insert(rows)
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


def of_capture(id: UUID) -> tuple[Finding, ...]:
    rows = FindingRow.objects.filter(capture=id).exclude(source=READING)
    return findings_of(rows.order_by("source", "position"))


def count_kept(inspection: Inspection, findings: Iterable[FindingRow]) -> None:
    """Into an inspection that reading alone has counted: what projections had added and is kept."""
    for row in findings:
        if row.source != READING:
            name = f"{row.severity}_count"
            setattr(inspection, name, getattr(inspection, name) + 1)


def _rows(id: UUID, source: str, findings: Sequence[Finding]) -> Iterable[FindingRow]:
    for position, finding in enumerate(findings[:FINDING_ROWS]):
        yield finding_row(id, source, position, finding)


def _severities_of(source: str, ids: Collection[UUID]) -> dict[UUID, Severities]:
    found: dict[UUID, Severities] = defaultdict(Counter)
    rows = FindingRow.objects.filter(capture__in=ids, source=source)
    for id, severity in rows.values_list("capture", "severity"):
        found[id][severity] += 1
    return found


def _count(before: Mapping[UUID, Severities], after: Mapping[UUID, Severities]) -> None:
    """One statement for all inspections that change by the same."""
    alike: dict[tuple[str, int], list[UUID]] = defaultdict(list)
    for id in sorted(before.keys() | after.keys()):
        for severity in Severity:
            change = after.get(id, Counter())[severity] - before.get(id, Counter())[severity]
            if change:
                alike[f"{severity}_count", change].append(id)
    for (name, change), ids in alike.items():
        Inspection.objects.filter(pk__in=ids).update(**{name: F(name) + change})
