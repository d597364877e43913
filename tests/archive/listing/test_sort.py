"""Lists are sorted in both directions, and paged without leaving out or telling twice."""

from datetime import UTC, datetime, timedelta
from uuid import UUID

import pytest

from inspector.archive.intake.submission import Submission
from inspector.archive.listing.cursor import BadCursor, Cursor
from inspector.archive.listing.filters import NO_FILTERS, Filters
from inspector.archive.listing.sort import NEWEST_FIRST, Sort, SortCursor, SortKey
from inspector.archive.models import Capture, Inspection
from inspector.archive.queries import Captures, for_principal
from inspector.core.wire.exchange import Exchange
from inspector.usage.models import Price
from tests.archive.samples import WHOLE, accept, accept_arrival, inspect_all
from tests.people import Person

pytestmark = pytest.mark.both_stacks

ID = UUID("01a1fdb2-29f4-7c2f-bde3-75876d35c5fd")
AT = datetime(2026, 3, 1, 12, 30, 15, 123456, UTC)


def seen_by(person: Person) -> Captures:
    return for_principal(person.principal)


@pytest.mark.parametrize("key", SortKey)
def test_a_sort_survives_its_text(key: SortKey) -> None:
    for is_descending in (True, False):
        sort = Sort(key, is_descending)
        assert Sort.parse(str(sort)) == sort
    assert str(Sort(SortKey.COST)) == "-cost"


@pytest.mark.parametrize("text", ["", "-", "--cost", "price", "cost ", "first_token_us", "-id"])
def test_another_name_is_no_sort(text: str) -> None:
    assert Sort.parse(text) is None


@pytest.mark.parametrize("value", [0, -5, 2_410_000, None])
def test_a_sort_cursor_survives_its_text(value: int | None) -> None:
    cursor = SortCursor(value, Cursor(AT, ID))
    assert SortCursor.parse(str(cursor)) == cursor


@pytest.mark.parametrize(
    "text",
    ["", "5", "1772368215123456-01a1fdb229f47c2fbde375876d35c5fd", "x.1-" + "0" * 32,
     "9999999999999999999.1-" + "0" * 32, "none.", "٣.1-" + "0" * 32],
)  # fmt: skip
def test_what_the_archive_never_gave_out_is_no_cursor(text: str) -> None:
    with pytest.raises(BadCursor):
        SortCursor.parse(text)


TIMES = (300, None, 100, 300, None, 200)


def with_first_tokens(owner: Person) -> list[UUID]:
    """Captures of ``TIMES``, the oldest first."""
    ids = [accept(owner) for _ in TIMES]
    inspect_all()
    for capture_id, us in zip(ids, TIMES, strict=True):
        Inspection.objects.filter(pk=capture_id).update(first_token_us=us)
    return ids


def pages(captures: Captures, sort: Sort, filters: Filters = NO_FILTERS) -> list[UUID]:
    """All pages of two, one behind the other."""
    found: list[UUID] = []
    before = None
    while True:
        page = captures.page(before, limit=2, filters=filters, sort=sort)
        found += [row.id for row in page.rows]
        before = page.older
        if before is None:
            return found


def test_both_directions_end_with_those_without_a_value_newest_first(owner: Person) -> None:
    ids = with_first_tokens(owner)
    captures = seen_by(owner)
    slowest = pages(captures, Sort(SortKey.FIRST_TOKEN))
    fastest = pages(captures, Sort(SortKey.FIRST_TOKEN, is_descending=False))
    assert slowest == [ids[n] for n in (3, 0, 5, 2, 4, 1)]
    assert fastest == [ids[n] for n in (2, 5, 0, 3, 4, 1)]


def test_uninspected_captures_have_no_value_yet(owner: Person) -> None:
    ids = with_first_tokens(owner)
    waiting = accept(owner)
    assert pages(seen_by(owner), Sort(SortKey.FIRST_TOKEN))[4:] == [waiting, ids[4], ids[1]]


