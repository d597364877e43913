"""Facets and the strip over the rows: asked for after the rows, which never wait for them."""

from __future__ import annotations

from typing import Any

from django.http import HttpRequest, HttpResponseBase
from django.utils import timezone

from inspector.archive.database import TookTooLong
from inspector.archive.queries import Captures
from inspector.dashboard.asking import answer, signed_in
from inspector.dashboard.facets import coverage, facets_of
from inspector.dashboard.narrowed import Narrowed, narrowed_by
from inspector.dashboard.strip import strip_of
from inspector.dashboard.views.archive import captures_of, list_context
from inspector.teams.access import Principal


@signed_in
def counts(request: HttpRequest, principal: Principal, team: str) -> HttpResponseBase:
    """For the page that shows the rows; without scripts a page of its own."""
    narrowed = narrowed_by(request.GET)
    context = {
        **list_context(principal, team, narrowed),
        **counts_context(captures_of(principal, team), narrowed),
    }
    template = "counts" if request.headers.get("HX-Request") else "counts_page"
    return answer(request, f"dashboard/{template}.html", context)


def counts_context(captures: Captures, narrowed: Narrowed) -> dict[str, Any]:
    try:
        counts = captures.counts(narrowed.conditions.filters, timezone.now())
    except TookTooLong:
        return {"too_long": True}
    return {
        "counts": counts,
        "facets": facets_of(counts, narrowed),
        "strip": strip_of(counts, narrowed),
        "coverage": coverage(counts),
    }
