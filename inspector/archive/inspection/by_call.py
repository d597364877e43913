"""Iterates over a team's inspected captures by their calls, for background jobs (no principal)."""

from collections.abc import Collection, Iterator, Mapping
from datetime import datetime
from typing import NamedTuple
from uuid import UUID

from django.db.models import Exists, OuterRef

from inspector.archive.inspection.reinspection import REINSPECTION
from inspector.archive.models import Inspection
from inspector.work.models import WorkState
from inspector.work.queries import WorkOfKind

ROWS_AT_ONCE = 200
"""Those who look for a few examples stop after the first of many."""


class InspectedCall(NamedTuple):
    capture_id: UUID
    at: datetime


def newest_call(team_id: int) -> datetime | None:
    found = Inspection.objects.filter(team=team_id).order_by("-called_at", "-capture")
    return found.values_list("called_at", flat=True).first()


def has_any(team: OuterRef) -> Exists:
    """Return a condition: has the team any?"""
    return Exists(Inspection.objects.filter(team=team))


def existing_ids(ids: Collection[UUID]) -> set[UUID]:
    """Return the ids whose captures were not deleted."""
    return set(Inspection.objects.filter(pk__in=ids).values_list("pk", flat=True))


def has_newer(team: OuterRef, than: OuterRef) -> Exists:
    """Return a condition: is there a capture of the team of a call after a moment?"""
    return Exists(Inspection.objects.filter(team=team, called_at__gt=than))


def was_reinspected(team: OuterRef, since: OuterRef) -> Exists:
    """Return a condition: was all that older versions read of the team read again by then?"""
    finished = WorkOfKind(REINSPECTION, None).rows().filter(state=WorkState.FINISHED)
    return Exists(finished.filter(team=team, finished_at__gt=since))


def inspected_between(
    team_id: int,
    hours: tuple[datetime, datetime],
    of: Mapping[str, str | None],
    most: int,
    *,
    last_first: bool = False,
) -> Iterator[list[InspectedCall]]:
    """Yield inspected captures of calls within ``hours`` in batches, in the order of calls.
    ``of`` filters by columns of the inspection; None matches null.
    """
    start, end = hours
    rows = Inspection.objects.filter(team=team_id, called_at__gte=start, called_at__lt=end)
    for column, value in of.items():
        rows = rows.filter(**{f"{column}__isnull": True} if value is None else {column: value})
    order = ("-called_at", "-capture") if last_first else ("called_at", "capture")
    found = rows.order_by(*order).values_list("capture", "called_at")
    for first in range(0, most, ROWS_AT_ONCE):
        some = [InspectedCall(*row) for row in found[first : min(first + ROWS_AT_ONCE, most)]]
        yield some
        if len(some) < ROWS_AT_ONCE:
            return
