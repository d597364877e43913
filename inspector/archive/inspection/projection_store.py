"""Stores projections in one short transaction, and only while this process still has the lease."""

from collections import defaultdict
from collections.abc import Callable, Collection, Iterable, Sequence
from datetime import datetime
from typing import Any
from uuid import UUID

from django.db import transaction
from django.db.models.functions import Now

from inspector.archive import events, readouts
from inspector.archive.events import ProjectionChange
from inspector.archive.inspection import added_findings, claims
from inspector.archive.inspection.projection import READING, ProjectionRows
from inspector.archive.models import (
    Capture,
    ChoiceRow,
    Document,
    FindingRow,
    Inspection,
    RequestIdRow,
)
from inspector.database import bulk, write_turn
from inspector.database.fixed_query import FixedQuery, Given

_NOW_AND_INSPECTED = FixedQuery(
    lambda: Capture.objects.filter(pk__among=Given("ids")).values_list(Now(), "inspection")
)

MayReplace = Callable[[Sequence[Capture]], Collection[UUID]]
"""Returns which captures may be replaced. Called first inside the transaction; it locks the rows
that its answer depends on.
"""


def store_rows(afters: Sequence[ProjectionRows]) -> Collection[UUID]:
    """Store projections and return the captures that were stored. Captures whose lease was lost
    are left unchanged; an error undoes everything.
    """
    write_turn.give_way()
    return replace_rows(afters, claims.finish)


def replace_rows(afters: Sequence[ProjectionRows], may: MayReplace) -> Collection[UUID]:
    events.prepare()
    with transaction.atomic():
        allowed = may([rows.inspection.capture for rows in afters])
        allowed_rows = [rows for rows in afters if rows.inspection.capture_id in allowed]
        if allowed_rows:
            replace_in_transaction(allowed_rows)
    return allowed


def stored_rows(ids: Collection[UUID]) -> dict[UUID, ProjectionRows]:
    """Return the stored rows of inspected captures, by capture id."""
    inspections = Inspection.objects.in_bulk(ids) if ids else {}
    if not inspections:
        return {}
    documents = Document.objects.in_bulk(inspections)
    choices = _by_capture(ChoiceRow.objects.filter(capture__in=inspections).order_by("position"))
    findings = _by_capture(FindingRow.objects.filter(capture__in=inspections).order_by("position"))
    return {
        capture_id: ProjectionRows(
            inspection,
            documents[capture_id],
            tuple(choices[capture_id]),
            tuple(findings[capture_id]),
        )
        for capture_id, inspection in inspections.items()
    }


def _by_capture(rows: Iterable[Any]) -> dict[UUID, list[Any]]:
    found = defaultdict(list)
    for row in rows:
        found[row.capture_id].append(row)
    return found


def replace_in_transaction(afters: Sequence[ProjectionRows]) -> None:
    """For a caller that has locked the captures, and gave way before its transaction."""
    ids = [rows.inspection.capture_id for rows in afters]
    now, there = _now_and_inspected(ids)
    befores = stored_rows(there)
    for after in afters:
        after.inspection.inspected_at = now
        if before := befores.get(after.inspection.capture_id):
            _keep(before, after, now)
    if befores:
        # Before the new rows, which have the same keys.
        _remove(befores)
    _insert(afters)
    events.inspected(
        [ProjectionChange(befores.get(rows.inspection.capture_id), rows) for rows in afters]
    )


def _now_and_inspected(ids: Sequence[UUID]) -> tuple[datetime, list[UUID]]:
    """Return the database's time, which all hosts share, and those that were inspected before."""
    found = _NOW_AND_INSPECTED.rows(ids=ids)
    return found[0][0], [inspected for _, inspected in found if inspected]


def _keep(before: ProjectionRows, after: ProjectionRows, now: datetime) -> None:
    # The first inspection's time stays: lists and latencies are about when a capture was done.
    after.inspection.inspected_at = before.inspection.inspected_at
    added_findings.count_added_findings(after.inspection, before.findings)
    after.document.previous = readouts.without_tape(bytes(before.document.readout))
    after.document.reinspected_at = now


def _remove(ids: Collection[UUID]) -> None:
    Inspection.objects.filter(capture__in=ids).delete()
    Document.objects.filter(capture__in=ids).delete()
    ChoiceRow.objects.filter(capture__in=ids).delete()
    RequestIdRow.objects.filter(capture__in=ids).delete()
    # Added findings are for those who added them to replace.
    FindingRow.objects.filter(capture__in=ids, source=READING).delete()


def _insert(afters: Sequence[ProjectionRows]) -> None:
    bulk.bulk_insert([rows.inspection for rows in afters])
    bulk.bulk_insert([rows.document for rows in afters])
    bulk.bulk_insert([choice for rows in afters for choice in rows.choices])
    bulk.bulk_insert([finding for rows in afters for finding in rows.findings])
    bulk.bulk_insert([each for rows in afters for each in rows.request_ids])
