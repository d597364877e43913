"""Votes by token, without an API key; feedback tokens; and the votes of a team."""

from api.operations.filter_parameters import filter_parameters
from api.operations.operation import (
    CAPTURE_ID,
    FORM,
    JSON,
    Endpoint,
    Operation,
    Parameter,
    ResponseBody,
    get,
    in_path,
    limit,
    v1,
)
from api.schemas.feedback import (
    LiveOutcome,
    NewToken,
    RevokedTokens,
    StoredVote,
    TokenRequest,
    TriageRequest,
    TriageResult,
    VoteDetail,
    VoteListBody,
    VoteRequest,
)
from inspector.feedback.queries import MAX_PAGE_ROWS
from inspector.feedback.vote_fields import VOTE_FIELDS
from inspector.teams.access import FEEDBACK as FEEDBACK_SCOPE
from inspector.teams.access import READ
from inspector.teams.authorisation import ANYBODY, AuthMethod

TAG = "feedback"
TAG_TEXTS = {TAG: "Votes on choices, and the tokens that allow them"}
CHOICE = in_path("choice", "index of the choice, as the provider sent it")
VOTE_ID = in_path("vote", "id of the vote", format="uuid")
TEAM = in_path("team", "the name of the team in addresses")


def _votes(route: str, path: str, show: str, cast: str, *parameters: Parameter) -> Endpoint:
    """Return the address that takes votes: at the root, and below each team's own address. Each has
    operation ids of its own: a client generated from shared ones would lack a function.
    """
    return Endpoint(
        route,
        path,
        TAG,
        (
            Operation(
                "GET",
                show,
                ANYBODY,
                "get the outcome of the user's live vote by its token, without an API key",
                {200: ResponseBody("the outcome; null if the user has not voted", LiveOutcome)},
                errors=(400, 404),
                parameters=(
                    *parameters,
                    Parameter("feedback_token", "token of a choice", is_required=True),
                    Parameter("user_id", "user_id of the vote; without it, the vote of no user"),
                ),
            ),
            Operation(
                "POST",
                cast,
                ANYBODY,
                "vote on a choice by its token, without an API key",
                {200: ResponseBody("the live vote; the same vote changes nothing", StoredVote)},
                errors=(404,),
                parameters=parameters,
                body={JSON: VoteRequest, FORM: VoteRequest},
            ),
        ),
        AuthMethod.OPEN,
        # The CORS preflight.
        {"OPTIONS": ANYBODY},
    )


VOTE = _votes("api:vote", "v1/feedback", "show_vote", "cast_vote")
TEAM_VOTE = _votes(
    "api:vote-of-team", "t/<str:team>/v1/feedback", "show_team_vote", "cast_team_vote", TEAM
)
TOKEN = v1(
    "feedback-token",
    "captures/<str:capture_id>/choices/<str:choice>/feedback-token/",
    TAG,
    Operation(
        "POST",
        "create_feedback_token",
        FEEDBACK_SCOPE,
        "issue a signed token for one choice",
        {201: ResponseBody("the token, which is shown only this once", NewToken)},
        errors=(404, 409),
        parameters=(CAPTURE_ID, CHOICE),
        body={JSON: TokenRequest},
    ),
    Operation(
        "DELETE",
        "revoke_feedback_token",
        FEEDBACK_SCOPE,
        "revoke one token, or all that were issued for the choice",
        {200: ResponseBody("what was revoked", RevokedTokens)},
        errors=(404, 409),
        parameters=(
            CAPTURE_ID,
            CHOICE,
            Parameter("id", "id of the token; without it, all tokens of the choice"),
        ),
    ),
)
FEEDBACK = v1(
    "feedback",
    "feedback/",
    TAG,
    get(
        "list_feedback",
        READ,
        "list live votes, newest first",
        ResponseBody("one page", VoteListBody),
        Parameter("cursor", "`next_cursor` of a page: votes older than this, newest first"),
        limit(MAX_PAGE_ROWS),
        *filter_parameters(VOTE_FIELDS),
    ),
)
FEEDBACK_VOTE = v1(
    "feedback-vote",
    "feedback/<str:vote>/",
    TAG,
    get(
        "show_feedback",
        READ,
        "get a vote, the earlier votes of the same user, and its triage",
        ResponseBody("the vote", VoteDetail),
        VOTE_ID,
        errors=(404,),
    ),
    Operation(
        "PATCH",
        "triage_feedback",
        FEEDBACK_SCOPE,
        "record a step of triage",
        {200: ResponseBody("the triage state now", TriageResult)},
        errors=(404,),
        parameters=(VOTE_ID,),
        body={JSON: TriageRequest},
    ),
)
ENDPOINTS = (VOTE, TEAM_VOTE, TOKEN, FEEDBACK, FEEDBACK_VOTE)
