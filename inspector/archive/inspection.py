"""Storing: the projection is replaced in one short transaction, if the lease is still ours."""

from __future__ import annotations

from collections.abc import Callable

from django.conf import settings
from django.db import transaction
from django.db.models.functions import Now
from django.utils.module_loading import import_string

from inspector.archive import claims
from inspector.archive.models import Capture, ChoiceRow, Document, FindingRow, Inspection
from inspector.archive.projection import READING, Rows, project
from inspector.core.analysis import Analysis
from inspector.core.exchange import Exchange

Projection = Callable[[Rows | None, Rows | None], None]
"""Called with the rows before (None: the first inspection) and after (None: a deletion)."""


def store(capture: Capture, exchange: Exchange, analysis: Analysis) -> bool:
    """False where somebody else holds the row by now: then nothing is changed."""
    return replace(capture, project(capture, exchange, analysis), claims.finish)


def replace(capture: Capture, after: Rows, may: Callable[[Capture], bool]) -> bool:
    """``may`` is the first question inside the transaction, and locks what its answer rests on."""
    with transaction.atomic():
        if not may(capture):
            return False
        before = stored(capture)
        if before is not None:
            _remove(capture, before, after)
        _insert(after)
        tell_projections(before, after)
    return True


def tell_projections(before: Rows | None, after: Rows | None) -> None:
    for path in settings.PROJECTIONS:
        import_string(path)(before, after)


def stored(capture: Capture) -> Rows | None:
    inspection = Inspection.objects.filter(capture=capture).first()
    if inspection is None:
        return None
    return Rows(
        inspection=inspection,
        document=Document.objects.get(capture=capture),
        choices=tuple(ChoiceRow.objects.filter(capture=capture).order_by("position")),
        findings=tuple(FindingRow.objects.filter(capture=capture).order_by("position")),
    )


def _remove(capture: Capture, before: Rows, after: Rows) -> None:
    after.inspection.inspected_at = before.inspection.inspected_at
    after.document.previous = before.document.analysis
    after.document.reinspected_at = Now()
    Inspection.objects.filter(capture=capture).delete()
    Document.objects.filter(capture=capture).delete()
    ChoiceRow.objects.filter(capture=capture).delete()
    # The findings of a projection are its own to replace.
    FindingRow.objects.filter(capture=capture, source=READING).delete()


def _insert(rows: Rows) -> None:
    rows.inspection.save(force_insert=True)
    rows.document.save(force_insert=True)
    ChoiceRow.objects.bulk_create(rows.choices)
    FindingRow.objects.bulk_create(rows.findings)
