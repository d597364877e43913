"""The narrowed list that a page of one capture was reached from, and where in it the capture is."""

from __future__ import annotations

from dataclasses import dataclass
from uuid import UUID

from inspector.archive.database import TookTooLong
from inspector.archive.neighbours import Place
from inspector.archive.queries import Captures
from inspector.dashboard.narrowed import Narrowed

MANY = "many"


@dataclass(frozen=True, slots=True)
class Listed:
    narrowed: Narrowed
    place: Place | None
    """None where counting took too long."""

    @property
    def query(self) -> str:
        return self.narrowed.query

    @property
    def names(self) -> tuple[str, ...]:
        """What the list is narrowed by, as it is written in the bar above it."""
        return tuple(f"{each.name}:{each.value}" for each in self.narrowed.conditions.all)

    @property
    def position(self) -> str:
        return in_words(self.place.position if self.place else None)

    @property
    def total(self) -> str:
        return in_words(self.place.total if self.place else None)


def listed(captures: Captures, id: UUID, narrowed: Narrowed) -> Listed | None:
    """None for the whole archive: nobody counts that."""
    if not narrowed.query:
        return None
    try:
        return Listed(narrowed, captures.place(id, narrowed.conditions.filters))
    except TookTooLong:
        return Listed(narrowed, None)


def in_words(number: int | None) -> str:
    return MANY if number is None else f"{number:,}"
