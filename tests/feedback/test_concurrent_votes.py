"""Votes that are sent in the same moment, and captures that come in it."""

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from threading import Barrier, Event
from typing import Any
from uuid import UUID

import pytest
from django.db import connection

from inspector.archive.deletion import delete
from inspector.archive.inspection.doorbell import doorbell
from inspector.feedback import casting, signing_keys
from inspector.feedback.casting import CastVote, VoteRefusal
from inspector.feedback.models import LIVE, SigningKey, Vote
from tests.feedback.voting import assert_sums_are_of_live_votes, carrying, token_for, vote
from tests.people import Person

pytestmark = [pytest.mark.both_stacks, pytest.mark.django_db(transaction=True)]
ROUNDS = 5


@pytest.fixture(autouse=True)
def nobody_listens(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(doorbell, "ring", lambda: None)


def at_once(*works: Callable[[], Any]) -> list[Any]:
    together = Barrier(len(works))

    def one(work: Callable[[], Any]) -> Any:
        try:
            together.wait(120)
            return work()
        finally:
            connection.close()

    with ThreadPoolExecutor(len(works)) as pool:
        return list(pool.map(one, works))


@pytest.mark.thorough
def test_equal_votes_at_once_are_one(owner: Person) -> None:
    capture_id = carrying(owner, None)
    for _ in range(ROUNDS):
        token = token_for(owner, capture_id)
        found = at_once(*[lambda token=token: vote(owner, token)] * 4)
        assert len({each.id for each in found}) == 1
        assert sum(each.is_new for each in found) == 1
    assert Vote.objects.count() == ROUNDS
    assert_sums_are_of_live_votes()


def test_different_votes_at_once_leave_one_and_a_history(owner: Person) -> None:
    capture_id = carrying(owner, None)
    for _ in range(ROUNDS):
        token = token_for(owner, capture_id)
        found = at_once(
            *[
                lambda outcome=outcome, token=token: vote(owner, token, outcome)
                for outcome in ("positive", "negative", "positive", "negative")
            ]
        )
        assert all(isinstance(each, CastVote) for each in found)
    assert Vote.objects.filter(LIVE).count() == ROUNDS
    assert Vote.objects.count() >= 2 * ROUNDS
    assert_sums_are_of_live_votes()


def test_a_vote_and_the_deletion_at_once_leave_nothing(owner: Person) -> None:
    for _ in range(ROUNDS):
        capture_id = carrying(owner, None)
        token = token_for(owner, capture_id)
        found, receipt = at_once(
            lambda token=token: vote(owner, token),
            lambda capture_id=capture_id: delete(owner.service, capture_id),
        )
        assert receipt.feedback_votes == int(isinstance(found, CastVote))
        assert isinstance(found, CastVote) or found is VoteRefusal.DELETED
    assert not Vote.objects.exists()
    assert_sums_are_of_live_votes()


def while_it_is_kept(
    monkeypatch: pytest.MonkeyPatch, voting: Callable[[], Any], beside: Callable[[], Any]
) -> tuple[Any, Any]:
    """``beside`` begins when a vote is about to be stored; it may end only after that is done."""
    return while_it_is(monkeypatch, (casting, "_replace_live"), voting, beside)


def while_it_is(
    monkeypatch: pytest.MonkeyPatch,
    step: tuple[Any, str],
    voting: Callable[[], Any],
    beside: Callable[[], Any],
) -> tuple[Any, Any]:
    """``beside`` begins when ``voting`` is about to take the step."""
    arrived, go_on, take = Event(), Event(), getattr(*step)

    def slowly(*args: Any) -> Any:
        if not arrived.is_set():
            arrived.set()
            assert go_on.wait(60)
        return take(*args)

    monkeypatch.setattr(*step, slowly)
    with ThreadPoolExecutor(2) as pool:
        first = pool.submit(closing, voting)
        assert arrived.wait(60)
        second = pool.submit(closing, beside)
        # Long enough for whoever would not wait; whoever does is not hurt by any time.
        with suppress(TimeoutError):
            second.result(1)
        go_on.set()
        return first.result(60), second.result(60)


def closing(work: Callable[[], Any]) -> Any:
    try:
        return work()
    finally:
        connection.close()


@pytest.mark.thorough
def test_a_deletion_waits_for_a_vote(owner: Person, monkeypatch: pytest.MonkeyPatch) -> None:
    capture_id = carrying(owner, None)
    token = token_for(owner, capture_id)
    found, receipt = while_it_is_kept(
        monkeypatch, lambda: vote(owner, token), lambda: delete(owner.service, capture_id)
    )
    assert isinstance(found, CastVote) and receipt.feedback_votes == 1
    assert not Vote.objects.exists()
    assert_sums_are_of_live_votes()


def test_first_tokens_at_once_make_one_key(owner: Person) -> None:
    capture_id: UUID = carrying(owner, None)
    tokens = at_once(*[lambda: token_for(owner, capture_id)] * 4)
    assert SigningKey.objects.count() == 1
    assert all(isinstance(vote(owner, token), CastVote) for token in tokens)


def test_rotations_at_once_leave_one_key_that_signs(owner: Person) -> None:
    at_once(*[lambda: signing_keys.rotate_key(owner.principal)] * 3)
    assert sum(key.signs for key in signing_keys.list_signing_keys(owner.principal)) == 1
