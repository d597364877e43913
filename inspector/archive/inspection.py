"""Storing: projections are replaced in one short transaction, where the lease is still ours."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from datetime import datetime
from typing import Any, NamedTuple
from uuid import UUID

from django.conf import settings
from django.db import transaction
from django.db.models.functions import Now
from django.utils.module_loading import import_string

from inspector.archive import added, bulk, claims
from inspector.archive.models import Capture, ChoiceRow, Document, FindingRow, Inspection
from inspector.archive.projection import READING, Rows


class Replaced(NamedTuple):
    """The projection of one capture as it was and as it is."""

    before: Rows | None
    """None: the first inspection."""
    after: Rows | None
    """None: a deletion."""


Projection = Callable[[Sequence[Replaced]], Mapping[str, int] | None]
"""Called once with all that one transaction stores or deletes; it may say how many of its own went
with what was deleted, for the receipt.
"""
May = Callable[[Sequence[Capture]], Collection[UUID]]
"""Which of them may be replaced: the first question inside the transaction, which locks what its
answer rests on.
"""


def store(afters: Sequence[Rows]) -> Collection[UUID]:
    """The captures that were stored; others are somebody else's by now, nothing of them is changed.

    Of an error nothing remains.
    """
    return replace(afters, claims.finish)


def replace(afters: Sequence[Rows], may: May) -> Collection[UUID]:
    projections()
    with transaction.atomic():
        allowed = may([rows.inspection.capture for rows in afters])
        kept = [rows for rows in afters if rows.inspection.capture_id in allowed]
        if kept:
            _replace(kept)
    return allowed


def projections() -> tuple[Projection, ...]:
    """Imported before the transaction that they are told in: that may take them long, once."""
    return tuple(import_string(path) for path in settings.PROJECTIONS)


def tell_projections(replaced: Sequence[Replaced]) -> dict[str, int]:
    """What they say together."""
    said: dict[str, int] = {}
    for projection in projections():
        said |= projection(replaced) or {}
    return said


def stored(ids: Collection[UUID]) -> dict[UUID, Rows]:
    """By capture, where there is an inspection."""
    inspections = Inspection.objects.in_bulk(ids)
    if not inspections:
        return {}
    documents = Document.objects.in_bulk(inspections)
    choices = _by_capture(ChoiceRow.objects.filter(capture__in=inspections).order_by("position"))
    findings = _by_capture(FindingRow.objects.filter(capture__in=inspections).order_by("position"))
    return {
        id: Rows(inspection, documents[id], tuple(choices[id]), tuple(findings[id]))
        for id, inspection in inspections.items()
    }


def _by_capture(rows: Iterable[Any]) -> dict[UUID, list[Any]]:
    found = defaultdict(list)
    for row in rows:
        found[row.capture_id].append(row)
    return found


def _replace(afters: Sequence[Rows]) -> None:
    ids = [rows.inspection.capture_id for rows in afters]
    befores = stored(ids)
    now = _now(ids)
    for after in afters:
        after.inspection.inspected_at = now
        if before := befores.get(after.inspection.capture_id):
            _keep(before, after, now)
    if befores:
        _remove(befores)
    _insert(afters)
    tell_projections([Replaced(befores.get(rows.inspection.capture_id), rows) for rows in afters])


def _now(ids: Sequence[UUID]) -> datetime:
    """By the database's clock, which all hosts share."""
    now: datetime = Capture.objects.filter(pk=ids[0]).values_list(Now(), flat=True).get()
    return now


def _keep(before: Rows, after: Rows, now: datetime) -> None:
    after.inspection.inspected_at = before.inspection.inspected_at
    added.count_kept(after.inspection, before.findings)
    after.document.previous = before.document.analysis
    after.document.reinspected_at = now


def _remove(ids: Collection[UUID]) -> None:
    Inspection.objects.filter(capture__in=ids).delete()
    Document.objects.filter(capture__in=ids).delete()
    ChoiceRow.objects.filter(capture__in=ids).delete()
    # The findings of a projection are its own to replace.
    FindingRow.objects.filter(capture__in=ids, source=READING).delete()


def _insert(afters: Sequence[Rows]) -> None:
    bulk.insert([rows.inspection for rows in afters])
    bulk.insert([rows.document for rows in afters])
    bulk.insert([choice for rows in afters for choice in rows.choices])
    bulk.insert([finding for rows in afters for finding in rows.findings])
