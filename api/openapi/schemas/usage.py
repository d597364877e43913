"""Sums of a period, marks of drift, prices."""

from __future__ import annotations

from api.openapi.schema import (
    COUNT,
    COUNTS,
    DAY,
    ID,
    TEXT,
    TIME,
    URL,
    YES_OR_NO,
    Schema,
    array_of,
    counts_by,
    object_of,
    one_of,
    or_null,
    ref,
)
from inspector.usage.changes import Direction
from inspector.usage.drift import Subject
from inspector.usage.missing import Unpriced
from inspector.usage.unknown import Reason

MONEY: Schema = object_of(sum=or_null(TEXT), captures=COUNT)
PERCENTILES = object_of(p50=or_null(COUNT), p95=or_null(COUNT), p99=or_null(COUNT))
TALLY = object_of(positive=COUNT, negative=COUNT)

SHAPES: dict[str, Schema] = {
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
        further_finish_reasons=COUNT,
        usage_reported=COUNT,
        tokens={
            "type": "object",
            "additionalProperties": object_of(sum=COUNT, captures=COUNT),
        },
        computed_usd=MONEY,
        at_least_usd=MONEY,
        stated_usd=MONEY,
        both_computed_usd=MONEY,
        both_at_least_usd=MONEY,
        both_stated_usd=MONEY,
        cost_unknown=counts_by(Reason),
        cost_without=counts_by(Unpriced),
        cost_tables=COUNTS,
        cost_differs=COUNT,
        cost_stated_partly=COUNT,
        cost_stated_odd=COUNT,
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
        subject=one_of(Subject),
        direction=one_of(Direction),
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
        service_tier=or_null(TEXT),
        rates={"type": "object", "additionalProperties": TEXT},
        starts=DAY,
        ends=or_null(DAY),
        made_at=TIME,
        made_by=TEXT,
        ended_at=or_null(TIME),
        ended_by=or_null(TEXT),
    ),
}
