"""Fixtures of a capture as files."""

from __future__ import annotations

from uuid import UUID

from django.http import Http404, HttpRequest, HttpResponseBase

from inspector.dashboard.capture.views import opened_of
from inspector.dashboard.page_auth import login_required, render_page
from inspector.teams.access import Principal
from inspector.transfer.capture_fixture import fixture_of, fixture_response, status_of
from inspector.transfer.fixtures.registry import KINDS
from inspector.transfer.fixtures.source import FixtureRefusal


@login_required
def fixture(
    request: HttpRequest, principal: Principal, capture_id: UUID, kind: str
) -> HttpResponseBase:
    """Serves the file, or a page that says why there is none."""
    capture = opened_of(principal, capture_id, with_evidence=True)
    if kind not in KINDS:
        raise Http404
    found = fixture_of(capture, kind)
    if not isinstance(found, FixtureRefusal):
        return fixture_response(found)
    context = {
        "facts": capture,
        "row": capture.row,
        "team": capture.team_slug,
        "kind": kind,
        "why": found.message,
    }
    template = "dashboard/capture/fixture_page.html"
    return render_page(request, template, context, status_of(found))
