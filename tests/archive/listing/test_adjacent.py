from typing import Any
from uuid import UUID

import pytest

from inspector.archive.listing import adjacent
from inspector.archive.listing.filters import NO_FILTERS, Filters
from inspector.archive.queries import for_principal
from tests.archive.samples import CUT, WHOLE, inspected
from tests.people import Person

pytestmark = pytest.mark.both_stacks

COMPLETE = Filters.of(verdict=("complete",))


def beside(
    person: Person, capture_id: UUID, filters: Filters = NO_FILTERS
) -> tuple[UUID | None, UUID | None]:
    page = for_principal(person.principal).opened(capture_id, filters)
    assert page is not None
    return page.newer, page.older


def test_neighbours_are_those_of_the_narrowed_list(owner: Person) -> None:
    ids = [inspected(owner, body) for body in (WHOLE, CUT, WHOLE, CUT)]
    assert beside(owner, ids[2]) == (ids[3], ids[1])
    assert beside(owner, ids[2], COMPLETE) == (None, ids[0])
    assert beside(owner, ids[1], COMPLETE) == (ids[2], ids[0]), "it need not be in the list itself"


def test_a_place_is_counted_on_both_sides(owner: Person) -> None:
    ids = [inspected(owner, body) for body in (WHOLE, CUT, WHOLE, WHOLE)]
    place = for_principal(owner.principal).place(ids[2], COMPLETE)
    assert place is not None
    assert (place.position, place.total) == (2, 3)


def test_of_a_long_list_only_so_much_is_counted(owner: Person, monkeypatch: Any) -> None:
    monkeypatch.setattr(adjacent, "MAX_COUNTED", 1)
    ids = [inspected(owner) for _ in range(4)]
    place = for_principal(owner.principal).place(ids[2], NO_FILTERS)
    assert place is not None
    assert (place.position, place.total) == (2, None)
    oldest = for_principal(owner.principal).place(ids[0], NO_FILTERS)
    assert oldest is not None
    assert (oldest.position, oldest.total) == (None, None)


def test_a_stranger_stands_beside_nobody(owner: Person, teammate: Person, stranger: Person) -> None:
    first = inspected(owner)
    inspected(stranger)
    second = inspected(owner)
    assert beside(owner, first, COMPLETE) == beside(teammate, first, COMPLETE) == (second, None)
    captures = for_principal(stranger.principal)
    assert captures.opened(first, COMPLETE) is None
    assert captures.place(first, COMPLETE) is None
