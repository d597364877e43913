"""Groups by what only captures know, and groups within groups."""

from itertools import product

import pytest
from django.utils import timezone

from inspector.archive.deletion import delete
from inspector.archive.intake.submission import Submission
from inspector.archive.models import Capture
from inspector.core.wire.exchange import Exchange
from inspector.usage.measures import Measure
from inspector.usage.rollup import grouping
from inspector.usage.rollup.dimensions import GROUPINGS
from inspector.usage.rollup.grouping import find_groups
from inspector.usage.rollup.periods import latest
from inspector.usage.rollup.queries import MeasureSum, OuterGroup, for_principal, merge_sums
from tests.archive.samples import CUT, WHOLE, accept_arrival, inspect_all, inspected
from tests.people import Person

pytestmark = pytest.mark.both_stacks

MOST = 50


def sent(person: Person, *tags: str, session: str | None = None, model: str = "gpt-4o") -> None:
    """An answer of this model with tags and, where it is given, a session."""
    body = WHOLE.replace(b"gpt-4o", model.encode())
    metadata = {"session": session} if session else {}
    accept_arrival(person, Submission(Exchange.of_body(body), tags=tags, metadata=metadata))
    inspect_all()


def counts(person: Person, by: str, of: OuterGroup | None = None, name: str = "30d") -> dict:
    sums = for_principal(person.principal)
    found = find_groups(sums, latest(name, timezone.now()), by, MOST, of)
    return {group.value: group.sums[Measure.CAPTURES].captures for group in found.listed}


def test_a_capture_with_several_tags_is_in_the_group_of_each(owner: Person) -> None:
    sent(owner, "search", "night")
    sent(owner, "search")
    sent(owner)
    assert counts(owner, "tag") == {"search": 2, "night": 1, None: 1}


def test_sessions_are_those_that_senders_state(owner: Person) -> None:
    for session in ("a", "a", "b", None):
        sent(owner, session=session)
    assert counts(owner, "session") == {"a": 2, "b": 1, None: 1}


def test_groups_of_captures_are_told_to_their_team(
    owner: Person, teammate: Person, stranger: Person
) -> None:
    sent(owner, "search", session="a")
    for by, value in (("tag", "search"), ("session", "a"), ("model", "gpt-4o")):
        of = OuterGroup(by, value)
        for person in (owner, teammate):
            assert counts(person, by) == {value: 1}
            assert counts(person, "key" if by == "model" else "model", of) != {}
        assert counts(stranger, by) == {}
        assert counts(stranger, "key" if by == "model" else "model", of) == {}


@pytest.mark.parametrize("name", ["24h", "30d"])
def test_what_captures_add_up_to_is_what_the_sums_say(owner: Person, name: str) -> None:
    sent(owner, session="a")
    sent(owner, session="b", model="parcel-1")
    inspected(owner, CUT)
    period, sums = latest(name, timezone.now()), for_principal(owner.principal)
    for by in ("tag", "session"):
        groups = find_groups(sums, period, by, MOST)
        assert merge_sums(group.sums for group in groups.listed) == sums.every(period), by


@pytest.mark.parametrize("name", ["24h", "30d"])
def test_groups_within_a_group_add_up_to_it(owner: Person, name: str) -> None:
    sent(owner, "search", session="a")
    sent(owner, "night", session="b", model="parcel-1")
    inspected(owner, b"nothing")
    period, sums = latest(name, timezone.now()), for_principal(owner.principal)
    for outer, by in product(GROUPINGS, GROUPINGS):
        for group in find_groups(sums, period, outer, MOST).listed if by != outer else ():
            found = find_groups(sums, period, by, MOST, OuterGroup(outer, group.value))
            assert merge_sums(each.sums for each in found.listed) == group.sums, (outer, by)


def test_within_a_model_its_keys_are_told_apart(owner: Person) -> None:
    sent(owner)
    sent(owner, model="parcel-1")
    sent(owner)
    Capture.objects.update(key=None)
    assert counts(owner, "tag", OuterGroup("model", "gpt-4o")) == {None: 2}
    assert counts(owner, "vendor", OuterGroup("model", "weather")) == {}
    (name,) = counts(owner, "key", OuterGroup("model", "parcel-1"))
    assert counts(owner, "model", OuterGroup("key", name)) == {"gpt-4o": 2, "parcel-1": 1}


def test_of_many_captures_the_newest_are_counted_and_how_many_is_told(
    owner: Person, monkeypatch: pytest.MonkeyPatch
) -> None:
    for tag in ("old", "new", "new"):
        sent(owner, tag)
    period, sums = latest("30d", timezone.now()), for_principal(owner.principal)
    assert find_groups(sums, period, "tag", MOST).newest is None
    monkeypatch.setattr(grouping, "MOST", 2)
    found = find_groups(sums, period, "tag", MOST)
    assert (found.newest, [group.value for group in found.listed]) == (2, ["new"])
    assert find_groups(sums, period, "model", MOST).newest is None


def test_a_deleted_capture_is_in_no_group(owner: Person) -> None:
    sent(owner, "search")
    delete(owner.principal, Capture.objects.get().pk)
    sent(owner, "night")
    assert list(counts(owner, "tag").values()) == list(counts(owner, "model").values()) == [1]


def test_of_more_groups_than_are_listed_the_others_are_counted(owner: Person) -> None:
    for tag in ("a", "b", "b", "c"):
        sent(owner, tag)
    sums, period = for_principal(owner.principal), latest("30d", timezone.now())
    found = find_groups(sums, period, "tag", 1)
    assert ([group.value for group in found.listed], found.others) == (["b"], 2)
    assert found.listed[0].sums[Measure.TOKENS, "prompt_tokens"] == MeasureSum(2, 6)
