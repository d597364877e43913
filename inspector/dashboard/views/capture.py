"""One capture: its page, and the parts that the page fetches later."""

from __future__ import annotations

from typing import Any
from uuid import UUID

import msgspec
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseBase

from inspector.archive import queries
from inspector.archive.queries import Captures
from inspector.archive.values import CapturePage
from inspector.core.analysis import ANALYSIS_VERSION
from inspector.core.coding import uncoded
from inspector.dashboard import panels
from inspector.dashboard.asking import answer, signed_in
from inspector.dashboard.capture_view import CaptureView
from inspector.dashboard.drawing import drawing
from inspector.dashboard.panels.raw import MAX_LINES, has_events, has_times, place, rows_of
from inspector.dashboard.panels.timeline import table_of
from inspector.dashboard.reinspection import reread_of
from inspector.dashboard.summary import summary_of
from inspector.dashboard.verdicts import UNFINISHED_STATES
from inspector.teams.access import Principal

READ_IN_FULL_BYTES = 2_000_000
"""Of a larger body the stored analysis is shown: reading it again takes seconds."""

LINES_BEFORE = 6

ENDINGS = {"text/event-stream": "sse", "application/json": "json", "application/x-ndjson": "ndjson"}


@signed_in
def capture(request: HttpRequest, principal: Principal, id: UUID) -> HttpResponseBase:
    view = view_of(principal, id, request)
    team = principal.team(view.page.team_slug)
    context = {
        "view": view,
        "page": view.page,
        "row": view.row,
        "summary": summary_of(view),
        "reread": reread_of(view.page),
        "panels": panels.build(view),
        "unfinished": view.row.state in UNFINISHED_STATES,
        "team": view.page.team_slug,
        "team_name": team.name if team else view.page.team_name,
        "teams": principal.teams,
    }
    return answer(request, "dashboard/capture.html", context)


@signed_in
def state(request: HttpRequest, principal: Principal, id: UUID) -> HttpResponseBase:
    """Tells a page that waits for an inspection to draw itself again."""
    page = page_of(queries.for_principal(principal), id)
    changed = page.row.state != request.GET.get("known")
    return HttpResponse(status=204, headers={"HX-Refresh": "true"} if changed else {})


@signed_in
def timeline(request: HttpRequest, principal: Principal, id: UUID) -> HttpResponseBase:
    """What the timeline is drawn from; it never changes while the version stays."""
    captures = queries.for_principal(principal)
    page = page_of(captures, id)
    etag = f'"{page.sha256}-{page.row.id}-{ANALYSIS_VERSION}"'
    headers = {"ETag": etag, "Cache-Control": "private, no-cache"}
    if request.headers.get("If-None-Match") == etag:
        return HttpResponse(status=304, headers=headers)
    analysis, tape = captures.analysis(id), captures.tape(id)
    if analysis is None or tape is None or not analysis.streamed:
        raise Http404
    body = msgspec.json.encode(drawing(analysis, tape))
    return HttpResponse(body, content_type="application/json", headers=headers)


@signed_in
def timeline_rows(request: HttpRequest, principal: Principal, id: UUID) -> HttpResponseBase:
    view = view_of(principal, id, request)
    if view.analysis is None or view.provenance is None:
        raise Http404
    table = table_of(view.analysis, view.provenance, number(request, "from"))
    context = {**part_context(view), "table": table}
    return answer(request, part(request, "timeline"), context)


@signed_in
def lines(request: HttpRequest, principal: Principal, id: UUID) -> HttpResponseBase:
    """A run of lines, or the lines around one byte or one event."""
    view = view_of(principal, id, request)
    total = len(view.lines.all)
    if (byte := byte_asked(request, view)) is not None:
        at = view.lines.position_of(byte)
        start, end = max(0, at - LINES_BEFORE), min(total, at + MAX_LINES)
    else:
        start = min(number(request, "from"), total)
        end = min(max(start, number(request, "to", total)), total)
    context = {
        **part_context(view),
        "rows": rows_of(view, range(start, end), start, end),
        "has_events": has_events(view),
        "has_times": has_times(view),
    }
    return answer(request, part(request, "raw"), context)


@signed_in
def raw(request: HttpRequest, principal: Principal, id: UUID) -> HttpResponseBase:
    """Exactly the bytes that came, as a file: nothing that a browser would show or run."""
    captures = queries.for_principal(principal)
    page, exchange = page_of(captures, id), captures.evidence(id)
    if exchange is None:
        raise Http404
    media_type = (page.content_type or "").partition(";")[0].strip().lower()
    name = f"{id}.{ENDINGS.get(media_type, 'txt')}"
    headers = {
        "Content-Disposition": f'attachment; filename="{name}"',
        "Cache-Control": "private, no-store",
    }
    return HttpResponse(exchange.body, content_type="application/octet-stream", headers=headers)


def byte_asked(request: HttpRequest, view: CaptureView) -> int | None:
    if "event" in request.GET:
        return place(view, None, number(request, "event"))
    return number(request, "byte") if "byte" in request.GET else None


def view_of(principal: Principal, id: UUID, request: HttpRequest) -> CaptureView:
    captures = queries.for_principal(principal)
    page, exchange = page_of(captures, id), captures.evidence(id)
    if exchange is None:
        raise Http404
    in_full = captures.analysis(id) if page.row.byte_length <= READ_IN_FULL_BYTES else None
    return CaptureView(
        page=page,
        body=uncoded(exchange).body,
        analysis=in_full or page.analysis,
        cuts=() if in_full else page.cuts,
        tape=captures.tape(id),
        table_from=number(request, "table") if "table" in request.GET else None,
        all_bytes="all" in request.GET,
    )


def page_of(captures: Captures, id: UUID) -> CapturePage:
    page = captures.capture_page(id)
    if page is None:
        raise Http404
    return page


def part_context(view: CaptureView) -> dict[str, Any]:
    return {"view": view, "page": view.page, "row": view.row, "team": view.page.team_slug}


def part(request: HttpRequest, name: str) -> str:
    """Rows for the table that asked for them, else a page of their own around the same rows."""
    is_fragment = request.headers.get("HX-Request")
    return f"dashboard/panels/{name}_rows.html" if is_fragment else f"dashboard/{name}_page.html"


def number(request: HttpRequest, name: str, default: int = 0) -> int:
    text = request.GET.get(name, "")
    return int(text) if text.isascii() and text.isdigit() and len(text) < 12 else default
