"""Responses that carry tokens, and the shortest ways to vote on them."""

import json
from typing import Any
from uuid import UUID

from django.db.models import Sum

from inspector.feedback import issue_tokens
from inspector.feedback.casting import Ballot, CastVote, VoteAddress, VoteRefusal, cast_vote
from inspector.feedback.models import DAY_SECONDS, LIVE, SPANS, Vote, VoteSum
from inspector.feedback.sums import start_of
from tests.archive.samples import inspected
from tests.people import Person

SEED_TOKEN = "fb_8YMnDbsifkBeAs814beb0dFOJdPeG_0"
"""As the documentation of WorkflowAI prints one (000)."""
UNSIGNED = "eyJ0IjoxLCJ1IjoxLCJyIjoicnVuX2lkIn0="
"""base64 of {"t":1,"u":1,"r":"run_id"}."""
SIGNED = f"{UNSIGNED}.{'A' * 43}="


def body_of(*tokens: Any, model: str = "gpt-4o") -> bytes:
    """One choice for each token."""
    choices = [
        {
            "index": at,
            "message": {"role": "assistant", "content": f"answer {at}"},
            "finish_reason": "stop",
            **({} if token is None else {"feedback_token": token}),
        }
        for at, token in enumerate(tokens)
    ]
    completion = {
        "id": "chatcmpl-1",
        "object": "chat.completion",
        "created": 1741570285,
        "model": model,
        "choices": choices,
    }
    return json.dumps(completion).encode()


def carrying(person: Person, *tokens: Any, model: str = "gpt-4o") -> UUID:
    """An inspected capture."""
    return inspected(person, body_of(*tokens, model=model))


def address_of(person: Person) -> VoteAddress:
    return VoteAddress(person.team.pk)


def token_for(person: Person, capture_id: UUID, choice: int = 0, **more: Any) -> str:
    issued = issue_tokens.issue_token(person.principal, capture_id, choice, **more)
    assert issued is not None
    return issued.token


def vote(
    person: Person, token: str, outcome: str = "positive", **more: Any
) -> CastVote | VoteRefusal:
    return cast_vote(address_of(person), Ballot(token, outcome, **more))


def voted(person: Person, token: str, outcome: str = "positive", **more: Any) -> CastVote:
    found = vote(person, token, outcome, **more)
    assert isinstance(found, CastVote), found
    return found


def sums(span_seconds: int = DAY_SECONDS) -> dict[str, int]:
    """By outcome."""
    found = VoteSum.objects.filter(span_seconds=span_seconds).order_by()
    return dict(found.values_list("outcome").annotate(Sum("votes")))


def assert_sums_are_of_live_votes() -> None:
    """Every sum is what counting the live votes gives, and there is no other."""
    counted: dict[tuple[Any, ...], int] = {}
    for each in Vote.objects.filter(LIVE):
        for span in SPANS:
            start = start_of(each.created_at, span)
            place = each.team_id, span, start, each.outcome
            counted[place] = counted.get(place, 0) + 1
    stored = {
        (each.team_id, each.span_seconds, each.start, each.outcome): each.votes
        for each in VoteSum.objects.all()
    }
    assert stored == counted
