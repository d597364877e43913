"""Usage over a period: the page, and its table for other programs."""

from __future__ import annotations

import csv
from dataclasses import dataclass
from urllib.parse import urlencode

from django.http import Http404, HttpRequest, HttpResponse, HttpResponseBase
from django.utils import timezone

from inspector.dashboard.asking import answer, signed_in
from inspector.dashboard.drift_feed import MOST_MARKS, feed
from inspector.dashboard.usage_page import BY_WORDS, captures_query, usage_page
from inspector.teams.access import Principal
from inspector.usage import queries
from inspector.usage.alike import BY
from inspector.usage.periods import RANGES, USUAL, BadPeriod, Period, between, latest
from inspector.usage.queries import TeamSums
from inspector.usage.tables import COLUMNS, rows_of

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
    asked = asked_of(request)
    sums = sums_of(principal, team)
    page = usage_page(sums, asked.period, asked.by, asked.compares)
    context = {
        "team": team,
        "teams": principal.teams,
        "asked": asked,
        "page": page,
        "drift": feed(sums.marks(asked.period, MOST_MARKS), asked.period),
        "ranges": list(RANGES),
        "by_words": BY_WORDS,
        "query": urlencode(sorted(request.GET.items())),
        "captures_query": captures_query(asked.period),
        "since": request.GET.get("since", ""),
        "until": request.GET.get("until", ""),
    }
    return answer(request, "dashboard/usage.html", context)


@signed_in
def table(request: HttpRequest, principal: Principal, team: str) -> HttpResponseBase:
    """The groups with every measure as CSV."""
    asked = asked_of(request)
    if asked.trouble:
        return HttpResponse(asked.trouble, status=422, content_type="text/plain; charset=utf-8")
    groups = sums_of(principal, team).groups(asked.period, asked.by)
    response = HttpResponse(content_type="text/csv; charset=utf-8")
    response["Content-Disposition"] = 'attachment; filename="usage.csv"'
    writer = csv.writer(response)
    writer.writerow([asked.by, *COLUMNS])
    writer.writerows(rows_of(groups))
    return response


def sums_of(principal: Principal, team: str) -> TeamSums:
    within = principal.within(team)
    if within is None:
        raise Http404
    return queries.for_principal(within)


def asked_of(request: HttpRequest) -> Asked:
    """What is wrong is said, and the usual period is shown in its place."""
    now = timezone.now()
    query = request.GET
    by = query.get("by", "model")
    range = query.get("range", "") if query.get("range") in RANGES else ""
    period, trouble = latest(range or USUAL, now), ""
    if not range and query.get("since"):
        try:
            period = between(query["since"], query.get("until", ""), now)
        except BadPeriod as error:
            trouble = str(error)
    return Asked(
        period=period,
        range=range or ("" if query.get("since") and not trouble else USUAL),
        by=by if by in BY else "model",
        compares=query.get("compare") != "no",
        trouble=trouble,
    )
