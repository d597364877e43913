"""Usage over a period: the page, and its groups for other programs."""

from __future__ import annotations

import csv
import json
from collections.abc import Mapping
from dataclasses import dataclass
from urllib.parse import urlencode

from django.http import Http404, HttpRequest, HttpResponse, HttpResponseBase
from django.utils import timezone

from inspector.archive import queries as archive
from inspector.archive.conditions import shown
from inspector.archive.database import TookTooLong
from inspector.dashboard.asking import answer, signed_in
from inspector.dashboard.drift_feed import MOST_MARKS, feed
from inspector.dashboard.feedback_page import intervals_by
from inspector.dashboard.interval import Interval
from inspector.dashboard.usage_groups import captures_query, uninspected_query
from inspector.dashboard.usage_page import BY_WORDS, usage_page
from inspector.dashboard.usage_words import not_inspected
from inspector.feedback import queries as feedback
from inspector.teams.access import Principal
from inspector.transfer.usage import usage_answer
from inspector.usage import queries
from inspector.usage.alike import BY
from inspector.usage.periods import RANGES, USUAL, BadPeriod, Period, asked, latest
from inspector.usage.queries import TeamSums
from inspector.usage.tables import COLUMNS, MOST_GROUPS, TOO_LONG, rows_of

NAMES = ("range", "since", "until", "by", "compare")


@dataclass(frozen=True, slots=True)
class Asked:
    period: Period
    range: str
    """Empty where both ends were asked for."""
    by: str
    compares: bool
    trouble: str = ""


@signed_in
def usage(request: HttpRequest, principal: Principal, team: str) -> HttpResponseBase:
    wanted = asked_of(request)
    sums = sums_of(principal, team)
    votes = votes_of(principal, team, wanted)
    captures = archive.for_principal(within(principal, team))
    uninspected = captures.uninspected(wanted.period.start, wanted.period.end)
    page = usage_page(sums, wanted.period, wanted.by, wanted.compares, votes, timezone.now())
    context = {
        "team": team,
        "teams": principal.teams,
        "asked": wanted,
        "length": wanted.period.length,
        "page": page,
        "drift": feed(sums.marks(wanted.period, MOST_MARKS), wanted.period),
        "ranges": [(each, query_of(wanted, range=each)) for each in RANGES],
        "by_words": BY_WORDS,
        "query": urlencode(sorted(request.GET.items())),
        "captures_query": captures_query(wanted.period),
        "uninspected": not_inspected(uninspected, bool(page.coverage)),
        "uninspected_query": uninspected_query(wanted.period),
        "since": request.GET.get("since", ""),
        "until": request.GET.get("until", ""),
    }
    return answer(request, "dashboard/usage.html", context)


@signed_in
def table(request: HttpRequest, principal: Principal, team: str) -> HttpResponseBase:
    """The groups with every measure as CSV."""
    wanted = asked_of(request)
    if wanted.trouble:
        return told(wanted.trouble)
    try:
        groups = sums_of(principal, team).groups(wanted.period, wanted.by, MOST_GROUPS)
    except TookTooLong:
        return told(TOO_LONG)
    response = HttpResponse(content_type="text/csv; charset=utf-8")
    response["Content-Disposition"] = 'attachment; filename="usage.csv"'
    writer = csv.writer(response, quoting=csv.QUOTE_ALL)
    writer.writerow([wanted.by, *COLUMNS])
    writer.writerows(rows_of(groups))
    return response


@signed_in
def download(request: HttpRequest, principal: Principal, team: str) -> HttpResponseBase:
    """The same as JSON, as the API answers."""
    wanted = asked_of(request)
    if wanted.trouble:
        return told(wanted.trouble)
    try:
        used = usage_answer(within(principal, team), wanted.period, wanted.by)
    except TookTooLong:
        return told(TOO_LONG)
    response = HttpResponse(content_type="application/json")
    response["Content-Disposition"] = 'attachment; filename="usage.json"'
    response.write(json.dumps(used, indent=2))
    return response


def told(trouble: str) -> HttpResponse:
    return HttpResponse(trouble, status=422, content_type="text/plain; charset=utf-8")


def votes_of(principal: Principal, team: str, asked: Asked) -> Mapping[str, Interval]:
    """Nothing for a grouping that votes are not summed by."""
    if asked.by not in feedback.BY:
        return {}
    period, votes = asked.period, feedback.for_principal(within(principal, team))
    return intervals_by(votes.groups(period.start, period.end, period.slot_seconds, asked.by))


def sums_of(principal: Principal, team: str) -> TeamSums:
    return queries.for_principal(within(principal, team))


def within(principal: Principal, team: str) -> Principal:
    found = principal.within(team)
    if found is None:
        raise Http404
    return found


def query_of(asked: Asked, **more: str) -> str:
    """Of this page: grouped and compared as now."""
    return urlencode({"by": asked.by, **({} if asked.compares else {"compare": "no"}), **more})


def asked_of(request: HttpRequest) -> Asked:
    """What is wrong is said, and the usual is shown in its place. An end that is typed counts for
    more than the range that was shown when it was.
    """
    now, query = timezone.now(), request.GET
    by, since, until = query.get("by", "model"), query.get("since", ""), query.get("until", "")
    range = "" if since or until else query.get("range") or USUAL
    period, trouble = latest(USUAL, now), []
    try:
        period = asked(range, since, until, now)
    except BadPeriod as error:
        trouble.append(f"{error} The last 30 days are shown.")
        range = USUAL
    if by not in BY:
        trouble.append(f"There is no grouping by {shown(by)}; it is by model.")
    return Asked(
        period=period,
        range=range,
        by=by if by in BY else "model",
        compares=query.get("compare") != "no",
        trouble=" ".join(trouble),
    )
