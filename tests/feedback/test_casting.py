"""One live vote for a token and user, whatever is sent again; and which tokens are none."""

from collections.abc import Callable
from dataclasses import replace
from datetime import timedelta
from typing import Any
from uuid import uuid4

import pytest
import time_machine
from django.utils import timezone

from inspector.archive.deletion import delete
from inspector.feedback import casting, issue_tokens, signed_token, signing_keys
from inspector.feedback.casting import (
    Ballot,
    CastVote,
    VoteAddress,
    VoteRefusal,
    cast_vote,
    outcome_of,
)
from inspector.feedback.models import LIVE, FeedbackTokenKind, Revocation, SigningKey, Vote
from inspector.feedback.signed_token import TokenClaims
from tests.feedback.voting import (
    SEED_TOKEN,
    SIGNED,
    UNSIGNED,
    address_of,
    assert_sums_are_of_live_votes,
    carrying,
    sums,
    token_for,
    vote,
    voted,
)
from tests.people import Person

pytestmark = pytest.mark.both_stacks


def test_a_vote_by_a_token_of_ours_is_attached_and_verified(owner: Person) -> None:
    capture_id = carrying(owner, None, None)
    found = voted(
        owner, token_for(owner, capture_id, 1), "negative", comment="too long", user_id="u1"
    )
    assert (found.outcome, found.comment, found.user_id) == ("negative", "too long", "u1")
    assert found.is_verified and found.is_new
    stored = Vote.objects.get()
    assert (stored.capture_id, stored.choice, stored.pk) == (capture_id, 1, found.id)
    assert sums() == {"negative": 1}


def test_the_same_again_changes_nothing(owner: Person) -> None:
    token = token_for(owner, carrying(owner, None))
    first = voted(owner, token, comment="good")
    again = voted(owner, token, comment="good")
    assert again == replace(first, is_new=False)
    assert Vote.objects.count() == 1
    assert sums() == {"positive": 1}


def test_another_word_supersedes_the_one_before_and_that_stays(owner: Person) -> None:
    token = token_for(owner, carrying(owner, None))
    first = voted(owner, token, "positive")
    second = voted(owner, token, "negative", comment="on second thought")
    third = voted(owner, token, "negative", comment="on third")
    assert Vote.objects.get(LIVE).pk == third.id
    earlier = Vote.objects.exclude(LIVE).order_by("created_at")
    assert [each.pk for each in earlier] == [first.id, second.id]
    assert sums() == {"negative": 1}
    assert_sums_are_of_live_votes()


def test_each_user_has_a_vote_and_whoever_is_not_named_has_one_together(owner: Person) -> None:
    token = token_for(owner, carrying(owner, None))
    for user_id in ("", "a", "b", "", "A", "a "):
        voted(owner, token, "positive", user_id=user_id)
    assert sorted(v.user_id for v in Vote.objects.filter(LIVE)) == ["", "A", "a", "a ", "b"]


def test_two_tokens_of_one_choice_are_two_voters(owner: Person) -> None:
    capture_id = carrying(owner, None)
    for outcome in ("positive", "negative"):
        voted(owner, token_for(owner, capture_id), outcome)
    assert sums() == {"positive": 1, "negative": 1}


def test_what_is_said_now_can_be_asked_for(owner: Person) -> None:
    token = token_for(owner, carrying(owner, None))
    assert outcome_of(address_of(owner), token, "") is None
    voted(owner, token, "positive")
    voted(owner, token, "negative")
    assert outcome_of(address_of(owner), token, "") == "negative"
    assert outcome_of(address_of(owner), token, "somebody else") is None
    assert outcome_of(address_of(owner), token[:-1], "") is VoteRefusal.TOKEN


# -- tokens that are refused ----------------------------------------------------------------------


def claims_of(token: str) -> TokenClaims:
    parts = signed_token.split_token(token)
    found = signed_token.verify(parts, signing_keys.secret_of(parts.key_id))
    assert found is not None
    return found


def resigned(token: str, **changed: Any) -> str:
    """Another token by the same key: what only whoever has the key can make."""
    key = SigningKey.objects.get(pk=signed_token.split_token(token).key_id)
    return signed_token.sign(key.pk, bytes(key.secret), replace(claims_of(token), **changed))


def forged(token: str, **changed: Any) -> str:
    """The same by somebody who does not have it."""
    claims = replace(claims_of(token), **changed)
    return signed_token.sign(
        signed_token.split_token(token).key_id, signed_token.new_secret(), claims
    )


