"""Usage of a period: the page, and downloads of its groups."""

import csv
import json
from collections.abc import Iterator, Mapping, Set
from dataclasses import dataclass
from datetime import datetime
from typing import Any
from urllib.parse import urlencode

from django.http import HttpRequest, HttpResponse
from django.utils import timezone

from inspector.archive import queries as archive
from inspector.core.json.encoding import plain_value
from inspector.dashboard.archive.samples import has_samples
from inspector.dashboard.pages import login_required, principal_in_team, render_page
from inspector.dashboard.text.rate_interval import RateInterval, wilson_interval
from inspector.dashboard.usage.drift_feed import MAX_EVENTS, build_drift_feed
from inspector.dashboard.usage.group_table import (
    NAME,
    SORTS,
    TableParams,
    build_group_table,
    captures_query,
    uninspected_query,
)
from inspector.dashboard.usage.missed_cache import missed_cache_sentence
from inspector.dashboard.usage.page import GROUPING_LABELS, build_usage_page
from inspector.dashboard.usage.wording import uninspected_sentence
from inspector.database.portability import StatementTimeout
from inspector.period_usage import missed_caches, usage_of, votes_by_group
from inspector.query.resolve import abbreviated
from inspector.query.time_input import parse_time
from inspector.teams.access import MANAGE, Principal
from inspector.usage.drift.event_list import drift_events
from inspector.usage.rollup import queries
from inspector.usage.rollup.dimensions import GROUPINGS
from inspector.usage.rollup.grouping import (
    BadGrouping,
    UsageGrouping,
    find_groups,
    grouping_from_params,
)
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
BESIDE = ("model", "vendor", "key", "tag", "session")
"""Groupings that stand beside the ranges, and in an open group; the others are in the form."""
DAYS = (("Today", "today", ""), ("Yesterday", "yesterday", "today"))
HEADS = (
    (NAME, ""),
    ("captures", "captures"),
    ("tokens", "tokens"),
    ("cost", "cost"),
    ("change", "change"),
    ("unknown", "cost unknown"),
    ("first_p50", "first s"),
    ("first_p95", "p95"),
    ("duration_p50", "total s"),
    ("incomplete", "not complete"),
)

