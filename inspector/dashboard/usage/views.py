"""Usage of a period: the page, and downloads of its groups."""

from __future__ import annotations

import csv
import json
from collections.abc import Mapping
from dataclasses import dataclass
from urllib.parse import urlencode

from django.http import HttpRequest, HttpResponse, HttpResponseBase
from django.utils import timezone

from inspector.archive import queries as archive
from inspector.core.json.encoding import plain_value
from inspector.dashboard.feedback.page import interval_by_group, vote_counts
from inspector.dashboard.page_auth import login_required, principal_in_team, render_page
from inspector.dashboard.text.rate_interval import RateInterval
from inspector.dashboard.usage.drift_feed import MAX_EVENTS, build_drift_feed
from inspector.dashboard.usage.group_table import captures_query, uninspected_query
from inspector.dashboard.usage.page import GROUPING_LABELS, build_usage_page
from inspector.dashboard.usage.wording import uninspected_sentence
from inspector.database.portability import StatementTimeout
from inspector.feedback import counts
from inspector.feedback import queries as feedback
from inspector.period_usage import usage_of
from inspector.query.resolve import abbreviated
from inspector.query.time_input import parse_time
from inspector.teams.access import Principal
from inspector.usage.drift.event_list import drift_events
from inspector.usage.rollup import queries
from inspector.usage.rollup.dimensions import DIMENSIONS
from inspector.usage.rollup.periods import (
    DEFAULT_RANGE,
    RANGES,
    BadPeriod,
    Period,
    latest,
    period_from_params,
)
from inspector.usage.rollup.queries import TeamSums
from inspector.usage.rollup.tables import MAX_GROUPS, TOO_LONG, header_of, rows_of


@dataclass(frozen=True, slots=True)
class UsagePageParams:
    period: Period
    range: str
    """Empty if the query gives both ends."""
    by: str
    has_comparison: bool
    trouble: str = ""
    refused: tuple[str, ...] = ()
    """Names of the times that could not be read."""


@login_required
def usage(request: HttpRequest, principal: Principal, team: str) -> HttpResponseBase:
    params = parse_params(request)
    sums = sums_of(principal, team)
    votes = negative_rates(principal, team, params)
    asker = principal_in_team(principal, team)
    captures = archive.for_principal(asker)
    uninspected = captures.uninspected(params.period.start, params.period.end)
    page = build_usage_page(
        sums, params.period, params.by, params.has_comparison, votes, timezone.now()
    )
    context = {
        "team": team,
        "teams": principal.teams,
        "params": params,
        "length": params.period.length,
        "page": page,
        "drift": build_drift_feed(
            drift_events(principal_in_team(principal, team), params.period, MAX_EVENTS),
            params.period,
        ),
        "ranges": [(each, page_query(params, range=each)) for each in RANGES],
        "by_words": GROUPING_LABELS,
        "query": urlencode(sorted(request.GET.items())),
        "captures_query": captures_query(params.period),
        "uninspected": uninspected_sentence(uninspected, bool(page.coverage)),
        "uninspected_query": uninspected_query(params.period),
        "since": request.GET.get("since", ""),
        "until": request.GET.get("until", ""),
    }
    return render_page(request, "dashboard/usage/page.html", context)


@login_required
def download_csv(request: HttpRequest, principal: Principal, team: str) -> HttpResponseBase:
    """The groups with every measure as CSV."""
    params = parse_params(request)
    if params.trouble:
        return error_response(params.trouble)
    try:
        groups = sums_of(principal, team).groups(params.period, params.by, MAX_GROUPS)
    except StatementTimeout:
        return error_response(TOO_LONG)
    response = HttpResponse(content_type="text/csv; charset=utf-8")
    response["Content-Disposition"] = 'attachment; filename="usage.csv"'
    writer = csv.writer(response, quoting=csv.QUOTE_ALL)
    writer.writerow(header_of(params.by))
    writer.writerows(rows_of(groups, params.by))
    return response


@login_required
def download_json(request: HttpRequest, principal: Principal, team: str) -> HttpResponseBase:
    """The groups as JSON, in the shape of the API."""
    params = parse_params(request)
    if params.trouble:
        return error_response(params.trouble)
    try:
        used = usage_of(principal_in_team(principal, team), params.period, params.by)
    except StatementTimeout:
        return error_response(TOO_LONG)
    response = HttpResponse(content_type="application/json")
    response["Content-Disposition"] = 'attachment; filename="usage.json"'
    response.write(json.dumps(used, indent=2, default=plain_value))
    return response


def error_response(trouble: str) -> HttpResponse:
    return HttpResponse(trouble, status=422, content_type="text/plain; charset=utf-8")


def negative_rates(
    principal: Principal, team: str, params: UsagePageParams
) -> Mapping[str, RateInterval]:
    """Negative rates by group; empty where votes are not grouped so or that takes too long."""
    if params.by not in counts.BY:
        return {}
    votes = feedback.for_principal(principal_in_team(principal, team))
    counted = vote_counts(votes, params.period, params.by)
    return interval_by_group(counted.groups) if counted else {}


def sums_of(principal: Principal, team: str) -> TeamSums:
    return queries.for_principal(principal_in_team(principal, team))


def page_query(params: UsagePageParams, **more: str) -> str:
    """Query of this page with its current grouping and comparison."""
    return urlencode(
        {"by": params.by, **({} if params.has_comparison else {"comparison": "none"}), **more}
    )


def parse_params(request: HttpRequest) -> UsagePageParams:
    """Parses the query; invalid values give a message and the default.

    Typed ends take precedence over the range.
    """
    now, query = timezone.now(), request.GET
    by, since, until = query.get("by", "model"), query.get("since", ""), query.get("until", "")
    period_range = "" if since or until else query.get("range") or DEFAULT_RANGE
    period, trouble = latest(DEFAULT_RANGE, now), []
    try:
        period = period_from_params(period_range, since, until, now)
    except BadPeriod as error:
        trouble.append(f"{error} The last 30 days are shown.")
        period_range = DEFAULT_RANGE
    if by not in DIMENSIONS:
        trouble.append(f"There is no grouping by {abbreviated(by)}; it is by model.")
    return UsagePageParams(
        period=period,
        range=period_range,
        by=by if by in DIMENSIONS else "model",
        has_comparison=query.get("comparison") != "none",
        trouble=" ".join(trouble),
        refused=tuple(
            name
            for name, text in (("since", since), ("until", until))
            if text and parse_time(text, now) is None
        ),
    )
