"""Usage, drift and prices."""

from api.operations.operation import Operation, Parameter, ResponseBody, single, v1
from api.schemas.usage import PeriodDrift, PriceList
from inspector.period_usage import PeriodUsage
from inspector.query.time_input import TIME_FORMATS
from inspector.teams.access import READ
from inspector.usage.rollup.dimensions import DIMENSIONS
from inspector.usage.rollup.periods import RANGES

TAG = "usage"
TAG_TEXTS = {TAG: "Sums over captures, drift and prices"}
PERIOD = (
    single("range", "a period that ends now", RANGES),
    Parameter("since", f"instead of range: {TIME_FORMATS}"),
    Parameter("until", f"{TIME_FORMATS}; without it, now"),
)

USAGE = v1(
    "usage",
    "usage/",
    TAG,
    Operation(
        "GET",
        "show_usage",
        READ,
        "get sums over the captures of a period, by group",
        {200: ResponseBody("each sum with the number of captures in it", PeriodUsage)},
        parameters=(single("by", "dimension to group by", DIMENSIONS), *PERIOD),
    ),
)
DRIFT = v1(
    "drift",
    "usage/drift/",
    TAG,
    Operation(
        "GET",
        "show_drift",
        READ,
        "list detected changes in the responses of models, each with its statistical test",
        {200: ResponseBody("changes that began in the period, newest first", PeriodDrift)},
        parameters=PERIOD,
    ),
)
PRICES = v1(
    "prices",
    "usage/prices/",
    TAG,
    Operation(
        "GET",
        "show_prices",
        READ,
        "get the version of the price table, and the team's own rates",
        {200: ResponseBody("rates in USD per million tokens, or USD per request", PriceList)},
    ),
)
ENDPOINTS = (USAGE, DRIFT, PRICES)