OPTIONAL = frozenset({"change", "unknown", "first_p50", "first_p95", "duration_p50", "incomplete"})
"""Columns that are left out where no row has anything in them."""
TITLES = {
    "change": "of the cost, against the period before",
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
    grouping: UsageGrouping
    has_comparison: bool
    trouble: str = ""
    refused: tuple[str, ...] = ()
    """Names of the times that could not be read."""


@login_required
def usage(request: HttpRequest, principal: Principal, team: str) -> HttpResponse:
    """Show the page; to its script, the table of groups alone."""
    sums = sums_of(principal, team)
    params = parse_params(request, sums)
    asker = principal_in_team(principal, team)
    votes = negative_rates(principal, team, params)
    context = {
        "team": team,
        "params": params,
        "may_price": asker.may(MANAGE),
        **table_context(request, sums, params, votes),
    }
    if request.headers.get("HX-Request"):
        return render_page(request, "dashboard/usage/groups.html", context)
    context |= page_context(request, sums, params, asker)
    return render_page(request, "dashboard/usage/page.html", context | {"teams": principal.teams})


def table_context(
    request: HttpRequest,
    sums: TeamSums,
    params: UsagePageParams,
    votes: Mapping[str, RateInterval],
) -> dict[str, Any]:
    table, grouping = table_params(request), params.grouping
    groups = build_group_table(sums, params.period, grouping, votes, table, params.has_comparison)
    by = GROUPING_LABELS[grouping.by]
    return {
        "by_words": by,
        "groups": groups,
        "table": table,
        "heads": tuple(table_heads(request, table, by, groups.columns)),
        "kept": kept_params(request, params),
        "whole_query": changed(request, rows="all"),
        "open_words": GROUPING_LABELS[usually_within(grouping)],
        "open_query": changed(request, within=usually_within(grouping), of=None),
        "closed_query": changed(request, within="", of=None),
        "within_links": [
            (GROUPING_LABELS[each], changed(request, within=each), each == grouping.within)
            for each in BESIDE
            if each != grouping.by
        ],
    }


def usually_within(grouping: UsageGrouping) -> str:
    """Return what the captures of a group are grouped by when it is opened."""
    return grouping.within or ("key" if grouping.by == "model" else "model")


def page_context(
    request: HttpRequest, sums: TeamSums, params: UsagePageParams, asker: Principal
) -> dict[str, Any]:
    """Return what stands around the table."""
    period, captures = params.period, archive.for_principal(asker)
    uninspected = captures.uninspected(period.start, period.end)
    page = build_usage_page(sums, period, params.has_comparison, timezone.now())
    return {
        "length": period.length,
        "page": page,
        "drift": build_drift_feed(drift_events(asker, period, MAX_EVENTS), page.cost.axis.period),
        "missed_cache": missed_cache_sentence(missed_caches(asker, period)),
        "ranges": tuple(range_links(request, params)),
        "groupings": [(each, GROUPING_LABELS[each]) for each in GROUPINGS],
        "by_links": tuple(by_links(request, params.grouping)),
        "has_samples": has_samples(captures),
        "unknown_query": changed(request, sort="-unknown", by="model", within="", of=None),
        "query": urlencode(sorted(request.GET.items())),
        "captures_query": captures_query(period),
        "uninspected": uninspected_sentence(uninspected, bool(page.coverage)),
        "uninspected_query": uninspected_query(period),
        "since": request.GET.get("since", ""),
        "until": request.GET.get("until", ""),
    }


def by_links(request: HttpRequest, grouping: UsageGrouping) -> Iterator[tuple[str, str, bool]]:
    """Words, query, and whether it is the grouping that is shown."""
    for each in BESIDE:
        query = changed(request, by=each, within="", of=None)
        yield GROUPING_LABELS[each], query, each == grouping.by


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
    return without_empty(shown)


def changed(request: HttpRequest, **values: str | None) -> str:
    """Return the query of this page with other values; an empty one is left out."""
    return urlencode(without_empty(dict(sorted((request.GET.dict() | values).items()))))


def without_empty(query: Mapping[str, str | None]) -> dict[str, str]:
    """Leave out what is empty, which of a group stands for captures without a value."""
    return {name: value for name, value in query.items() if value or (value == "" and name == "of")}


@login_required
def download_csv(request: HttpRequest, principal: Principal, team: str) -> HttpResponse:
    """Return the groups with every measure as CSV."""
    sums = sums_of(principal, team)
    params = parse_params(request, sums)
    if params.trouble:
        return error_response(params.trouble)
    by, outer = params.grouping.innermost, params.grouping.outer
    try:
        groups = find_groups(sums, params.period, by, MAX_GROUPS, outer)
    except StatementTimeout:
        return error_response(TOO_LONG)
    response = HttpResponse(content_type="text/csv; charset=utf-8")
    response["Content-Disposition"] = 'attachment; filename="usage.csv"'
    writer = csv.writer(response, quoting=csv.QUOTE_ALL)
    writer.writerow(header_of(by))
    writer.writerows(rows_of(groups, by))
    return response


@login_required
def download_json(request: HttpRequest, principal: Principal, team: str) -> HttpResponse:
    """Return the groups as JSON, in the shape of the API."""
    params = parse_params(request, sums_of(principal, team))
    if params.trouble:
        return error_response(params.trouble)
    try:
        used = usage_of(principal_in_team(principal, team), params.period, params.grouping)
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
    groups = votes_by_group(principal_in_team(principal, team), params.period, params.grouping.by)
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
    since, until, grouping = query.get("since", ""), query.get("until", ""), UsageGrouping()
    period_range = "" if since or until else query.get("range") or usual_range(sums, now)
    period, trouble = latest(DEFAULT_RANGE, now), []
    try:
        period = period_from_params(period_range, since, until, now)
    except BadPeriod as error:
        trouble.append(f"{error} The last 30 days are shown.")
        period_range = DEFAULT_RANGE
    asked = [query.get(name) for name in ("by", "within", "of")]
    try:
        grouping = grouping_from_params(*asked)
    except BadGrouping:
        names = " within ".join(abbreviated(each) for each in (asked[1], asked[0]) if each)
        trouble.append(f"There is no grouping by {names}; it is by model.")
    return UsagePageParams(
        period=period,
        range=period_range,
        grouping=grouping,
        has_comparison=query.get("comparison") != "none",
        trouble=" ".join(trouble),
        refused=tuple(
            name
            for name, text in (("since", since), ("until", until))
            if text and parse_time(text, now) is None
        ),
    )
