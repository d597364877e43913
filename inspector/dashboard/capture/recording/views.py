"""Views that the page of an unfinished response asks until the finished page takes its place."""

from dataclasses import replace
from types import MappingProxyType
from uuid import UUID

import msgspec
from django.http import HttpRequest, HttpResponse, JsonResponse
from django.utils import timezone

from inspector.dashboard.capture.head.summary import capture_summary
from inspector.dashboard.capture.page.capture_view import CaptureView
from inspector.dashboard.capture.page.loading import load_with_body, opened_of
from inspector.dashboard.capture.page.part import Visit
from inspector.dashboard.capture.page_context import page_context
from inspector.dashboard.capture.recording.growth import growth_since, parse_cursor
from inspector.dashboard.capture.recording.part import strip_beside
from inspector.dashboard.capture.recording.summary import (
    growing_duration,
    growing_size,
    passed_us,
    recording_summary,
)
from inspector.dashboard.pages import compress_page, login_required, render_page
from inspector.formatting.verdicts import RECORDING_STATE, UNFINISHED_STATES
from inspector.teams.access import Principal

OVER = "X-Recording"
"""Header of the answer that holds the finished page; its value is ``over``."""
LEAST_WAIT_MS = 500
"""Text seems to flow, and a page asks twice a second."""
BYTES_A_MS = 4_000
"""All that was read is gone through each time, some 20 ms of a processor for each megabyte."""
OF_THE_STATE = ("state", "live", "from")
"""Parameters that belong to the question and not to the page."""


@login_required
def state(request: HttpRequest, principal: Principal, capture_id: UUID) -> HttpResponse:
    """Answer with what has changed since the page was drawn: how much has come, that the response
    waits for its inspection, or the head and the panels of the finished page. Nothing if nothing
    has.
    """
    opened = opened_of(principal, capture_id)
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


@login_required
def growth(request: HttpRequest, principal: Principal, capture_id: UUID) -> HttpResponse:
    """Answer with what has come since the page asked last; nothing where nothing has. Raises
    ``ReadingError``.
    """
    asked = timezone.now()
    opened = opened_of(principal, capture_id)
    if not opened.is_recording:
        return JsonResponse({"state": "ended"})
    cursor = parse_cursor(request.GET.get("since", ""))
    if cursor.byte_length == opened.row.byte_length:
        return HttpResponse(status=204)
    live = opened.readout_so_far()
    if live is None:
        return JsonResponse({"state": "too-long"})
    # Another process may have told the page more than this one has read.
    if live.byte_length <= cursor.byte_length:
        return HttpResponse(status=204)
    found = live.found
    grown = growth_since(cursor, found, live.byte_length)
    answer = msgspec.structs.asdict(grown) | {
        "state": "growing",
        "now_us": max(passed_us(opened, asked), *found.tape.reads.at_us[-1:], 0),
        "wait_ms": max(LEAST_WAIT_MS, grown.head.byte_length // BYTES_A_MS),
    }
    response = HttpResponse(msgspec.json.encode(answer), content_type="application/json")
    return compress_page(request, response)


def growing_parts(request: HttpRequest, principal: Principal, view: CaptureView) -> HttpResponse:
    """Render the parts that change during the recording; with ``live`` the stream updates them."""
    now = timezone.now()
    context = {
        "row": view.row,
        "is_live": "live" in request.GET,
        "summary": recording_summary(view, now),
        "changing": (growing_duration(view, now), growing_size(view)),
        "strip": strip_beside(principal, view.facts),
        "team": view.facts.team_slug,
    }
    return render_page(request, "dashboard/capture/recording/growing.html", context)


def finished_page(request: HttpRequest, principal: Principal, capture_id: UUID) -> HttpResponse:
    view = load_with_body(principal, capture_id, request)
    params = {name: value for name, value in view.query_params.items() if name not in OF_THE_STATE}
    view = replace(view, query_params=MappingProxyType(params))
    context = page_context(Visit(principal, view, request.GET.get("list", "")))
    context |= {"swapped": True, "was_watched": request.GET.get("from") == RECORDING_STATE}
    response = render_page(request, "dashboard/capture/recording/finished.html", context)
    response[OVER] = "over"
    return response


def own_query(request: HttpRequest) -> str:
    """Return the query of the page that asks."""
    params = request.GET.copy()
    for name in OF_THE_STATE:
        params.pop(name, None)
    return params.urlencode()
