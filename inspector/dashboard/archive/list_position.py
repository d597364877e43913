"""Position of a capture within the filtered list its page was opened from."""

from dataclasses import dataclass
from uuid import UUID

from inspector.archive.listing.adjacent import AdjacentCounts
from inspector.archive.queries import Captures
from inspector.dashboard.archive.filter_bar import FilterBar
from inspector.database.portability import StatementTimeout

TOO_MANY_TO_COUNT = "many"


@dataclass(frozen=True, slots=True)
class ListPosition:
    filter_bar: FilterBar
    place: AdjacentCounts | None
    """None if counting took too long."""

    @property
    def query(self) -> str:
        return self.filter_bar.query

    @property
    def names(self) -> tuple[str, ...]:
        """The parts of the query, as written."""
        return tuple(map(str, self.filter_bar.conditions.query.parts))

    @property
    def position(self) -> str:
        return number_or_many(self.place.position if self.place else None)

    @property
    def total(self) -> str:
        return number_or_many(self.place.total if self.place else None)


def find_list_position(
    captures: Captures, capture_id: UUID, filter_bar: FilterBar
) -> ListPosition | None:
    """Return the capture's position, or None for the unfiltered archive, which is not counted."""
    if not filter_bar.query:
        return None
    try:
        return ListPosition(filter_bar, captures.place(capture_id, filter_bar.conditions.filters))
    except StatementTimeout:
        return ListPosition(filter_bar, None)


def number_or_many(number: int | None) -> str:
    return TOO_MANY_TO_COUNT if number is None else f"{number:,}"
