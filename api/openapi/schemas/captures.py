"""Captures, in the list and on their own, and what is answered to whoever sends one."""

from __future__ import annotations

from api.openapi.schema import (
    ANYTHING,
    COUNT,
    ID,
    TEXT,
    TEXTS,
    TIME,
    URL,
    YES_OR_NO,
    Schema,
    array_of,
    object_of,
    one_of,
    or_null,
    ref,
)
from inspector.archive.models import State
from inspector.usage.missing import Unpriced
from inspector.usage.unknown import Reason

STATE: Schema = one_of(State)
CUTS: Schema = {"type": "array", "items": object_of(pointer=TEXT, length=COUNT)}
ACCEPTED = object_of(
    id=ID, state=STATE, duplicate=YES_OR_NO, url=URL, page=URL, analysis=ref("Analysis"),
    ledger=ref("Ledger"), cuts=CUTS, optional=("analysis", "ledger", "cuts"),
)  # fmt: skip

MONEY = or_null(TEXT)
MISSING: Schema = {
    "type": "array",
    "items": object_of(count=COUNT, what=one_of(Unpriced), name=TEXT),
}
COMPUTED = object_of(
    computed_usd=MONEY,
    missing=MISSING,
    reason=or_null(one_of(Reason)),
    table=TEXT,
)

SHAPES: dict[str, Schema] = {
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
                cost=or_null(ref("CostReceipt")),
                content_type=or_null(TEXT),
                status_code=or_null({"type": "integer"}),
                sha256=TEXT,
                note=TEXT,
                metadata=ANYTHING,
                source=or_null(TEXT),
                request=object_of(method=or_null(TEXT), url=or_null(TEXT), model=or_null(TEXT)),
                removed=or_null(ref("Removal")),
                same_bytes_as={"type": "array", "items": ID},
                attempt=COUNT,
                quarantine_reason=or_null(TEXT),
                analysis=or_null(ref("Analysis")),
                ledger=or_null(ref("Ledger")),
                cuts=CUTS,
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
    "ComputedCost": COMPUTED,
    "CostReceipt": object_of(
        **COMPUTED["properties"] | {"table": or_null(TEXT), "missing": or_null(MISSING)},
        why_unknown=or_null(TEXT),
        stated_usd=MONEY,
        stated_at=or_null(TEXT),
        difference_usd=MONEY,
        differs=or_null(YES_OR_NO),
        provider=or_null(TEXT),
        model=or_null(TEXT),
        tier=or_null(TEXT),
        lines={
            "type": "array",
            "items": object_of(what=TEXT, count=COUNT, rate_usd=TEXT, per=COUNT, amount_usd=TEXT),
        },
        notes=TEXTS,
        counted=ref("ComputedCost"),
    ),
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
    "Inspected": object_of(analysis=ref("Analysis"), ledger=ref("Ledger"), cuts=CUTS),
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
}
