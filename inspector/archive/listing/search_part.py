"""A part of the archive that is searched where all takes too long: what comes next in the list."""

from dataclasses import dataclass

from django.db.models import Q, QuerySet

from inspector.archive.listing.cursor import Cursor, Order
from inspector.archive.listing.sort import Sort
from inspector.archive.models import Capture

WHOLE_MILLISECONDS = 1_500
PART_MILLISECONDS = 500
"""After those for the whole: an answer takes two seconds at most."""
PART_CAPTURES = 10_000
"""Looked at one by one; a part without a hit says so and leads to the next."""


@dataclass(frozen=True, slots=True)
class SearchPart:
    """Captures up to ``last`` in the order of the list; ``beyond`` is the one that follows."""

    last: Cursor
    beyond: Cursor
    is_newest_first: bool

    def holds(self, order: Order) -> Q:
        return self.beyond.newer(order) if self.is_newest_first else self.beyond.older(order)


def next_part(captures: QuerySet[Capture], before: str | None, sort: Sort) -> SearchPart | None:
    """Return the part behind the cursor of a list by calls, else the newest; None at the end."""
    is_newest_first = sort.is_descending or not sort.is_usual
    order = Order()
    if before is not None and sort.is_usual:
        cursor = Cursor.parse(before)
        captures = captures.filter(cursor.older(order) if is_newest_first else cursor.newer(order))
    ordered = captures.order_by(*(order.newest_first if is_newest_first else order.oldest_first))
    ends = list(ordered.values_list("called_at", "id")[PART_CAPTURES - 1 : PART_CAPTURES + 1])
    if len(ends) < 2:
        return None
    last, beyond = (Cursor(*each) for each in ends)
    return SearchPart(last, beyond, is_newest_first)