def test_a_sorted_list_keeps_to_its_filters(owner: Person) -> None:
    ids = with_first_tokens(owner)
    Inspection.objects.filter(pk__in=ids[3:]).update(verdict="cut-off")
    cut_off = Filters.of(verdict=("cut-off",))
    found = pages(seen_by(owner), Sort(SortKey.FIRST_TOKEN), cut_off)
    assert found == [ids[3], ids[5], ids[4]]


@pytest.mark.parametrize("key", SortKey)
@pytest.mark.parametrize("is_descending", [True, False])
def test_every_order_tells_each_capture_once_and_to_its_team_alone(
    key: SortKey, is_descending: bool, owner: Person, teammate: Person, stranger: Person
) -> None:
    mine = [accept(owner) for _ in range(5)]
    theirs = accept(stranger)
    inspect_all()
    sort = Sort(key, is_descending)
    assert sorted(pages(seen_by(owner), sort)) == sorted(mine)
    assert pages(seen_by(teammate), sort) == pages(seen_by(owner), sort)
    assert pages(seen_by(stranger), sort) == [theirs]


def test_the_oldest_can_come_first(owner: Person) -> None:
    ids = [accept(owner) for _ in range(5)]
    assert pages(seen_by(owner), Sort(is_descending=False)) == ids
    assert pages(seen_by(owner), Sort()) == ids[::-1]


def test_the_cost_is_the_one_that_is_listed(owner: Person) -> None:
    ids = [accept(owner) for _ in range(3)]
    inspect_all()
    for capture_id, amount in zip(ids, (500, None, 900), strict=True):
        Price.objects.filter(pk=capture_id).update(listed_ticks=amount)
    assert pages(seen_by(owner), Sort(SortKey.COST)) == [ids[2], ids[0], ids[1]]
    cheapest = Sort(SortKey.COST, is_descending=False)
    assert pages(seen_by(owner), cheapest) == [ids[0], ids[2], ids[1]]


STARTS = ("2026-09-03", None, "2026-09-01", "2026-09-03", "1970-01-01", "2026-09-02")


def test_calls_go_by_their_start_or_their_arrival_where_none_is_told_or_can_be(
    owner: Person,
) -> None:
    exchange = Exchange.of_body(WHOLE)
    ids = [
        accept_arrival(
            owner,
            Submission(
                exchange, started_at=datetime.fromisoformat(f"{day}T12:00Z") if day else None
            ),
        ).id
        for day in STARTS
    ]
    captures, earliest = seen_by(owner), Sort(is_descending=False)
    assert pages(captures, NEWEST_FIRST) == [ids[n] for n in (4, 1, 3, 0, 5, 2)]
    assert pages(captures, earliest) == [ids[n] for n in (2, 5, 0, 3, 1, 4)]
    assert pages(captures, Sort(SortKey.ARRIVAL)) == ids[::-1]
    assert pages(captures, Sort(SortKey.ARRIVAL, is_descending=False)) == ids
    assert Sort.parse("-started") == NEWEST_FIRST and Sort.parse("started") == earliest


def test_an_arrival_that_no_calendar_has_is_no_cursor(owner: Person) -> None:
    with pytest.raises(BadCursor):
        seen_by(owner).page(f"{2**62}.{Cursor(AT, ID)}", sort=Sort(SortKey.ARRIVAL))


def test_equal_values_go_by_calls(owner: Person) -> None:
    ids = [accept(owner) for _ in range(4)]
    same = AT + timedelta(days=1)
    Capture.objects.filter(pk__in=ids).update(byte_length=7, received_at=same, called_at=same)
    ordered = sorted(ids)
    assert pages(seen_by(owner), Sort(SortKey.SIZE)) == ordered[::-1]
    assert pages(seen_by(owner), Sort(SortKey.SIZE, is_descending=False)) == ordered


def test_a_cursor_of_another_order_is_refused(owner: Person) -> None:
    for _ in range(3):
        accept(owner)
    by_calls = seen_by(owner).page(limit=2).older
    with pytest.raises(BadCursor):
        seen_by(owner).page(by_calls, sort=Sort(SortKey.SIZE))
