"""Views that the timeline of a capture's page fetches: its drawing, and rows of its table."""

from functools import partial
from uuid import UUID

import msgspec
from django.http import Http404, HttpRequest, HttpResponse
from django.urls import reverse

from inspector.core.analysis import Analysis
from inspector.core.tape import Lane, Snapshots, Tape
from inspector.dashboard.capture.choice_views import TEXTS, block_part
from inspector.dashboard.capture.page.loading import load_with_body, opened_of
from inspector.dashboard.capture.page.urls import part_context, part_template
from inspector.dashboard.capture.timeline.panel import timeline_table
from inspector.dashboard.capture.timeline.timeline_data import build_timeline_data
from inspector.dashboard.pages import compress_page, login_required, render_page
from inspector.dashboard.request_values import number_param
from inspector.formatting.lanes import LaneTexts
from inspector.teams.access import Principal
from inspector.web.cache_headers import unless_known


@login_required
def timeline(request: HttpRequest, principal: Principal, capture_id: UUID) -> HttpResponse:
    """Serve the timeline's JSON, immutable for one analysis version."""
    capture = opened_of(principal, capture_id)
    capture.require_body()
    found = capture.readout
    if found is None or found.tape is None or not found.analysis.streamed:
        raise Http404
    etag = f'"{capture.sha256}-{capture_id}-{found.analysis.analysis_version}"'
    drawing = partial(drawing_of, capture_id, found.analysis, found.tape, found.snapshots)
    return compress_page(request, unless_known(request, etag, drawing))


def drawing_of(
    capture_id: UUID, analysis: Analysis, tape: Tape, snapshots: Snapshots
) -> HttpResponse:
    texts = partial(text_href, capture_id, LaneTexts(analysis))
    drawn_from = build_timeline_data(analysis, tape, snapshots, texts)
    return HttpResponse(msgspec.json.encode(drawn_from), content_type="application/json")


def text_href(capture_id: UUID, texts: LaneTexts, number: int, lane: Lane) -> str | None:
    """URL of a lane's full text; None for tool call arguments."""
    if lane.kind not in TEXTS:
        return None
    block = texts.block(number)
    part = lane.kind if block is None else block_part(block)
    return reverse("dashboard:text", args=[capture_id, lane.choice, part])


@login_required
def timeline_rows(request: HttpRequest, principal: Principal, capture_id: UUID) -> HttpResponse:
    view = load_with_body(principal, capture_id, request)
    if view.analysis is None or view.provenance is None:
        raise Http404
    table = timeline_table(view.analysis, view.provenance, number_param(request, "from"))
    context = {**part_context(view), "table": table}
    return render_page(request, part_template(request, "timeline"), context)
