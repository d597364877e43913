"""Fixtures of a capture as files."""

from uuid import UUID

from django.http import Http404, HttpRequest, HttpResponse

from inspector.dashboard.capture.page.loading import opened_of
from inspector.dashboard.pages import login_required
from inspector.teams.access import Principal
from inspector.transfer.capture_fixture import fixture_of, fixture_response
from inspector.transfer.fixtures.registry import KINDS


@login_required
def fixture(
    request: HttpRequest, principal: Principal, capture_id: UUID, kind: str
) -> HttpResponse:
    capture = opened_of(principal, capture_id, with_evidence=True)
    if kind not in KINDS:
        raise Http404
    return fixture_response(fixture_of(capture, kind))
