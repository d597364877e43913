"""Usage of a period: the page, and downloads of its groups."""

import csv
import json
from collections.abc import Iterator, Mapping, Set
from dataclasses import dataclass
from datetime import datetime
from urllib.parse import urlencode

from django.http import HttpRequest, HttpResponse
from django.utils import timezone

from inspector.archive import queries as archive
from inspector.core.json.encoding import plain_value
from inspector.dashboard.archive.samples import has_samples
from inspector.dashboard.pages import login_required, principal_in_team, render_page
from inspector.dashboard.text.rate_interval import RateInterval, wilson_interval
from inspector.dashboard.usage.drift_feed import MAX_EVENTS, build_drift_feed
from inspector.dashboard.usage.group_table import NAME, SORTS, captures_query, uninspected_query
from inspector.dashboard.usage.missed_cache import missed_cache_sentence
from inspector.dashboard.usage.page import GROUPING_LABELS, TableParams, build_usage_page
from inspector.dashboard.usage.wording import uninspected_sentence
from inspector.database.portability import StatementTimeout
from inspector.period_usage import missed_caches, usage_of, votes_by_group
from inspector.query.resolve import abbreviated
from inspector.query.time_input import parse_time
from inspector.teams.access import MANAGE, Principal
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

MAX_FIND_CHARACTERS = 100
"""A part of a group's name."""
BESIDE = ("model", "vendor", "key")
"""Groupings that stand beside the ranges; the others are in the form."""
DAYS = (("Today", "today", ""), ("Yesterday", "yesterday", "today"))
HEADS = (
    (NAME, ""),
    ("captures", "captures"),
    ("tokens", "tokens"),
    ("cost", "cost"),
    ("unknown", "cost unknown"),
    ("first_p50", "first s"),
    ("first_p95", "p95"),
    ("duration_p50", "total s"),
    ("incomplete", "not complete"),
)

OPTIONAL = frozenset({"unknown", "first_p50", "first_p95", "duration_p50", "incomplete"})
"""Columns that are left out where no row has anything in them."""
TITLES = {
    "unknown": "captures whose cost is unknown",
    "first_p50": "time to first token, median, within 6 %",
    "first_p95": "time to first token, 95th percentile, within 6 %",
    "duration_p50": "duration, median, within 6 %",
    "incomplete": "captures whose verdict is another than complete",
}


@dataclass(frozen=True, slots=True)
class TableHead:
    key: str
    label: str
    title: str
    query: str
    sorted: str
    """Value of ``aria-sort``; empty where another column is sorted by."""


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
def usage(request: HttpRequest, principal: Principal, team: str) -> HttpResponse:
    sums = sums_of(principal, team)
    params = parse_params(request, sums)
    votes = negative_rates(principal, team, params)
    asker = principal_in_team(principal, team)
    captures = archive.for_principal(asker)
    uninspected = captures.uninspected(params.period.start, params.period.end)
    table = table_params(request)
    now, comparison = timezone.now(), params.has_comparison
    page = build_usage_page(sums, params.period, params.by, comparison, votes, now, table)
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
        "missed_cache": missed_cache_sentence(missed_caches(asker, params.period)),
        "ranges": tuple(range_links(request, params)),
        "by_words": GROUPING_LABELS,
        "by_links": [(each, GROUPING_LABELS[each], changed(request, by=each)) for each in BESIDE],
        "table": table,
        "heads": tuple(table_heads(request, table, GROUPING_LABELS[params.by], page.columns)),
        "has_samples": has_samples(captures),
        "kept": kept_params(request, params),
        "unknown_query": changed(request, sort="-unknown", by="model"),
        "whole_query": changed(request, rows="all"),
        "may_price": asker.may(MANAGE),
        "query": urlencode(sorted(request.GET.items())),
        "captures_query": captures_query(params.period),
        "uninspected": uninspected_sentence(uninspected, bool(page.coverage)),
        "uninspected_query": uninspected_query(params.period),
        "since": request.GET.get("since", ""),
        "until": request.GET.get("until", ""),
    }
    return render_page(request, "dashboard/usage/page.html", context)


