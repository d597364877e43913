"""Finds a capture's neighbours and position in a filtered list of its team."""

from contextlib import nullcontext
from dataclasses import dataclass
from uuid import UUID

from django.db.models import Q, QuerySet

from inspector.archive.listing.cursor import Cursor
from inspector.archive.listing.filters import NO_FILTERS, Filters
from inspector.archive.models import Capture
from inspector.database import portability

MAX_COUNTED = 200
"""Captures on either side; beyond them there are "many"."""
LIMIT_MILLISECONDS = 1_000
"""The page is shown without what takes longer."""


@dataclass(frozen=True, slots=True)
class AdjacentCounts:
    """Number of newer and of older captures; None where there are more than are counted."""

    newer: int | None
    older: int | None

    @property
    def position(self) -> int | None:
        """Position in the list; 1 is the newest."""
        return None if self.newer is None else self.newer + 1

    @property
    def total(self) -> int | None:
        if self.newer is None or self.older is None:
            return None
        return self.newer + 1 + self.older


def adjacent_ids(
    captures: QuerySet[Capture], here: Capture, filters: Filters
) -> tuple[UUID | None, UUID | None]:
    """Return the ids of the newer and older neighbour; both None where that takes too long."""
    newer = _newer(captures, here, filters).order_by(*filters.order.oldest_first)
    older = _older(captures, here, filters).order_by(*filters.order.newest_first)
    limited = nullcontext() if filters == NO_FILTERS else portability.time_limit(LIMIT_MILLISECONDS)
    try:
        with limited:
            return _first(newer), _first(older)
    except portability.StatementTimeout:
        return None, None


def _first(rows: QuerySet[Capture]) -> UUID | None:
    return rows.values_list("id", flat=True).first()


def count_adjacent(captures: QuerySet[Capture], here: Capture, filters: Filters) -> AdjacentCounts:
    with portability.time_limit(LIMIT_MILLISECONDS):
        return AdjacentCounts(
            _count_up_to_limit(_newer(captures, here, filters)),
            _count_up_to_limit(_older(captures, here, filters)),
        )


def _newer(captures: QuerySet[Capture], here: Capture, filters: Filters) -> QuerySet[Capture]:
    return _matching_beyond(captures, here, filters, _cursor(here).newer(filters.order))


def _older(captures: QuerySet[Capture], here: Capture, filters: Filters) -> QuerySet[Capture]:
    return _matching_beyond(captures, here, filters, _cursor(here).older(filters.order))


def _matching_beyond(
    captures: QuerySet[Capture], here: Capture, filters: Filters, beyond: Q
) -> QuerySet[Capture]:
    # One team, although the reader may see several: an index begins with the team.
    of_team = captures.filter(beyond, team=here.team_id)
    return filters.narrow(of_team, [here.team_id])


def _cursor(here: Capture) -> Cursor:
    return Cursor(here.called_at, here.id)


def _count_up_to_limit(rows: QuerySet[Capture]) -> int | None:
    # One row more than the limit tells "exactly the limit" from "more".
    number = rows.order_by()[: MAX_COUNTED + 1].count()
    return number if number <= MAX_COUNTED else None
