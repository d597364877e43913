"""Words that many captures have: the newest captures are looked through first."""

from uuid import UUID

import pytest

from inspector.archive.listing import search_part
from inspector.archive.listing.capture_values import CaptureList
from inspector.archive.listing.filters import Filters
from inspector.archive.queries import Captures, for_principal
from inspector.database.portability import StatementTimeout
from inspector.query.tree import AllOf, Not, Words
from inspector.search import conditions
from tests.people import Person
from tests.search.asked import told

pytestmark = [pytest.mark.both_stacks, pytest.mark.django_db]

APPLES = Filters.of(q="apples")


@pytest.fixture
def common(monkeypatch: pytest.MonkeyPatch) -> None:
    """All words are common, and two captures at once are looked through."""
    monkeypatch.setattr(conditions, "COMMON_PARTS", -1)
    monkeypatch.setattr(conditions, "FEW_PARTS", 0)
    monkeypatch.setattr(search_part, "PART_CAPTURES", 2)


def ids(found: CaptureList) -> list[UUID]:
    return [row.id for row in found.rows]


@pytest.mark.usefixtures("common")
def test_pages_are_those_of_a_search_through_all(owner: Person, stranger: Person) -> None:
    [one, _, two, three, _, _] = told(
        owner, "apples", "pears", "apples", "red apples", "pears", "pears"
    )
    told(stranger, "apples")
    captures = for_principal(owner.principal)
    first = captures.search(limit=1, filters=APPLES)
    assert (ids(first), first.stopped_at) == ([three], None)
    second = captures.search(first.older, limit=1, filters=APPLES)
    assert (ids(second), second.stopped_at) == ([two], None)
    third = captures.search(second.older, limit=1, filters=APPLES)
    assert (ids(third), third.older) == ([one], None)
    assert ids(captures.search(filters=APPLES)) == [three, two, one]


@pytest.mark.usefixtures("common")
def test_phrases_and_what_is_not_said_are_looked_for_in_each_capture(owner: Person) -> None:
    [_, red, apples] = told(owner, "pears", "red apples", "apples red")
    captures = for_principal(owner.principal)
    phrase = Filters(AllOf((Words("red apples", is_phrase=True),)))
    assert ids(captures.search(limit=1, filters=phrase)) == [red]
    without = Filters(AllOf((Words("apples"), Not(Words("red apples", is_phrase=True)))))
    assert ids(captures.search(limit=1, filters=without)) == [apples]
    assert ids(captures.search(filters=Filters.of(q="quinces"))) == []


@pytest.mark.usefixtures("common")
def test_slow_words_are_compared_in_turn(owner: Person, monkeypatch: pytest.MonkeyPatch) -> None:
    def too_long(*_: object, **__: object) -> None:
        raise StatementTimeout

    monkeypatch.setattr(Captures, "page", too_long)
    [_, _, _, newest, _] = told(owner, "apples", "apples", "pears", "apples", "pears")
    found = for_principal(owner.principal).search(filters=APPLES)
    assert ids(found) == [newest]
    assert found.stopped_at is not None


def test_a_text_without_words_is_not_common(owner: Person, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(conditions, "COMMON_PARTS", -1)
    assert not conditions.is_common("?!")
    assert not Filters.of(verdict=("complete",)).has_common_words()