REFUSED: dict[str, Callable[[str, Person], str]] = {
    "forged": lambda token, other: forged(token),
    "forged for another choice": lambda token, other: forged(token, choice=1),
    "forged to last longer": lambda token, other: forged(token, expires_at=2**32 - 1),
    "signature of another token": lambda token, other: (
        token[:77] + token_for(other, carrying(other, None))[77:]
    ),
    "by a key that is none": lambda token, other: signed_token.sign(
        2**40, signed_token.new_secret(), claims_of(token)
    ),
    "expired": lambda token, other: resigned(token, expires_at=int(timezone.now().timestamp())),
    "of another team": lambda token, other: token_for(other, carrying(other, None)),
    "signed for a team by another's key": lambda token, other: resigned(
        token_for(other, carrying(other, None)), team_id=claims_of(token).team_id
    ),
    "of a choice that is not there": lambda token, other: resigned(token, choice=1),
    "of a capture that never was": lambda token, other: resigned(token, capture_id=uuid4()),
    "of another team's capture": lambda token, other: resigned(
        token, capture_id=carrying(other, None)
    ),
    "truncated": lambda token, other: token[:-1],
    "cut in the middle": lambda token, other: token[:60],
    "without its signature": lambda token, other: token.rpartition(".")[0],
    "a megabyte": lambda token, other: token + "A" * 1_000_000,
    "only its beginning": lambda token, other: "ri1.",
    "empty": lambda token, other: "",
    "a word": lambda token, other: "hello",
    "NUL": lambda token, other: token[:-1] + "\0",
    "half a surrogate pair": lambda token, other: token[:-1] + "\ud800",
    "in other letters": lambda token, other: token.swapcase(),
    "an API key": lambda token, other: other.key,
    "a foreign token, cut": lambda token, other: SIGNED[:-10],
    "a foreign token of three parts": lambda token, other: f"{SIGNED}.AAAA",
    "a foreign token, a megabyte": lambda token, other: "fb_" + "a" * 1_000_000 + "_0",
}


@pytest.mark.parametrize("kind", REFUSED)
def test_a_token_that_is_none_leaves_nothing(owner: Person, stranger: Person, kind: str) -> None:
    token = REFUSED[kind](token_for(owner, carrying(owner, None)), stranger)
    assert vote(owner, token) is VoteRefusal.TOKEN
    assert outcome_of(address_of(owner), token, "") is VoteRefusal.TOKEN
    assert not Vote.objects.exists() and sums() == {}


def test_a_team_that_is_none_takes_no_token(owner: Person) -> None:
    token = token_for(owner, carrying(owner, SEED_TOKEN))
    for each in (token, SEED_TOKEN, SIGNED):
        assert cast_vote(VoteAddress(None), Ballot(each, "positive")) is VoteRefusal.TOKEN


def test_a_token_of_ours_says_whose_it_is_at_any_address(owner: Person, stranger: Person) -> None:
    root = VoteAddress(owner.team.pk, takes_all=True)
    token = token_for(stranger, carrying(stranger, None))
    assert isinstance(cast_vote(root, Ballot(token, "positive")), CastVote)
    assert Vote.objects.get().team == stranger.team


def test_a_token_is_good_until_the_second_that_it_names(owner: Person) -> None:
    token = token_for(owner, carrying(owner, None), expires_in=60)
    ends = claims_of(token).expires_at
    with time_machine.travel(ends - 1, tick=False):
        voted(owner, token)
    with time_machine.travel(ends, tick=False):
        assert vote(owner, token, "negative") is VoteRefusal.TOKEN


def test_a_token_of_a_deleted_capture_is_told_so(owner: Person, stranger: Person) -> None:
    capture_id = carrying(owner, SEED_TOKEN)
    token = token_for(owner, capture_id)
    assert delete(owner.service, capture_id)
    for each in (token, SEED_TOKEN):
        assert vote(owner, each) is VoteRefusal.DELETED
        assert outcome_of(address_of(owner), each, "") is VoteRefusal.DELETED
    assert vote(stranger, token) is VoteRefusal.TOKEN
    expired = resigned(token, expires_at=int(timezone.now().timestamp()))
    assert vote(owner, expired) is VoteRefusal.TOKEN


# -- tokens of others -----------------------------------------------------------------------------


@pytest.mark.parametrize("token", [SEED_TOKEN, UNSIGNED, SIGNED, "made-by-nobody-we-know"])
def test_a_token_that_a_response_carried_means_its_choice(owner: Person, token: str) -> None:
    capture_id = carrying(owner, "another", token)
    found = voted(owner, token, "negative")
    assert not found.is_verified
    stored = Vote.objects.get()
    assert (stored.capture_id, stored.choice) == (capture_id, 1)
    assert stored.token_kind != FeedbackTokenKind.OWN
    assert sums() == {"negative": 1}


