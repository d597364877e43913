"""Votes, tokens and triage."""

from __future__ import annotations

from api.ballots import COMMENT_CHARACTERS
from api.openapi.schema import (
    ID,
    TEXT,
    TIME,
    URL,
    YES_OR_NO,
    Schema,
    array_of,
    object_of,
    or_null,
    ref,
)
from inspector.feedback.issuing import LONGEST_SECONDS
from inspector.feedback.models import USER_CHARACTERS, Outcome, TokenKind, TriageState
from inspector.feedback.triage import NOTE_CHARACTERS

OUTCOME: Schema = {"type": "string", "enum": list(Outcome)}
TRIAGE: Schema = {"type": "string", "enum": list(TriageState)}
TRIAGE_STEPS: Schema = {
    "type": "array",
    "items": object_of(state=TRIAGE, note=TEXT, at=TIME, by=TEXT),
}
VOTE = object_of(
    id=ID, created_at=TIME, outcome=OUTCOME, comment=or_null(TEXT), user_id=or_null(TEXT),
    state=TRIAGE, capture=or_null(ID), choice=or_null({"type": "integer"}), model=or_null(TEXT),
    vendor=or_null(TEXT), verdict=or_null(TEXT), verified=YES_OR_NO, waiting=YES_OR_NO,
    token=object_of(
        kind={"type": "string", "enum": list(TokenKind)},
        says={"type": "object", "additionalProperties": TEXT},
    ),
)  # fmt: skip

SHAPES: dict[str, Schema] = {
    "Ballot": {
        **object_of(
            optional=("comment", "user_id"),
            feedback_token=TEXT,
            outcome=OUTCOME,
            comment=or_null({"type": "string", "maxLength": COMMENT_CHARACTERS}),
            user_id=or_null({"type": "string", "maxLength": USER_CHARACTERS}),
        ),
        "additionalProperties": False,
    },
    "CastVote": object_of(
        id=ID,
        outcome=OUTCOME,
        comment=or_null(TEXT),
        user_id=or_null(TEXT),
        verified=YES_OR_NO,
        waiting=YES_OR_NO,
    ),
    "Said": object_of(outcome=or_null(OUTCOME)),
    "WantedToken": {
        **object_of(
            optional=("expires_in",),
            expires_in={"type": "integer", "minimum": 1, "maximum": LONGEST_SECONDS},
        ),
        "additionalProperties": False,
    },
    "IssuedToken": object_of(feedback_token=TEXT, id=TEXT, expires_at=TIME, url=URL),
    "RevokedToken": object_of(revoked=TEXT),
    "Vote": VOTE,
    "VoteList": object_of(feedback=array_of("Vote"), older=or_null(TEXT)),
    "VotePage": {
        "allOf": [
            ref("Vote"),
            object_of(
                team=TEXT,
                superseded_at=or_null(TIME),
                superseded_by=or_null(ID),
                earlier={
                    "type": "array",
                    "items": object_of(
                        id=ID,
                        created_at=TIME,
                        superseded_at=or_null(TIME),
                        outcome=OUTCOME,
                        comment=or_null(TEXT),
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
