"""Usage over a period, what changed in it, and what it is paid for."""

from __future__ import annotations

from api.openapi.operation import operation, parameter
from api.openapi.schema import ref
from inspector.archive.moments import FORMS
from inspector.usage.alike import BY
from inspector.usage.periods import RANGES

PERIOD = (
    parameter("range", "up to now", enum=[*RANGES]),
    parameter("since", f"in place of range: {FORMS}"),
    parameter("until", f"{FORMS}; now if left out"),
)
show_usage = operation(
    "show_usage",
    "sums over the captures of a period, by group",
    {200: ("each measure with how many captures told it", ref("PeriodUsage"))},
    parameters=(
        parameter("by", "what to group by", enum=[*BY]),
        *PERIOD,
    ),
)
show_drift = operation(
    "show_drift",
    "what changed in what models answered, newest first, each change with its test",
    {200: ("changes that began in the period", ref("PeriodDrift"))},
    parameters=PERIOD,
)
show_prices = operation(
    "show_prices",
    "the price table, and the rates that the team pays in place of it, the newest first",
    {200: ("rates in USD per million tokens, of a request USD each", ref("Prices"))},
)
