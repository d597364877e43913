"""Subjects of the votes of a period, counted over the newest of them."""

from datetime import datetime, timedelta

import pytest
from django.utils import timezone

from inspector.archive.intake.submission import Submission
from inspector.core.wire.exchange import Exchange
from inspector.feedback import counts
from inspector.feedback.queries import VoteGroup, VoteTally, for_principal
from tests.archive.samples import JSON, accept_arrival, inspect_all
from tests.feedback.voting import body_of, carrying, token_for, voted
from tests.people import Person

pytestmark = pytest.mark.both_stacks


def lately() -> tuple[datetime, datetime]:
    now = timezone.now()
    return now - timedelta(days=1), now + timedelta(days=1)


def counted(person: Person, by: str = "") -> counts.VoteCounts:
    return counts.count_votes(for_principal(person.principal), *lately(), by)


def test_votes_choices_and_users_are_counted_apart(owner: Person) -> None:
    token = token_for(owner, carrying(owner, "fb_a_0", None))
    voted(owner, token, "negative", user_id="ann")
    voted(owner, token, "positive", user_id="ben")
    voted(owner, "fb_a_0", "negative")
    found = counted(owner)
    assert (found.votes, found.choices, found.users) == (3, 1, 2)
    assert (found.unverified, found.open_negative) == (1, 2)
    assert found.is_all


def test_groups_are_of_the_choice_that_was_voted_on(owner: Person) -> None:
    body = body_of(None, None).replace(b'"finish_reason": "stop"', b'"finish_reason": "length"', 1)
    capture_id = accept_arrival(owner, Submission(Exchange.of_body(body, JSON))).id
    inspect_all()
    voted(owner, token_for(owner, capture_id, 0), "negative")
    voted(owner, token_for(owner, capture_id, 1), "positive")
    assert counted(owner, "finish_reason").groups == (
        VoteGroup("length", VoteTally(0, 1)),
        VoteGroup("stop", VoteTally(1, 0)),
    )
    assert counted(owner, "verdict").groups == (VoteGroup("complete", VoteTally(1, 1)),)


def test_groups_are_of_what_captures_have_in_common(owner: Person, stranger: Person) -> None:
    for model, outcomes in (("small", "pn"), ("large", "ppp")):
        capture_id = carrying(owner, None, model=model)
        for each in outcomes:
            voted(owner, token_for(owner, capture_id), "positive" if each == "p" else "negative")
    voted(stranger, token_for(stranger, carrying(stranger, None)))
    assert counted(owner, "model").groups == (
        VoteGroup("large", VoteTally(3, 0)),
        VoteGroup("small", VoteTally(1, 1)),
    )
    assert counted(owner, "key").groups == (VoteGroup("olga's service", VoteTally(4, 1)),)
    for by in counts.BY:
        assert sum(group.tally.votes for group in counted(owner, by).groups) == 5


def test_a_capture_with_two_tags_is_in_both_and_without_one_in_none(owner: Person) -> None:
    tagged = accept_arrival(
        owner, Submission(Exchange.of_body(body_of(None), JSON), tags=("a", "b"))
    )
    inspect_all()
    voted(owner, token_for(owner, tagged.id), "negative")
    voted(owner, token_for(owner, carrying(owner, None)), "positive")
    assert counted(owner, "tag").groups == (
        VoteGroup(None, VoteTally(1, 0)),
        VoteGroup("a", VoteTally(0, 1)),
        VoteGroup("b", VoteTally(0, 1)),
    )


def test_of_very_many_the_newest_are_counted(owner: Person, monkeypatch) -> None:  # type: ignore[no-untyped-def]
    monkeypatch.setattr(counts, "MOST", 2)
    token = token_for(owner, carrying(owner, None))
    for user in ("ann", "ben", "cay"):
        voted(owner, token, "negative" if user == "ann" else "positive", user_id=user)
    found = counted(owner)
    assert (found.votes, found.open_negative, found.is_all) == (2, 0, False)


def test_choices_with_a_token_are_covered_where_somebody_voted(owner: Person) -> None:
    carrying(owner, "fb_a_0", "fb_a_1", None)
    voted(owner, "fb_a_1")
    votes = for_principal(owner.principal)
    assert counts.vote_coverage(votes, *lately()) == counts.VoteCoverage(2, 1, True)


def test_a_stranger_counts_nothing(owner: Person, stranger: Person) -> None:
    carrying(owner, "fb_a_0")
    voted(owner, "fb_a_0")
    assert counted(stranger).votes == 0
    assert counts.vote_coverage(for_principal(stranger.principal), *lately()).tokens == 0
