"""Schemas of captures, in the list and on their own, and of the responses to senders."""

from __future__ import annotations

from api.openapi.schema import (
    ANY_OBJECT,
    BOOLEAN,
    COUNT,
    ID,
    STRING,
    STRINGS,
    TIME,
    URL,
    Schema,
    array_of,
    object_of,
    one_of,
    or_null,
    ref,
)
from inspector.archive.models import State
from inspector.usage.cost.notes import CostNoteCode, JsonType
from inspector.usage.cost.token_kinds import TokenKind
from inspector.usage.cost.unknown import CostUnknownReason
from inspector.usage.cost.unpriced import UnpricedKind

STATE: Schema = one_of(State)
CUTS: Schema = {"type": "array", "items": object_of(pointer=STRING, length=COUNT)}
ACCEPTED = object_of(
    id=ID, state=STATE, duplicate=BOOLEAN, url=URL, page=URL, analysis=ref("Analysis"),
    ledger=ref("Ledger"), cuts=CUTS, optional=("analysis", "ledger", "cuts"),
)  # fmt: skip

MONEY = or_null(STRING)
UNPRICED_ITEMS: Schema = {
    "type": "array",
    "items": object_of(count=COUNT, kind=one_of(UnpricedKind), field=STRING),
}
SENT_VALUE = object_of(type=one_of(JsonType), text=STRING, is_cut=BOOLEAN)
NOTE_VALUE: Schema = {"anyOf": [COUNT, STRING, SENT_VALUE, {"type": "null"}]}
COST_NOTE = object_of(
    code=one_of(CostNoteCode),
    values={
        "type": "object",
        "additionalProperties": {"anyOf": [NOTE_VALUE, {"type": "array", "items": NOTE_VALUE}]},
    },
)
COMPUTED = object_of(
    computed_usd=MONEY,
    unpriced_items=UNPRICED_ITEMS,
    reason=or_null(one_of(CostUnknownReason)),
    table=STRING,
)

SHAPES: dict[str, Schema] = {
    "Accepted": ACCEPTED,
    "CaptureList": object_of(
        captures=array_of("Capture"),
        older=or_null(STRING),
        newest=or_null(STRING),
    ),
    "CapturePage": {
        "allOf": [
            ref("Capture"),
            object_of(
                team=STRING,
                cost=or_null(ref("CostReceipt")),
                content_type=or_null(STRING),
                status_code=or_null({"type": "integer"}),
                sha256=STRING,
                note=STRING,
                metadata=ANY_OBJECT,
                source=or_null(STRING),
                request=object_of(
                    method=or_null(STRING), url=or_null(STRING), model=or_null(STRING)
                ),
                removed=or_null(ref("Removal")),
                same_bytes_as={"type": "array", "items": ID},
                attempt=COUNT,
                quarantine_reason=or_null(STRING),
                analysis=or_null(ref("Analysis")),
                ledger=or_null(ref("Ledger")),
                cuts=CUTS,
                previous=or_null(
                    object_of(
                        analysis_version=COUNT,
                        changes=array_of("AnalysisChange"),
                        left_out=COUNT,
                    )
                ),
            ),
        ]
    },
    "ComputedCost": COMPUTED,
    "CostReceipt": object_of(
        **COMPUTED["properties"]
        | {"table": or_null(STRING), "unpriced_items": or_null(UNPRICED_ITEMS)},
        detail=or_null(ref("CostNote")),
        stated_usd=MONEY,
        stated_at=or_null(STRING),
        difference_usd=MONEY,
        contradicts_stated=or_null(BOOLEAN),
        provider=or_null(STRING),
        model=or_null(STRING),
        service_tiers={"type": "array", "items": {"anyOf": [STRING, SENT_VALUE]}},
        lines={
            "type": "array",
            "items": object_of(
                kind=one_of(TokenKind),
                count=COUNT,
                rate_usd=STRING,
                per=COUNT,
                amount_usd=STRING,
                without={"type": "array", "items": one_of(TokenKind)},
                outside=or_null(one_of(TokenKind)),
            ),
        },
        notes=array_of("CostNote"),
        as_aggregated=ref("ComputedCost"),
    ),
    "CostNote": COST_NOTE,
    "Annotation": {
        **object_of(optional=("tags", "note"), tags=STRINGS, note=STRING),
        "additionalProperties": False,
        "minProperties": 1,
    },
    "Annotated": object_of(id=ID, tags=STRINGS, note=STRING),
    "Receipt": object_of(
        id=ID,
        state={"const": "gone"},
        received_at=TIME,
        sha256=STRING,
        byte_length=COUNT,
        deleted_at=TIME,
        deleted_by=STRING,
        feedback_tokens=COUNT,
        feedback_votes=COUNT,
    ),
    "Findings": object_of(findings=array_of("Finding")),
    "Inspected": object_of(analysis=ref("Analysis"), ledger=ref("Ledger"), cuts=CUTS),
    "Ledger": object_of(
        total=or_null(ref("UsageLedgerEntry")),
        countings=array_of("TokenInclusion"),
        lines=array_of("LedgerLine"),
        costs=array_of("UsageLedgerCost"),
    ),
    "BatchResult": object_of(
        optional=("id", "state", "duplicate", "url", "page", "error"),
        line={"type": "integer", "minimum": 1},
        status={"type": "integer"},
        id=ID,
        state=STATE,
        duplicate=BOOLEAN,
        url=URL,
        page=URL,
        error=object_of(code=STRING, message=STRING),
    ),
}
