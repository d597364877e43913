"""A search that takes too long answers with what comes next, and says how far it looked."""

from typing import Any
from uuid import UUID

import pytest

from inspector.archive.listing import search_part
from inspector.archive.listing.capture_values import CaptureList
from inspector.archive.listing.filters import Filters
from inspector.archive.listing.sort import Sort, SortKey
from inspector.archive.models import Capture
from inspector.archive.queries import Captures, for_principal
from inspector.database.portability import StatementTimeout
from tests.archive.samples import CUT, WHOLE, inspected
from tests.people import Person

pytestmark = pytest.mark.both_stacks


@pytest.fixture
def slow(monkeypatch: pytest.MonkeyPatch) -> None:
    """Looking through all captures takes too long; two at once do not."""

    def too_long(*_: object, **__: object) -> None:
        raise StatementTimeout

    monkeypatch.setattr(Captures, "page", too_long)
    monkeypatch.setattr(search_part, "PART_CAPTURES", 2)


def ids(found: CaptureList) -> list[UUID]:
    return [row.id for row in found.rows]


def called(capture_id: UUID) -> Any:
    return Capture.objects.get(pk=capture_id).called_at


CUT_OFF = Filters.of(verdict=("cut-off",))


def test_a_search_that_ends_in_time_is_whole(owner: Person) -> None:
    one, other = inspected(owner, CUT), inspected(owner, CUT)
    found = for_principal(owner.principal).search(filters=CUT_OFF)
    assert (ids(found), found.older, found.stopped_at) == ([other, one], None, None)


@pytest.mark.usefixtures("slow")
def test_a_search_goes_on_where_it_stopped_and_finds_all(owner: Person, stranger: Person) -> None:
    mine = [inspected(owner, body) for body in (CUT, WHOLE, WHOLE, CUT, WHOLE)]
    inspected(stranger, CUT)
    captures = for_principal(owner.principal)
    first = captures.search(filters=CUT_OFF)
    assert (ids(first), first.stopped_at) == ([mine[3]], called(mine[3]))
    second = captures.search(first.older, filters=CUT_OFF)
    assert (ids(second), second.stopped_at) == ([], called(mine[1]))
    with pytest.raises(StatementTimeout):
        captures.search(second.older, filters=CUT_OFF)


@pytest.mark.usefixtures("slow")
def test_a_page_that_is_full_has_nothing_to_tell(owner: Person) -> None:
    mine = [inspected(owner, CUT) for _ in range(3)]
    found = for_principal(owner.principal).search(limit=1, filters=CUT_OFF)
    assert (ids(found), found.stopped_at) == ([mine[2]], None)


@pytest.mark.usefixtures("slow")
def test_oldest_first_goes_on_upwards_and_by_size_the_newest_are_sorted(owner: Person) -> None:
    mine = [inspected(owner, body) for body in (CUT, WHOLE, CUT, WHOLE)]
    captures = for_principal(owner.principal)
    up = captures.search(filters=CUT_OFF, sort=Sort(is_descending=False))
    assert (ids(up), up.stopped_at) == ([mine[0]], called(mine[1]))
    largest = captures.search(sort=Sort(SortKey.SIZE))
    assert (ids(largest), largest.older) == ([mine[3], mine[2]], None)
    assert largest.stopped_at == called(mine[2])


@pytest.mark.usefixtures("slow")
def test_the_api_tells_where_it_stopped(owner: Person, teammate: Person) -> None:
    mine = [inspected(owner, body) for body in (CUT, WHOLE, WHOLE)]
    for person in (owner, teammate):
        answer = person.get("/api/v1/captures/?verdict=cut-off").json
        assert answer["captures"] == []
        assert answer["stopped_at"] is not None
        rest = person.get(f"/api/v1/captures/?verdict=cut-off&cursor={answer['next_cursor']}")
        assert (rest.status, rest.code) == (422, "took_too_long"), mine
