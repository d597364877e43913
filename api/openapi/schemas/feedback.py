"""Votes, tokens and triage."""

from __future__ import annotations

from api.openapi.schema import (
    BOOLEAN,
    ID,
    STRING,
    TIME,
    URL,
    Schema,
    array_of,
    object_of,
    or_null,
    ref,
)
from api.vote_body import COMMENT_CHARACTERS
from inspector.feedback.issue_tokens import LONGEST_SECONDS
from inspector.feedback.models import USER_CHARACTERS, FeedbackTokenKind, TriageState, VoteOutcome
from inspector.feedback.triage import NOTE_CHARACTERS

OUTCOME: Schema = {"type": "string", "enum": list(VoteOutcome)}
TRIAGE: Schema = {"type": "string", "enum": list(TriageState)}
TRIAGE_STEPS: Schema = {
    "type": "array",
    "items": object_of(state=TRIAGE, note=STRING, at=TIME, by=STRING),
}
VOTE = object_of(
    id=ID, created_at=TIME, outcome=OUTCOME, comment=or_null(STRING), user_id=or_null(STRING),
    state=TRIAGE, capture=or_null(ID), choice=or_null({"type": "integer"}), model=or_null(STRING),
    vendor=or_null(STRING), verdict=or_null(STRING), verified=BOOLEAN, waiting=BOOLEAN,
    token=object_of(
        kind={"type": "string", "enum": list(FeedbackTokenKind)},
        says={"type": "object", "additionalProperties": STRING},
    ),
)  # fmt: skip

SHAPES: dict[str, Schema] = {
    "Ballot": {
        **object_of(
            optional=("comment", "user_id"),
            feedback_token=STRING,
            outcome=OUTCOME,
            comment=or_null({"type": "string", "maxLength": COMMENT_CHARACTERS}),
            user_id=or_null({"type": "string", "maxLength": USER_CHARACTERS}),
        ),
        "additionalProperties": False,
    },
    "CastVote": object_of(
        id=ID,
        outcome=OUTCOME,
        comment=or_null(STRING),
        user_id=or_null(STRING),
        verified=BOOLEAN,
        waiting=BOOLEAN,
    ),
    "LiveVote": object_of(outcome=or_null(OUTCOME)),
    "WantedToken": {
        **object_of(
            optional=("expires_in",),
            expires_in={"type": "integer", "minimum": 1, "maximum": LONGEST_SECONDS},
        ),
        "additionalProperties": False,
    },
    "IssuedToken": object_of(feedback_token=STRING, id=STRING, expires_at=TIME, url=URL),
    "RevokedToken": object_of(revoked=STRING),
    "Vote": VOTE,
    "VoteList": object_of(feedback=array_of("Vote"), older=or_null(STRING)),
    "VotePage": {
        "allOf": [
            ref("Vote"),
            object_of(
                team=STRING,
                superseded_at=or_null(TIME),
                superseded_by=or_null(ID),
                earlier={
                    "type": "array",
                    "items": object_of(
                        id=ID,
                        created_at=TIME,
                        superseded_at=or_null(TIME),
                        outcome=OUTCOME,
                        comment=or_null(STRING),
                        triage=TRIAGE_STEPS,
                    ),
                },
                triage=TRIAGE_STEPS,
            ),
        ]
    },
    "TriageStep": {
        **object_of(
            optional=("note",),
            state=TRIAGE,
            note={"type": "string", "maxLength": NOTE_CHARACTERS},
        ),
        "additionalProperties": False,
    },
    "Triaged": object_of(id=ID, state=TRIAGE),
}
