"""A capture's place in a list of its team that filters narrow."""

from __future__ import annotations

from contextlib import nullcontext
from dataclasses import dataclass
from uuid import UUID

from django.db.models import Q, QuerySet

from inspector.archive import database
from inspector.archive.cursor import Cursor
from inspector.archive.filters import ALL, Filters
from inspector.archive.models import Capture

COUNTED = 200
"""Captures on either side; beyond them there are "many"."""
LIMIT_MILLISECONDS = 1_000


@dataclass(frozen=True, slots=True)
class Place:
    """None where there are more than are counted on that side."""

    newer: int | None
    older: int | None

    @property
    def position(self) -> int | None:
        """From 1, the newest."""
        return None if self.newer is None else self.newer + 1

    @property
    def total(self) -> int | None:
        if self.newer is None or self.older is None:
            return None
        return self.newer + 1 + self.older


def beside(
    captures: QuerySet[Capture], here: Capture, filters: Filters
) -> tuple[UUID | None, UUID | None]:
    """The newer and the older one; neither where finding them takes too long."""
    newer = _newer(captures, here, filters).order_by(*filters.order.oldest_first)
    older = _older(captures, here, filters).order_by(*filters.order.newest_first)
    limited = nullcontext() if filters == ALL else database.time_limit(LIMIT_MILLISECONDS)
    try:
        with limited:
            return _first(newer), _first(older)
    except database.TookTooLong:
        return None, None


def _first(rows: QuerySet[Capture]) -> UUID | None:
    return rows.values_list("id", flat=True).first()


def place_of(captures: QuerySet[Capture], here: Capture, filters: Filters) -> Place:
    with database.time_limit(LIMIT_MILLISECONDS):
        return Place(
            _counted(_newer(captures, here, filters)), _counted(_older(captures, here, filters))
        )


def _newer(captures: QuerySet[Capture], here: Capture, filters: Filters) -> QuerySet[Capture]:
    return _beside(captures, here, filters, _cursor(here).newer(filters.order))


def _older(captures: QuerySet[Capture], here: Capture, filters: Filters) -> QuerySet[Capture]:
    return _beside(captures, here, filters, _cursor(here).older(filters.order))


def _beside(
    captures: QuerySet[Capture], here: Capture, filters: Filters, beyond: Q
) -> QuerySet[Capture]:
    of_team = captures.filter(beyond, team=here.team_id)
    return filters.narrow(of_team, [here.team_id])


def _cursor(here: Capture) -> Cursor:
    return Cursor(here.received_at, here.id)


def _counted(rows: QuerySet[Capture]) -> int | None:
    number = rows.order_by()[: COUNTED + 1].count()
    return number if number <= COUNTED else None
