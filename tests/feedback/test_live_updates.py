"""Votes that come while a list is open."""

from datetime import timedelta
from uuid import UUID

import pytest
import time_machine
from django.utils import timezone

from inspector.archive.listing.cursor import BadCursor
from inspector.feedback import live_updates
from inspector.feedback.live_updates import NewVotes, new_votes, no_new_votes
from inspector.feedback.queries import VoteFilters, for_principal
from tests.feedback.voting import carrying, token_for, voted
from tests.people import Person

pytestmark = pytest.mark.both_stacks


def opened(person: Person) -> NewVotes:
    return no_new_votes(for_principal(person.principal).page().rows, timezone.now())


def since(person: Person, before: NewVotes, **filters: tuple[str, ...]) -> NewVotes:
    votes = for_principal(person.principal)
    return new_votes(votes, before.newest, before.exclude, VoteFilters.of(**filters))  # type: ignore[arg-type]


def ids(came: NewVotes) -> list[UUID]:
    return [row.id for row in came.rows]


def test_each_vote_comes_once_newest_first(owner: Person) -> None:
    token = token_for(owner, carrying(owner, None))
    voted(owner, token, user_id="there before")
    page = opened(owner)
    first, second = (voted(owner, token, user_id=name).id for name in ("ann", "ben"))
    came = since(owner, page)
    assert ids(came) == [second, first]
    assert ids(since(owner, came)) == []


def test_a_long_look_goes_on_at_the_next(owner: Person, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(live_updates, "MAX_NEW", 2)
    token, page = token_for(owner, carrying(owner, None)), opened(owner)
    cast = [voted(owner, token, user_id=name).id for name in ("ann", "ben", "cay")]
    came = since(owner, page)
    assert came.more and ids(came) == [cast[1], cast[0]]
    assert ids(since(owner, came)) == [cast[2]]


def test_a_long_burst_comes_once_each(owner: Person, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(live_updates, "MAX_NEW", 2)
    monkeypatch.setattr(live_updates, "MAX_EXCLUDED", 3)
    token, start = token_for(owner, carrying(owner, None)), timezone.now()
    with time_machine.travel(start, tick=False):
        page, cast = opened(owner), []
    for at in range(9):
        with time_machine.travel(start + timedelta(milliseconds=at + 1), tick=False):
            cast.append(voted(owner, token, user_id=f"user {at}").id)
    told: list[UUID] = []
    for _ in range(5):
        page = since(owner, page)
        assert len(page.exclude) <= 3
        told += reversed(ids(page))
    assert told == cast
    assert ids(since(owner, page)) == []


def test_a_narrowed_list_gets_what_it_asks_for(owner: Person) -> None:
    token, page = token_for(owner, carrying(owner, None)), opened(owner)
    voted(owner, token, "positive", user_id="ann")
    bad = voted(owner, token, "negative", user_id="ben").id
    assert ids(since(owner, page, outcome=("negative",))) == [bad]


def test_what_a_user_takes_back_goes_from_a_list_without_the_new_word(owner: Person) -> None:
    token = token_for(owner, carrying(owner, None))
    bad = voted(owner, token, "negative").id
    page = opened(owner)
    voted(owner, token, "positive")
    came = since(owner, page, outcome=("negative",))
    assert ids(came) == [] and came.superseded == (bad,)


def test_what_is_no_cursor_is_refused(owner: Person) -> None:
    with pytest.raises(BadCursor):
        new_votes(for_principal(owner.principal), "soon", ())


def test_a_stranger_sees_nothing_arrive(owner: Person, stranger: Person) -> None:
    token, page = token_for(owner, carrying(owner, None)), opened(stranger)
    before = voted(owner, token, "negative").id
    voted(owner, token, "positive")
    came = since(stranger, page)
    assert came.rows == came.exclude == came.superseded == ()
    assert live_updates.live_rows(for_principal(stranger.principal), [before]) == ()
