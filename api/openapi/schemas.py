"""What the API says, as JSON Schema: the core's own values, and the shapes around them."""

from __future__ import annotations

from typing import Any

import msgspec

from api.ballots import COMMENT_CHARACTERS
from inspector.archive.models import State
from inspector.archive.values import CaptureRow
from inspector.core.analysis import Analysis
from inspector.core.changes import Change
from inspector.core.counting import Counting
from inspector.core.findings import Finding
from inspector.core.invariants import Line
from inspector.core.ledger import Cost, Entry
from inspector.core.tape import Tape
from inspector.feedback.issuing import LONGEST_SECONDS
from inspector.feedback.models import USER_CHARACTERS, Outcome, TokenKind, TriageState
from inspector.feedback.triage import NOTE_CHARACTERS
from inspector.transfer.envelope import Envelope
from inspector.usage.changes import Direction
from inspector.usage.drift import Subject

Schema = dict[str, Any]

TEXT: Schema = {"type": "string"}
TEXTS: Schema = {"type": "array", "items": TEXT}
COUNT: Schema = {"type": "integer", "minimum": 0}
ID: Schema = {"type": "string", "format": "uuid"}
TIME: Schema = {"type": "string", "format": "date-time"}
URL: Schema = {"type": "string", "format": "uri"}
OUTCOME: Schema = {"type": "string", "enum": list(Outcome)}
TRIAGE: Schema = {"type": "string", "enum": list(TriageState)}
STATE: Schema = {"type": "string", "enum": list(State)}
YES_OR_NO: Schema = {"type": "boolean"}
ANYTHING: Schema = {"type": "object", "additionalProperties": True}
DAY: Schema = {"type": "string", "format": "date"}
COUNTS: Schema = {"type": "object", "additionalProperties": COUNT}

_VALUES = (Analysis, Counting, Cost, Entry, Line, Tape, Finding, Change, Envelope, CaptureRow)


def ref(name: str) -> Schema:
    return {"$ref": f"#/components/schemas/{name}"}


def object_of(optional: tuple[str, ...] = (), **members: Schema) -> Schema:
    required = [name for name in members if name not in optional]
    return {"type": "object", "properties": members, "required": required}


def array_of(name: str) -> Schema:
    return {"type": "array", "items": ref(name)}


def or_null(schema: Schema) -> Schema:
    return {"anyOf": [schema, {"type": "null"}]}


def components() -> dict[str, Schema]:
    _, found = msgspec.json.schema_components(_VALUES, ref_template="#/components/schemas/{name}")
    return {**found, **_SHAPES, "Capture": _capture(found["CaptureRow"])}


def _capture(row: Schema) -> Schema:
    """One line of the list with the two addresses that the API adds."""
    members = {**row["properties"], "url": URL, "page": URL}
    return {**row, "title": "Capture", "properties": members, "required": list(members)}


MONEY: Schema = object_of(sum=or_null(TEXT), captures=COUNT)
PERCENTILES = object_of(p50=or_null(COUNT), p95=or_null(COUNT), p99=or_null(COUNT))

ACCEPTED = object_of(
    id=ID, state=STATE, duplicate=YES_OR_NO, url=URL, page=URL, analysis=ref("Analysis"),
    ledger=ref("Ledger"), optional=("analysis", "ledger"),
)  # fmt: skip

TALLY = object_of(positive=COUNT, negative=COUNT)
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

