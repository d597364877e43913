"""Answers of the door to the owner, a teammate and a stranger."""

from datetime import timedelta

import pytest
import time_machine
from django.utils import timezone

from inspector.feedback.models import DAY_SECONDS, HOUR_SECONDS
from inspector.feedback.queries import VoteTally, for_principal, sum_tallies
from tests.feedback.voting import SEED_TOKEN, carrying, token_for, voted
from tests.people import Person

pytestmark = pytest.mark.both_stacks


def test_votes_are_told_by_choice(owner: Person, teammate: Person, stranger: Person) -> None:
    capture_id = carrying(owner, None, None)
    first = voted(owner, token_for(owner, capture_id, 1), "positive")
    second = voted(owner, token_for(owner, capture_id, 1), "negative")
    superseded = token_for(owner, capture_id, 0)
    voted(owner, superseded, "positive")
    third = voted(owner, superseded, "negative")
    for person in (owner, teammate):
        found = for_principal(person.principal).of_capture(capture_id)
        told = {choice: [row.id for row in rows] for choice, rows in found.items()}
        assert told == {0: [third.id], 1: [second.id, first.id]}
    nothing = for_principal(stranger.principal)
    assert nothing.of_capture(capture_id) == {}


def test_sums_are_told_by_the_day_and_the_hour(owner: Person, stranger: Person) -> None:
    capture_id = carrying(owner, None)
    for outcome in ("positive", "negative", "positive"):
        voted(owner, token_for(owner, capture_id), outcome)
    voted(stranger, token_for(stranger, carrying(stranger, None)))
    end = timezone.now() + timedelta(days=1)
    votes = for_principal(owner.principal)
    (day,) = votes.slots(end - timedelta(days=3), end, DAY_SECONDS).items()
    assert day[0].hour == 0 and day[1] == VoteTally(2, 1)
    hours = votes.slots(end - timedelta(days=3), end, HOUR_SECONDS).values()
    assert sum_tallies(hours) == VoteTally(2, 1)


def test_a_vote_of_a_team_that_somebody_left_is_missing(owner: Person, teammate: Person) -> None:
    carrying(owner, SEED_TOKEN)
    vote_id = voted(owner, SEED_TOKEN).id
    assert for_principal(teammate.principal).one(vote_id)
    teammate.user.memberships.all().delete()
    assert for_principal(teammate.principal).one(vote_id) is None
    assert for_principal(teammate.principal).page().rows == ()


def test_a_page_that_begins_at_equal_times_leaves_none_out(owner: Person) -> None:
    capture_id = carrying(owner, None)
    tokens = [token_for(owner, capture_id) for _ in range(5)]
    with time_machine.travel(timezone.now(), tick=False):
        ids = {voted(owner, token).id for token in tokens}
    votes, found, before = for_principal(owner.principal), set(), None
    for _ in range(5):
        page = votes.page(before, limit=1)
        found |= {row.id for row in page.rows}
        before = page.older
    assert found == ids and before is None
