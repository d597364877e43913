"""What the page of an unfinished response asks for again and again, until the finished page takes
its place.
"""

from __future__ import annotations

from dataclasses import replace
from types import MappingProxyType
from uuid import UUID

from django.http import HttpRequest, HttpResponse, HttpResponseBase
from django.utils import timezone

from inspector.dashboard.capture import views as capture
from inspector.dashboard.capture.head.summary import capture_summary
from inspector.dashboard.capture.page.capture_view import CaptureView
from inspector.dashboard.capture.recording.panels import in_this_order
from inspector.dashboard.capture.recording.summary import (
    growing_duration,
    growing_size,
    recording_summary,
)
from inspector.dashboard.page_auth import login_required, render_page
from inspector.formatting.verdicts import RECORDING_STATE, UNFINISHED_STATES
from inspector.teams.access import Principal

OVER = "X-Recording"
"""Header of the answer that holds the finished page; its value is ``over``."""
OF_THE_STATE = ("state", "live", "from")
"""Parameters that belong to the question and not to the page."""


@login_required
def state(request: HttpRequest, principal: Principal, capture_id: UUID) -> HttpResponseBase:
    """Answers with what has changed since the page was drawn: how much has come, that the response
    waits for its inspection, or the head and the panels of the finished page. Nothing if nothing
    has.
    """
    opened = capture.opened_of(principal, capture_id)
    if opened.row.state == request.GET.get("state") and not opened.is_recording:
        return HttpResponse(status=204)
    if opened.row.state not in UNFINISHED_STATES:
        return finished_page(request, principal, capture_id)
    view = CaptureView(facts=opened, body=b"")
    if opened.is_recording:
        return growing_parts(request, principal, view)
    context = {
        "row": opened.row,
        "summary": capture_summary(view),
        "team": opened.team_slug,
        "page_query": own_query(request),
        "drawn_as": request.GET.get("from", ""),
    }
    return render_page(request, "dashboard/capture/recording/waiting.html", context)


def growing_parts(
    request: HttpRequest, principal: Principal, view: CaptureView
) -> HttpResponseBase:
    """Renders the parts that change during the recording; with ``live`` the stream updates them."""
    now = timezone.now()
    context = {
        "row": view.row,
        "is_live": "live" in request.GET,
        "summary": recording_summary(view, now),
        "changing": (growing_duration(view, now), growing_size(view)),
        "strip": capture.strip_beside(principal, view.facts),
        "team": view.facts.team_slug,
    }
    return render_page(request, "dashboard/capture/recording/growing.html", context)


def finished_page(request: HttpRequest, principal: Principal, capture_id: UUID) -> HttpResponseBase:
    view = capture.load_capture_view(principal, capture_id, request, is_waited_for=False)
    params = {name: value for name, value in view.query_params.items() if name not in OF_THE_STATE}
    view = replace(view, query_params=MappingProxyType(params))
    context = capture.page_context(request, principal, view)
    was_watched = request.GET.get("from") == RECORDING_STATE
    if was_watched:
        context["panels"] = in_this_order(context["panels"])
    context |= {"swapped": True, "was_watched": was_watched}
    response = render_page(request, "dashboard/capture/recording/finished.html", context)
    response[OVER] = "over"
    return response


def own_query(request: HttpRequest) -> str:
    """The query of the page that asks."""
    params = request.GET.copy()
    for name in OF_THE_STATE:
        params.pop(name, None)
    return params.urlencode()
