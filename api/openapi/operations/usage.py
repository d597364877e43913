"""Operations on usage, drift and prices."""

from __future__ import annotations

from api.openapi.operation import operation, parameter
from api.openapi.schema import ref
from inspector.archive.listing.time_input import TIME_FORMATS
from inspector.usage.rollup.dimensions import DIMENSIONS
from inspector.usage.rollup.periods import RANGES

PERIOD = (
    parameter("range", "a period that ends now", enum=[*RANGES]),
    parameter("since", f"in place of range: {TIME_FORMATS}"),
    parameter("until", f"{TIME_FORMATS}; now if left out"),
)
show_usage = operation(
    "show_usage",
    "sums over the captures of a period, by group",
    {200: ("each measure with the number of captures that have it", ref("PeriodUsage"))},
    parameters=(
        parameter("by", "dimension to group by", enum=[*DIMENSIONS]),
        *PERIOD,
    ),
)
show_drift = operation(
    "show_drift",
    "detected changes in models' responses, newest first, each with its statistical test",
    {200: ("changes that began in the period", ref("PeriodDrift"))},
    parameters=PERIOD,
)
show_prices = operation(
    "show_prices",
    "the price table, and the team's own rates, newest first",
    {200: ("rates in USD per million tokens, or USD per request", ref("Prices"))},
)
