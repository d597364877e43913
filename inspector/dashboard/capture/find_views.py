"""Search within one capture: its own page and the search bar of the capture page."""

from __future__ import annotations

from uuid import UUID

from django.http import HttpRequest, HttpResponseBase

from inspector.dashboard.capture.find import search
from inspector.dashboard.capture.views import load_capture_view, part_context
from inspector.dashboard.page_auth import login_required, render_page
from inspector.teams.access import Principal


@login_required
def find(request: HttpRequest, principal: Principal, capture_id: UUID) -> HttpResponseBase:
    view = load_capture_view(principal, capture_id, request)
    found = search.search_capture(view, request.GET.get("q", ""))
    is_fragment = request.headers.get("HX-Request")
    template = (
        "dashboard/capture/find_hits.html" if is_fragment else "dashboard/capture/find_page.html"
    )
    return render_page(request, template, {**part_context(view), "found": found})
