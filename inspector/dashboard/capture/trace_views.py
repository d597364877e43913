"""JSON endpoint that traces selected characters to their origin."""

from __future__ import annotations

from uuid import UUID

import msgspec
from django.http import HttpRequest, HttpResponse, HttpResponseBase

from inspector.dashboard.capture.trace.character_trace import Untraced, trace_lane_range
from inspector.dashboard.capture.views import load_capture_view
from inspector.dashboard.page_auth import compress_page, login_required
from inspector.dashboard.request_values import parse_whole_number
from inspector.teams.access import Principal

PARAMS = ("lane", "start", "end")


@login_required
def trace_characters(
    request: HttpRequest, principal: Principal, capture_id: UUID
) -> HttpResponseBase:
    """Answers with the trace, bounded for any selection, or with a sentence why there is none."""
    view = load_capture_view(principal, capture_id, request)
    lane, start, end = (parse_whole_number(request.GET.get(name, "")) for name in PARAMS)
    if lane is None or start is None or end is None:
        found: object = Untraced("A trace needs lane, start and end: three numbers.")
    else:
        found = trace_lane_range(view, lane, start, end)
    headers = {"Cache-Control": "private, no-store"}
    answer = HttpResponse(
        msgspec.json.encode(found), content_type="application/json", headers=headers
    )
    return compress_page(request, answer)
