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
from inspector.core.wire.exchange import TransportOutcome
from inspector.usage.cost.unknown import CostUnknownReason
from inspector.usage.cost.unpriced import UnpricedKind

STATE: Schema = one_of(State)
CUTS: Schema = {"type": "array", "items": object_of(pointer=STRING, length=COUNT)}
ACCEPTED = object_of(
    id=ID, state=STATE, duplicate=BOOLEAN, url=URL, page=URL, analysis=ref("Analysis"),
    ledger=ref("Ledger"), cuts=CUTS, optional=("analysis", "ledger", "cuts"),
)  # fmt: skip

MONEY = or_null(STRING)
MISSING: Schema = {
    "type": "array",
    "items": object_of(count=COUNT, what=one_of(UnpricedKind), name=STRING),
}
COMPUTED = object_of(
    computed_usd=MONEY,
    missing=MISSING,
    reason=or_null(one_of(CostUnknownReason)),
    table=STRING,
)

HEADERS: Schema = {
    "type": "array",
    "items": {"type": "array", "prefixItems": [STRING, STRING], "minItems": 2, "maxItems": 2},
    "description": "names and values in their order; null if nobody sent them along",
}
EXCHANGE = object_of(
    status=or_null({"type": "integer"}),
    headers=or_null(HEADERS),
    request=or_null(
        object_of(method=or_null(STRING), url=or_null(STRING), headers=or_null(HEADERS))
    ),
    started_at=or_null(TIME),
    outcome=one_of(TransportOutcome),
    metadata=ANY_OBJECT,
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
                exchange=ref("Exchange"),
                created_at={
                    **or_null(TIME),
                    "description": "the moment that created names, null if it names none",
                },
                removed=or_null(ref("Removal")),
                same_bytes_as={"type": "array", "items": ID},
                attempt=COUNT,
                quarantine_reason=or_null(STRING),
                analysis={
                    **or_null(ref("Analysis")),
                    "description": "completion is null here: the assembled object stands at "
                    "/api/v1/captures/<id>/completion/",
                },
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
    "Exchange": EXCHANGE,
    "CostReceipt": object_of(
        **COMPUTED["properties"] | {"table": or_null(STRING), "missing": or_null(MISSING)},
        why_unknown=or_null(STRING),
        stated_usd=MONEY,
        stated_at=or_null(STRING),
        difference_usd=MONEY,
        differs=or_null(BOOLEAN),
        provider=or_null(STRING),
        model=or_null(STRING),
        tier=or_null(STRING),
        lines={
            "type": "array",
            "items": object_of(
                what=STRING, count=COUNT, rate_usd=STRING, per=COUNT, amount_usd=STRING
            ),
        },
        notes=STRINGS,
        counted=ref("ComputedCost"),
    ),
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
