"""Stored values that are like one that no capture has, for a list that holds nothing."""

from django.db.models import Q, QuerySet

from inspector.archive.models import Capture
from inspector.database.portability import StatementTimeout, time_limit

COLUMNS = {
    "model": "inspection__named_model",
    "request_model": "inspection__request_model",
    "vendor": "inspection__vendor",
}
MAX_NEAR = 3
"""They stand in one sentence."""
LIMIT_MILLISECONDS = 500
"""On top of a list that took its time and is empty; without them it is shown all the same."""


def near_values(captures: QuerySet[Capture], name: str, value: str) -> tuple[str, ...] | None:
    """Values that hold this one or differ from it in case only, in their order.

    None where a capture has the value, where no value can be compared, or where looking takes too
    long.
    """
    column = COLUMNS.get(name)
    if column is None:
        return None
    try:
        with time_limit(LIMIT_MILLISECONDS):
            if captures.filter(Q(**{column: value})).exists():
                return None
            found = captures.filter(Q(**{f"{column}__holds": value})).order_by(column)
            return tuple(found.values_list(column, flat=True).distinct()[:MAX_NEAR])
    except StatementTimeout:
        return None
