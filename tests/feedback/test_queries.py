"""What the door tells to the owner, a teammate and a stranger."""

from datetime import timedelta

import pytest
import time_machine
from django.utils import timezone

from inspector.feedback.models import DAY_SECONDS, HOUR_SECONDS
from inspector.feedback.queries import VOTE_DIMENSIONS, VoteTally, for_principal, sum_tallies
from tests.feedback.voting import SEED_TOKEN, carrying, token_for, voted
from tests.people import Person

pytestmark = pytest.mark.both_stacks


def test_votes_of_a_capture_are_told_by_choice(
    owner: Person, teammate: Person, stranger: Person
) -> None:
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
        assert for_principal(person.principal).tallies([capture_id]) == {
            capture_id: VoteTally(1, 2)
        }
    nothing = for_principal(stranger.principal)
    assert nothing.of_capture(capture_id) == {} and nothing.tallies([capture_id]) == {}


def test_sums_are_told_by_what_captures_have_in_common(owner: Person, stranger: Person) -> None:
    for model, outcomes in (("small", "pn"), ("large", "ppp")):
        capture_id = carrying(owner, None, model=model)
        for each in outcomes:
            voted(owner, token_for(owner, capture_id), "positive" if each == "p" else "negative")
    voted(stranger, token_for(stranger, carrying(stranger, None)))
    end = timezone.now() + timedelta(days=1)
    start = end - timedelta(days=3)
    votes = for_principal(owner.principal)
    groups = votes.groups(start, end, DAY_SECONDS, "model")
    assert [(g.value, g.tally) for g in groups] == [
        ("large", VoteTally(3, 0)),
        ("small", VoteTally(1, 1)),
    ]
    assert sum_tallies(g.tally for g in groups) == VoteTally(4, 1)
    for by in VOTE_DIMENSIONS:
        assert sum_tallies(g.tally for g in votes.groups(start, end, HOUR_SECONDS, by)).votes == 5
    assert [g.value for g in votes.groups(start, end, DAY_SECONDS, "key")] == ["olga's service"]
    (day,) = votes.slots(start, end, DAY_SECONDS).items()
    assert day[0].hour == 0 and day[1] == VoteTally(4, 1)


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
