"""Schemas of usage sums, drift events and prices."""

from __future__ import annotations

from api.openapi.schema import (
    BOOLEAN,
    COUNT,
    COUNTS,
    DAY,
    ID,
    STRING,
    TIME,
    URL,
    Schema,
    array_of,
    counts_by,
    object_of,
    one_of,
    or_null,
    ref,
)
from inspector.usage.cost.token_kinds import TokenKind
from inspector.usage.cost.unknown import CostUnknownReason
from inspector.usage.cost.unpriced import UnpricedKind
from inspector.usage.drift.changes import Baseline, DriftDirection, DriftTestName
from inspector.usage.drift.detection import DriftSubject

MONEY: Schema = object_of(sum=or_null(STRING), captures=COUNT)
PERCENTILES = object_of(p50=or_null(COUNT), p95=or_null(COUNT), p99=or_null(COUNT))
NUMBER: Schema = {"type": "number"}
CHANGE_SIDE = object_of(captures=COUNT, value=COUNT)
TALLY = object_of(positive=COUNT, negative=COUNT)

SHAPES: dict[str, Schema] = {
    "PeriodUsage": object_of(
        since=TIME,
        until=TIME,
        slot_seconds=COUNT,
        by=STRING,
        all=ref("GroupUsage"),
        groups=array_of("GroupUsage"),
        more_groups=COUNT,
        feedback=object_of(
            all=TALLY,
            groups=or_null(
                {"type": "array", "items": object_of(value=or_null(STRING), **TALLY["properties"])}
            ),
        ),
    ),
    "GroupUsage": object_of(
        value=or_null(STRING),
        other_value=or_null(STRING),
        captures=COUNT,
        streamed=COUNT,
        verdicts=COUNTS,
        results=COUNTS,
        finish_reasons=COUNTS,
        further_finish_reasons=COUNT,
        usage_reported=COUNT,
        tokens={
            "type": "object",
            "additionalProperties": object_of(sum=COUNT, captures=COUNT),
        },
        computed_usd=MONEY,
        lower_bound_usd=MONEY,
        stated_usd=MONEY,
        computed_where_both_usd=MONEY,
        lower_bound_where_both_usd=MONEY,
        stated_where_both_usd=MONEY,
        cost_unknown=counts_by(CostUnknownReason),
        unpriced_items=counts_by(UnpricedKind),
        cost_tables=COUNTS,
        cost_contradicts_stated=COUNT,
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
        events=array_of("DriftEvent"),
        more=BOOLEAN,
    ),
    "DriftEvent": object_of(
        at=TIME,
        hour=TIME,
        subject=one_of(DriftSubject),
        direction=one_of(DriftDirection),
        vendor=or_null(STRING),
        model=or_null(STRING),
        value=or_null(STRING),
        replaces_value=BOOLEAN,
        replaced_value=or_null(STRING),
        streamed=or_null(BOOLEAN),
        before=CHANGE_SIDE,
        since=CHANGE_SIDE,
        test=ref("DriftTest"),
        replaced_test=or_null(ref("DriftTest")),
        captures={"type": "array", "items": object_of(id=ID, url=URL, page=URL)},
    ),
    "DriftTest": object_of(
        name=one_of(DriftTestName),
        p_value=NUMBER,
        before=CHANGE_SIDE,
        since=CHANGE_SIDE,
        baseline=one_of(Baseline),
        statistic=or_null(NUMBER),
        degrees_of_freedom=or_null(COUNT),
        persistence=or_null(object_of(stretches=COUNT, beyond=COUNT)),
    ),
    "Prices": object_of(table=STRING, prices=array_of("Price")),
    "Price": object_of(
        vendor=or_null(STRING),
        model=STRING,
        is_prefix=BOOLEAN,
        service_tier=or_null(STRING),
        rates={
            "type": "object",
            "propertyNames": one_of(TokenKind),
            "additionalProperties": STRING,
        },
        starts=DAY,
        ends=or_null(DAY),
        made_at=TIME,
        made_by=STRING,
        ended_at=or_null(TIME),
        ended_by=or_null(STRING),
    ),
}
