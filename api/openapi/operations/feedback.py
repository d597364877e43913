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
from inspector.archive.listing.time_input import TIME_FORMATS
from inspector.feedback import conditions

ABOUT = {
    "since": TIME_FORMATS,
    "until": TIME_FORMATS,
    "comment": "yes: only votes with a comment; no: only votes without",
    "verified": "yes: only votes by a token signed here; no: only by other tokens",
    "waiting": "yes: only votes whose capture has not arrived; no: only others",
    "user": "user_id of the vote; empty for votes without one",
    "capture": "id of the capture",
    "choice": "index of the choice, as the provider sent it",
}
VOTE_ID = OpenApiParameter(
    "vote",
    {"type": "string", "format": "uuid"},
    OpenApiParameter.PATH,
    description="id of the vote",
)
CHOICE = OpenApiParameter(
    "choice",
    {"type": "string"},
    OpenApiParameter.PATH,
    description="index of the choice, as the provider sent it",
)


def _vote_filters() -> tuple[OpenApiParameter, ...]:
    several = [
        parameter(
            name,
            "may be repeated: matches any of the values (tag: all of them)",
            many=True,
            enum=_known_of_votes(name),
        )
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
        "vote on a choice by its token, without an API key",
        {200: ("the live vote; repeating the same vote changes nothing", ref("CastVote"))},
        refuses=(404,),
        takes={JSON: ref("Ballot"), FORM: ref("Ballot")},
        keyed=False,
    )
    for name in ("cast_vote", "cast_team_vote")
)
show_vote, show_team_vote = (
    operation(
        name,
        "the live vote of this user by its token, without an API key",
        {200: ("the outcome; null where the user has not voted", ref("LiveVote"))},
        refuses=(400, 404),
        parameters=(
            OpenApiParameter("feedback_token", description="token of a choice", required=True),
            parameter("user_id", "user_id of the vote; left out: the vote without one"),
        ),
        keyed=False,
    )
    for name in ("show_vote", "show_team_vote")
)
create_feedback_token = operation(
    "create_feedback_token",
    "issue a signed token for one choice",
    {201: ("the token, which is shown only this once", ref("IssuedToken"))},
    refuses=(404, 409),
    parameters=(CAPTURE_ID, CHOICE),
    takes={JSON: ref("WantedToken")},
)
revoke_feedback_token = operation(
    "revoke_feedback_token",
    "revoke one token by its id, or all issued for the choice up to now",
    {200: ("what was revoked", ref("RevokedToken"))},
    refuses=(404, 409),
    parameters=(
        CAPTURE_ID,
        CHOICE,
        parameter("id", "id of the token; left out: all tokens of the choice"),
    ),
)
list_feedback = operation(
    "list_feedback",
    "live votes, newest first",
    {200: ("one page", ref("VoteList")), 304: ("not changed", None)},
    parameters=(
        parameter("before", "cursor: votes older than this, newest first"),
        parameter("limit", "number of rows, at most 200", type={"type": "integer", "minimum": 1}),
        *_vote_filters(),
        IF_NONE_MATCH,
    ),
)
show_feedback = operation(
    "show_feedback",
    "a vote, the earlier votes of the same user, and its triage",
    {200: ("the vote", ref("VotePage")), 304: ("not changed", None)},
    refuses=(404,),
    parameters=(VOTE_ID, IF_NONE_MATCH),
)
triage_feedback = operation(
    "triage_feedback",
    "record a triage step",
    {200: ("the triage state now", ref("Triaged"))},
    refuses=(404,),
    parameters=(VOTE_ID,),
    takes={JSON: ref("TriageStep")},
)