_SHAPES: dict[str, Schema] = {
    "Error": object_of(
        error=object_of(
            code=TEXT,
            message=TEXT,
            request_id=TEXT,
            status_code={"type": "integer"},
            optional=("status_code",),
        )
    ),
    "Accepted": ACCEPTED,
    "CaptureList": object_of(
        captures=array_of("Capture"),
        older=or_null(TEXT),
        newest=or_null(TEXT),
    ),
    "CapturePage": {
        "allOf": [
            ref("Capture"),
            object_of(
                team=TEXT,
                content_type=or_null(TEXT),
                status_code=or_null({"type": "integer"}),
                sha256=TEXT,
                note=TEXT,
                metadata=ANYTHING,
                source=or_null(TEXT),
                request=object_of(method=or_null(TEXT), url=or_null(TEXT), model=or_null(TEXT)),
                same_bytes_as={"type": "array", "items": ID},
                attempt=COUNT,
                quarantine_reason=or_null(TEXT),
                analysis=or_null(ref("Analysis")),
                ledger=or_null(ref("Ledger")),
                cuts={"type": "array", "items": object_of(pointer=TEXT, length=COUNT)},
                previous=or_null(
                    object_of(
                        analysis_version=COUNT,
                        changes=array_of("Change"),
                        left_out=COUNT,
                    )
                ),
            ),
        ]
    },
    "Annotation": {
        **object_of(optional=("tags", "note"), tags=TEXTS, note=TEXT),
        "additionalProperties": False,
        "minProperties": 1,
    },
    "Annotated": object_of(id=ID, tags=TEXTS, note=TEXT),
    "Receipt": object_of(
        id=ID,
        state={"const": "gone"},
        received_at=TIME,
        sha256=TEXT,
        byte_length=COUNT,
        deleted_at=TIME,
        deleted_by=TEXT,
        feedback_tokens=COUNT,
        feedback_votes=COUNT,
    ),
    "Findings": object_of(findings=array_of("Finding")),
    "Inspected": object_of(analysis=ref("Analysis"), ledger=ref("Ledger")),
    "Ledger": object_of(
        total=or_null(ref("Entry")),
        countings=array_of("Counting"),
        lines=array_of("Line"),
        costs=array_of("Cost"),
    ),
    "BatchResult": object_of(
        optional=("id", "state", "duplicate", "url", "page", "error"),
        line={"type": "integer", "minimum": 1},
        status={"type": "integer"},
        id=ID,
        state=STATE,
        duplicate=YES_OR_NO,
        url=URL,
        page=URL,
        error=object_of(code=TEXT, message=TEXT),
    ),
    "Root": object_of(
        limits={"type": "object", "additionalProperties": COUNT},
        versions=object_of(api=TEXT, analysis=COUNT),
        filters={"type": "object", "additionalProperties": or_null(TEXTS)},
        links={"type": "object", "additionalProperties": TEXT},
    ),
    "PeriodUsage": object_of(
        since=TIME,
        until=TIME,
        slot_seconds=COUNT,
        by=TEXT,
        all=ref("GroupUsage"),
        groups=array_of("GroupUsage"),
        more_groups=COUNT,
        feedback=object_of(
            all=TALLY,
            groups=or_null(
                {"type": "array", "items": object_of(value=or_null(TEXT), **TALLY["properties"])}
            ),
        ),
    ),
    "GroupUsage": object_of(
        value=or_null(TEXT),
        captures=COUNT,
        streamed=COUNT,
        verdicts=COUNTS,
        finish_reasons=COUNTS,
        usage_reported=COUNT,
        tokens={
            "type": "object",
            "additionalProperties": object_of(sum=COUNT, captures=COUNT),
        },
        computed_usd=MONEY,
        stated_usd=MONEY,
        both_computed_usd=MONEY,
        both_stated_usd=MONEY,
        cost_unknown=COUNTS,
        cost_tables=COUNTS,
        cost_differs=COUNT,
        cost_stated_partly=COUNT,
        first_token_us=PERCENTILES,
        duration_us=PERCENTILES,
        gap_us=PERCENTILES,
        bytes=PERCENTILES,
    ),
    "PeriodDrift": object_of(
        since=TIME,
        until=TIME,
        slot_seconds=COUNT,
        marks=array_of("Mark"),
        more=YES_OR_NO,
    ),
    "Mark": object_of(
        at=TIME,
        hour=TIME,
        subject={"type": "string", "enum": [*Subject]},
        direction={"type": "string", "enum": [*Direction]},
        vendor=or_null(TEXT),
        model=or_null(TEXT),
        what=or_null(TEXT),
        is_switch=YES_OR_NO,
        replaces=or_null(TEXT),
        streamed=or_null(YES_OR_NO),
        before=object_of(captures=COUNT, value=COUNT),
        since=object_of(captures=COUNT, value=COUNT),
        test=TEXT,
        captures={"type": "array", "items": object_of(id=ID, url=URL, page=URL)},
    ),
    "Prices": object_of(table=TEXT, prices=array_of("Price")),
    "Price": object_of(
        vendor=or_null(TEXT),
        model=TEXT,
        is_prefix=YES_OR_NO,
        rates={"type": "object", "additionalProperties": TEXT},
        starts=DAY,
        ends=or_null(DAY),
        made_at=TIME,
        made_by=TEXT,
        ended_at=or_null(TIME),
        ended_by=or_null(TEXT),
    ),
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
    "Alive": object_of(alive=YES_OR_NO),
    "Ready": object_of(
        optional=("totals",),
        ready=YES_OR_NO,
        checks={"type": "object", "additionalProperties": {"enum": ["yes", "no"]}},
        totals={"type": "object", "additionalProperties": or_null(COUNT)},
    ),
}