def test_what_it_says_of_itself_is_kept_as_what_it_says(owner: Person) -> None:
    carrying(owner, SIGNED)
    voted(owner, SIGNED)
    stored = Vote.objects.get()
    assert stored.token_kind == FeedbackTokenKind.SIGNED
    assert stored.token_parts == {"t": "1", "u": "1", "r": '"run_id"'}


def test_in_another_team_it_means_nothing(owner: Person, stranger: Person) -> None:
    carrying(owner, "made-by-nobody-we-know")
    assert vote(stranger, "made-by-nobody-we-know") is VoteRefusal.TOKEN
    assert voted(owner, "made-by-nobody-we-know").is_new


def test_of_two_responses_with_one_token_the_first_is_meant(owner: Person) -> None:
    first = carrying(owner, SEED_TOKEN)
    second = carrying(owner, None, SEED_TOKEN)
    voted(owner, SEED_TOKEN)
    assert Vote.objects.get().capture_id == first
    assert delete(owner.service, first)
    voted(owner, SEED_TOKEN)
    stored = Vote.objects.get()
    assert (stored.capture_id, stored.choice) == (second, 1)


def test_what_no_capture_carries_is_refused_like_any_other(owner: Person) -> None:
    for token in (SEED_TOKEN, SIGNED, UNSIGNED):
        assert vote(owner, token) is VoteRefusal.TOKEN
        assert outcome_of(address_of(owner), token, "") is VoteRefusal.TOKEN
    assert not Vote.objects.exists()
    carrying(owner, SEED_TOKEN)
    assert voted(owner, SEED_TOKEN).is_new


def test_only_so_much_is_written_by_one_token(owner: Person, monkeypatch: Any) -> None:
    monkeypatch.setattr(casting, "MAX_BYTES_OF_A_TOKEN", 10)
    token = token_for(owner, carrying(owner, None))
    voted(owner, token, user_id="a", comment="12345")
    assert vote(owner, token, user_id="b", comment="12345") is VoteRefusal.TOKEN
    assert voted(owner, token, user_id="b", comment="123").is_new


def test_only_so_many_votes_are_by_one_token(owner: Person, monkeypatch: Any) -> None:
    monkeypatch.setattr(casting, "MAX_OF_A_TOKEN", 3)
    token = token_for(owner, carrying(owner, None))
    for user_id in "abc":
        voted(owner, token, user_id=user_id)
    assert vote(owner, token, user_id="d") is VoteRefusal.TOKEN
    assert voted(owner, token, user_id="a").is_new is False


# -- revoking -------------------------------------------------------------------------------------


def test_one_token_is_revoked_by_its_id_and_the_others_stay(owner: Person) -> None:
    capture_id = carrying(owner, None)
    one, other = (issue_tokens.issue_token(owner.principal, capture_id, 0) for _ in range(2))
    assert one and other
    assert issue_tokens.revoke_tokens(owner.principal, capture_id, 0, one.id)
    assert vote(owner, one.token) is VoteRefusal.TOKEN
    assert voted(owner, other.token)


def test_all_tokens_of_a_choice_are_revoked_and_later_ones_are_good(owner: Person) -> None:
    capture_id = carrying(owner, None, None)
    earlier, beside = token_for(owner, capture_id), token_for(owner, capture_id, 1)
    assert issue_tokens.revoke_tokens(owner.principal, capture_id, 0)
    assert vote(owner, earlier) is VoteRefusal.TOKEN
    assert voted(owner, beside)
    # As if it had been some time ago; the database says when it is.
    before = Revocation.objects.get().revoked_at - timedelta(seconds=1)
    Revocation.objects.update(revoked_at=before)
    assert voted(owner, token_for(owner, capture_id))


def test_a_vote_that_was_cast_before_stays(owner: Person) -> None:
    capture_id = carrying(owner, None)
    voted(owner, token_for(owner, capture_id))
    assert issue_tokens.revoke_tokens(owner.principal, capture_id, 0)
    assert sums() == {"positive": 1}


def test_tokens_are_for_ones_own(owner: Person, teammate: Person, stranger: Person) -> None:
    capture_id = carrying(owner, None)
    assert issue_tokens.issue_token(owner.principal, capture_id, 0) and issue_tokens.issue_token(
        teammate.principal, capture_id, 0
    )
    assert issue_tokens.issue_token(owner.principal, capture_id, 1) is None
    assert issue_tokens.issue_token(owner.principal, uuid4(), 0) is None
    assert issue_tokens.issue_token(stranger.principal, capture_id, 0) is None
    assert not issue_tokens.revoke_tokens(stranger.principal, capture_id, 0)
    # Of the scopes that a key has unless told, none is for voting.
    assert issue_tokens.issue_token(owner.service, capture_id, 0) is None
