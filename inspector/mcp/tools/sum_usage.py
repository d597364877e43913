"""Sums over the captures of a period."""

from typing import Annotated, Any

import msgspec
from django.utils import timezone
from msgspec import Meta

from api.api_error import ApiError
from inspector.core.json.encoding import plain_value
from inspector.mcp.bounds import without_empty
from inspector.mcp.tool import Tool
from inspector.period_usage import GroupUsage, usage_of
from inspector.query.time_input import TIME_FORMATS
from inspector.teams.access import Principal
from inspector.usage.rollup import periods
from inspector.usage.rollup.dimensions import GROUPINGS
from inspector.usage.rollup.grouping import BadGrouping, grouping_from_params
from inspector.usage.rollup.periods import RANGES, BadPeriod

GROUPS = 20
"""The largest groups; `more_groups` counts the others."""


class UsageArguments(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    by: Annotated[str, Meta(description=f"what to group by: one of {', '.join(GROUPINGS)}")] = (
        "model"
    )
    within: Annotated[
        str, Meta(description="another one of these, to group the captures of one group by")
    ] = ""
    of: Annotated[
        str | None,
        Meta(description="with within: value of that group; empty for captures without one"),
    ] = None
    range: Annotated[
        str, Meta(description=f"a period that ends now: one of {', '.join(RANGES)}")
    ] = ""
    since: Annotated[str, Meta(description=f"instead of range: {TIME_FORMATS}")] = ""
    until: Annotated[str, Meta(description=f"{TIME_FORMATS}; without it, now")] = ""


def sums(principal: Principal, given: UsageArguments) -> dict[str, Any]:
    try:
        grouping = grouping_from_params(given.by, given.within, given.of)
        period = periods.period_from_params(given.range, given.since, given.until, timezone.now())
    except (BadGrouping, BadPeriod) as error:
        raise ApiError(422, "invalid_parameter", str(error)) from error
    found = usage_of(principal, period, grouping)
    return {
        "since": found.since,
        "until": found.until,
        "by": found.by,
        **without_empty({"within": found.within, "of": found.of}),
        "all": _group(found.all),
        "groups": [_group(group) for group in found.groups[:GROUPS]],
        "more_groups": found.more_groups + max(0, len(found.groups) - GROUPS),
        **without_empty({"newest_captures": found.newest_captures}),
        "missed_cache": found.missed_cache,
    }


def _group(group: GroupUsage) -> dict[str, Any]:
    sums: dict[str, Any] = plain_value(group)
    told = {name: _known(value) for name, value in sums.items()}
    return {"value": group.value, **without_empty(told)}


def _known(value: Any) -> Any:
    """Leave out what is empty: a sum over no capture, and times of none, say nothing."""
    if not isinstance(value, dict):
        return value
    is_sum_of_none = value.get("captures") == 0
    return (
        {}
        if is_sum_of_none
        else without_empty({name: _known(each) for name, each in value.items()})
    )


TOOL = Tool(
    name="sum_usage",
    title="Sum up usage",
    description=(
        "Sums over the captures of a period, in all and by group: verdicts, results, tokens, cost"
        " with what is missing from it, times. Each sum has the number of captures in it."
    ),
    arguments=UsageArguments,
    run=sums,
)
