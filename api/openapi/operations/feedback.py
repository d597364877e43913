"""Votes by token and without a key; tokens made and revoked; the votes of a team."""

from __future__ import annotations

from drf_spectacular.utils import OpenApiParameter

from api.openapi.operation import (
    CAPTURE_ID,
    FORM,
    IF_NONE_MATCH,
    JSON,
    operation,
    parameter,
)
from api.openapi.schema import ref
from inspector.archive.moments import FORMS
from inspector.feedback import conditions

ABOUT = {
    "since": FORMS,
    "until": FORMS,
    "comment": "with one, or without",
    "verified": "by a token of ours, or not",
    "waiting": "for the capture that carries the token, or not",
    "user": "as user_id names them; empty for those without a name",
    "capture": "its id",
    "choice": "its index, as it was sent",
}
VOTE_ID = OpenApiParameter(
    "vote", {"type": "string", "format": "uuid"}, OpenApiParameter.PATH, description="of the vote"
)
CHOICE = OpenApiParameter(
    "choice", {"type": "string"}, OpenApiParameter.PATH, description="its index, as it was sent"
)


def _vote_filters() -> tuple[OpenApiParameter, ...]:
    several = [
        parameter(name, "any of them; of tag, all", many=True, enum=_known_of_votes(name))
        for name in conditions.MANY
    ]
    once = [parameter(name, ABOUT[name], enum=_known_of_votes(name)) for name in conditions.ONCE]
    return (*several, *once)


def _known_of_votes(name: str) -> list[str] | None:
    found = conditions.vocabulary(name)
    return [str(value) for value in found] if found is not None else None


# At the root and below a team's address: two names, or a generated client has one call too few.
cast_vote, cast_team_vote = (
    operation(
        name,
        "a vote on a choice, by its token and without a key",
        {200: ("as it stands now: the same again changes nothing", ref("CastVote"))},
        refuses=(404,),
        takes={JSON: ref("Ballot"), FORM: ref("Ballot")},
        keyed=False,
    )
    for name in ("cast_vote", "cast_team_vote")
)
show_vote, show_team_vote = (
    operation(
        name,
        "what this user says now, by the token and without a key",
        {200: ("null where nothing was said", ref("Said"))},
        refuses=(400, 404),
        parameters=(
            OpenApiParameter("feedback_token", description="of a choice", required=True),
            parameter("user_id", "whom the vote named; nobody if left out"),
        ),
        keyed=False,
    )
    for name in ("show_vote", "show_team_vote")
)
create_feedback_token = operation(
    "create_feedback_token",
    "a signed token for one choice",
    {201: ("the token, for the only time it is told", ref("IssuedToken"))},
    refuses=(404, 409),
    parameters=(CAPTURE_ID, CHOICE),
    takes={JSON: ref("WantedToken")},
)
revoke_feedback_token = operation(
    "revoke_feedback_token",
    "one token by its id, or all that were made for the choice up to now",
    {200: ("what was revoked", ref("RevokedToken"))},
    refuses=(404, 409),
    parameters=(CAPTURE_ID, CHOICE, parameter("id", "of the token; all if left out")),
)
list_feedback = operation(
    "list_feedback",
    "live votes, newest first",
    {200: ("one page", ref("VoteList")), 304: ("not changed", None)},
    parameters=(
        parameter("before", "cursor: the next page of older ones"),
        parameter("limit", "rows, 200 at most", type={"type": "integer", "minimum": 1}),
        *_vote_filters(),
        IF_NONE_MATCH,
    ),
)
show_feedback = operation(
    "show_feedback",
    "a vote, what the same user said before, and its triage",
    {200: ("all of it", ref("VotePage")), 304: ("not changed", None)},
    refuses=(404,),
    parameters=(VOTE_ID, IF_NONE_MATCH),
)
triage_feedback = operation(
    "triage_feedback",
    "what the team makes of a vote",
    {200: ("as it is now", ref("Triaged"))},
    refuses=(404,),
    parameters=(VOTE_ID,),
    takes={JSON: ref("TriageStep")},
)
