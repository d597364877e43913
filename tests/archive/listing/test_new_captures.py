from typing import Any

import pytest

from inspector.archive.listing import new_captures
from inspector.archive.models import Capture, State
from inspector.archive.queries import Captures, for_principal
from tests.archive.samples import accept, inspected
from tests.people import Person

pytestmark = pytest.mark.both_stacks


def seen_by(person: Person) -> Captures:
    return for_principal(person.principal)


def test_what_came_is_told_in_its_order_and_once(owner: Person, monkeypatch: Any) -> None:
    monkeypatch.setattr(new_captures, "MAX_NEW_CAPTURES", 2)
    captures = seen_by(owner)
    inspected(owner)
    start = captures.unfinished().newest
    assert start is not None
    ids = [accept(owner) for _ in range(3)]
    first = captures.arrivals(start)
    assert (first.ids, first.more) == ((ids[0], ids[1]), True)
    assert first.newest is not None
    second = captures.arrivals(first.newest)
    assert (second.ids, second.more) == ((ids[2],), False)
    assert second.newest is not None
    assert captures.arrivals(second.newest) == new_captures.NewCaptures((), second.newest)


def test_those_may_still_match_that_are_not_finished(owner: Person) -> None:
    waiting, given_up = accept(owner), accept(owner)
    Capture.objects.filter(pk=given_up).update(state=State.QUARANTINED)
    assert seen_by(owner).unfinished().ids == (waiting,)


def test_a_stranger_waits_for_none(owner: Person, teammate: Person, stranger: Person) -> None:
    capture_id = accept(owner)
    start = "0-" + "0" * 32
    assert (
        seen_by(teammate).arrivals(start).ids == seen_by(owner).arrivals(start).ids == (capture_id,)
    )
    assert seen_by(stranger).arrivals(start).ids == seen_by(stranger).unfinished().ids == ()
