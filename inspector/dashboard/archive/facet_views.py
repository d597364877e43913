"""Facet counts and the histogram above the archive rows, fetched after the rows are on screen."""

from __future__ import annotations

from typing import Any

from django.http import HttpRequest, HttpResponseBase
from django.utils import timezone

from inspector.archive.queries import Captures
from inspector.dashboard.archive.facets import coverage_words, facets_of
from inspector.dashboard.archive.filter_bar import FilterBar, build_filter_bar
from inspector.dashboard.archive.histogram import build_histogram
from inspector.dashboard.archive.views import captures_of_team, list_context
from inspector.dashboard.page_auth import login_required, render_page
from inspector.database.portability import StatementTimeout
from inspector.teams.access import Principal


@login_required
def facet_counts(request: HttpRequest, principal: Principal, team: str) -> HttpResponseBase:
    """Answers with the facets and histogram as a fragment; without scripts, as a page of
    their own.
    """
    filter_bar = build_filter_bar(request.GET)
    context = {
        **list_context(principal, team, filter_bar),
        **counts_context(captures_of_team(principal, team), filter_bar),
    }
    template = "counts" if request.headers.get("HX-Request") else "counts_page"
    return render_page(request, f"dashboard/archive/{template}.html", context)


def counts_context(captures: Captures, filter_bar: FilterBar) -> dict[str, Any]:
    try:
        counts = captures.counts(filter_bar.conditions.filters, timezone.now())
    except StatementTimeout:
        return {"too_long": True}
    return {
        "counts": counts,
        "facets": facets_of(counts, filter_bar),
        "strip": build_histogram(counts, filter_bar),
        "coverage": coverage_words(counts),
    }
