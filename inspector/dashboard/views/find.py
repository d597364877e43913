"""Looks for a text in one capture: a page of its own, and the bar of the capture page."""

from __future__ import annotations

from uuid import UUID

from django.http import HttpRequest, HttpResponseBase

from inspector.dashboard import search
from inspector.dashboard.asking import answer, signed_in
from inspector.dashboard.views.capture import part_context, view_of
from inspector.teams.access import Principal


@signed_in
def find(request: HttpRequest, principal: Principal, id: UUID) -> HttpResponseBase:
    view = view_of(principal, id, request)
    found = search.find(view, request.GET.get("q", ""))
    is_fragment = request.headers.get("HX-Request")
    template = "dashboard/find_hits.html" if is_fragment else "dashboard/find_page.html"
    return answer(request, template, {**part_context(view), "found": found})
