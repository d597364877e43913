"""Fragments that a capture's page fetches on demand: members of the tree, lines, bytes, the
request's body, hits of a search, and the origin of characters.
"""

from uuid import UUID

import msgspec
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect

from inspector.archive import queries
from inspector.dashboard.capture.find import search
from inspector.dashboard.capture.json.json_source import json_source_of
from inspector.dashboard.capture.json.json_tree import members_at
from inspector.dashboard.capture.page.capture_view import CaptureView
from inspector.dashboard.capture.page.loading import load_with_body
from inspector.dashboard.capture.page.urls import page_url, part_context, part_template
from inspector.dashboard.capture.raw.panel import (
    byte_of_location,
    has_events,
    has_times,
    line_rows,
    lines_around,
)
from inspector.dashboard.capture.raw.raw_modes import nearby_bytes
from inspector.dashboard.capture.trace.character_trace import Untraced, trace_lane_range
from inspector.dashboard.pages import compress_page, login_required, render_page
from inspector.dashboard.request_values import number_param, parse_whole_number
from inspector.teams.access import Principal


@login_required
def raw_lines(request: HttpRequest, principal: Principal, capture_id: UUID) -> HttpResponse:
    """Answer with a run of lines, or with the lines around one byte or event."""
    view = load_with_body(principal, capture_id, request)
    total = len(view.lines.all)
    start = min(number_param(request, "from"), total)
    end = min(max(start, number_param(request, "to", total)), total)
    byte = requested_byte(request, view)
    positions = range(start, end) if byte is None else lines_around(view.lines, byte, start, end)
    context = {
        **part_context(view),
        "rows": line_rows(view, positions, start, end, byte if "byte" in request.GET else None),
        "has_events": has_events(view),
        "has_times": has_times(view),
    }
    return render_page(request, part_template(request, "raw"), context)


def requested_byte(request: HttpRequest, view: CaptureView) -> int | None:
    if "event" in request.GET:
        return byte_of_location(view, None, number_param(request, "event"))
    return number_param(request, "byte") if "byte" in request.GET else None


@login_required
def tree_members(request: HttpRequest, principal: Principal, capture_id: UUID) -> HttpResponse:
    """Answer with a window of a container's members; without scripts, with the tree around it."""
    view = load_with_body(principal, capture_id, request)
    event = number_param(request, "event") if "event" in request.GET else None
    source = json_source_of(view, event)
    found = source and members_at(
        source, number_param(request, "offset"), number_param(request, "from")
    )
    if source is None or not found:
        raise Http404
    if not request.headers.get("HX-Request"):
        return redirect(page_url(view, "raw", raw="tree", offset="", **{"from": ""}))
    context = {**part_context(view), "members": found, "event": source.event}
    return render_page(request, "dashboard/capture/panels/raw_members.html", context)


@login_required
def bytes_around(request: HttpRequest, principal: Principal, capture_id: UUID) -> HttpResponse:
    """Answer with the bytes around a byte or the start of an event; by default the first ones."""
    view = load_with_body(principal, capture_id, request)
    byte = requested_byte(request, view) or 0
    if not view.body:
        raise Http404
    if not request.headers.get("HX-Request"):
        return redirect(page_url(view, "raw", raw="hex", byte=byte, event=""))
    context = {**part_context(view), "beside": nearby_bytes(view, byte)}
    return render_page(request, "dashboard/capture/panels/raw_nearby.html", context)


@login_required
def request_body(request: HttpRequest, principal: Principal, capture_id: UUID) -> HttpResponse:
    """Serve the request body as a file."""
    exchange = queries.for_principal(principal).evidence(capture_id)
    if exchange is None or exchange.request is None or exchange.request.body is None:
        raise Http404
    headers = {
        "Content-Disposition": f'attachment; filename="{capture_id}.request"',
        "Cache-Control": "private, no-store",
    }
    body = exchange.request.body
    return HttpResponse(body, content_type="application/octet-stream", headers=headers)


@login_required
def find(request: HttpRequest, principal: Principal, capture_id: UUID) -> HttpResponse:
    view = load_with_body(principal, capture_id, request)
    found = search.search_capture(view, request.GET.get("q", ""))
    is_fragment = request.headers.get("HX-Request")
    template = (
        "dashboard/capture/find_hits.html" if is_fragment else "dashboard/capture/find_page.html"
    )
    return render_page(request, template, {**part_context(view), "found": found})


PARAMS = ("lane", "start", "end")


@login_required
def trace_characters(request: HttpRequest, principal: Principal, capture_id: UUID) -> HttpResponse:
    """Answer with the trace, bounded for any selection, or with a sentence why there is none."""
    view = load_with_body(principal, capture_id, request)
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