def table_params(request: HttpRequest) -> TableParams:
    sort = request.GET.get("sort", "")
    known = sort.removeprefix("-") in (*SORTS, NAME)
    find = request.GET.get("find", "")[:MAX_FIND_CHARACTERS]
    is_whole = request.GET.get("rows") == "all" or bool(find)
    return TableParams(sort if known else "-cost", find, is_whole)


def table_heads(
    request: HttpRequest, table: TableParams, by: str, filled: Set[str]
) -> Iterator[TableHead]:
    """Yield the heads of the columns with anything in them. Each sorts the largest first, and turns
    round when it is asked for again.
    """
    for key, label in HEADS:
        if key in OPTIONAL - filled:
            continue
        title, label = TITLES.get(key, ""), by if key == NAME else label
        is_here = table.sort.removeprefix("-") == key
        first = key if key == NAME else f"-{key}"
        turned = key if table.sort.startswith("-") else f"-{key}"
        direction = "descending" if table.sort.startswith("-") else "ascending"
        query = changed(request, sort=turned if is_here else first)
        yield TableHead(key, label, title, query, direction if is_here else "")


def range_links(request: HttpRequest, params: UsagePageParams) -> Iterator[tuple[str, str, bool]]:
    """Words, query, and whether it is the range that is shown."""
    asked = (request.GET.get("since", ""), request.GET.get("until", ""))
    for words, since, until in DAYS:
        query = changed(request, range="", since=since, until=until)
        yield words, query, asked == (since, until)
    for each in RANGES:
        yield each, changed(request, range=each, since="", until=""), params.range == each


def kept_params(request: HttpRequest, params: UsagePageParams) -> dict[str, str]:
    """Return the parameters that a search for a name leaves as they are."""
    shown = request.GET.dict() | {"range": params.range, "find": ""}
    return {name: value for name, value in shown.items() if value}


def changed(request: HttpRequest, **values: str) -> str:
    """Return the query of this page with other values; an empty one is left out."""
    query = request.GET.dict() | values
    return urlencode({name: value for name, value in sorted(query.items()) if value})


@login_required
def download_csv(request: HttpRequest, principal: Principal, team: str) -> HttpResponse:
    """Return the groups with every measure as CSV."""
    sums = sums_of(principal, team)
    params = parse_params(request, sums)
    if params.trouble:
        return error_response(params.trouble)
    try:
        groups = sums.groups(params.period, params.by, MAX_GROUPS)
    except StatementTimeout:
        return error_response(TOO_LONG)
    response = HttpResponse(content_type="text/csv; charset=utf-8")
    response["Content-Disposition"] = 'attachment; filename="usage.csv"'
    writer = csv.writer(response, quoting=csv.QUOTE_ALL)
    writer.writerow(header_of(params.by))
    writer.writerows(rows_of(groups, params.by))
    return response


@login_required
def download_json(request: HttpRequest, principal: Principal, team: str) -> HttpResponse:
    """Return the groups as JSON, in the shape of the API."""
    params = parse_params(request, sums_of(principal, team))
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
    """Negative rate of each group that has votes; the key "" is the group without a value."""
    groups = votes_by_group(principal_in_team(principal, team), params.period, params.by)
    found = {
        group.value or "": wilson_interval(group.tally.negative, group.tally.votes)
        for group in groups
    }
    return {value: each for value, each in found.items() if each is not None}


def sums_of(principal: Principal, team: str) -> TeamSums:
    return queries.for_principal(principal_in_team(principal, team))


def usual_range(sums: TeamSums, now: datetime) -> str:
    """Return the shortest range that holds all captures, else the longest."""
    return next((name for name in RANGES if not sums.has_before(latest(name, now))), DEFAULT_RANGE)


def parse_params(request: HttpRequest, sums: TeamSums) -> UsagePageParams:
    """Parse the query; invalid values give a message and the default. Ends precede the range."""
    now, query = timezone.now(), request.GET
    by, since, until = query.get("by", "model"), query.get("since", ""), query.get("until", "")
    period_range = "" if since or until else query.get("range") or usual_range(sums, now)
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
