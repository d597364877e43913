"""The capture page and the fragments it fetches later."""

from __future__ import annotations

from functools import partial
from types import MappingProxyType
from typing import Any
from uuid import UUID

import msgspec
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseBase
from django.shortcuts import redirect
from django.urls import reverse
from django.utils import timezone

from inspector.archive import queries
from inspector.archive.download import download
from inspector.archive.listing.capture_values import CaptureFacts
from inspector.archive.listing.filters import NO_FILTERS, Filters
from inspector.archive.opened import OpenedCapture
from inspector.archive.readers.errors import ReadingError
from inspector.archive.readouts import StoredReadout
from inspector.core.analysis import Analysis
from inspector.core.request.prompt.prompt import PromptReading
from inspector.core.request.prompt.reading import PromptRequest
from inspector.core.tape import Lane, Snapshots, Tape
from inspector.dashboard.archive.filter_bar import filter_bar_of_query
from inspector.dashboard.archive.list_position import find_list_position
from inspector.dashboard.capture import panels
from inspector.dashboard.capture.choice_views import TEXTS, block_part
from inspector.dashboard.capture.forms import NoteForm, TagsForm
from inspector.dashboard.capture.head.siblings import sibling_strips
from inspector.dashboard.capture.head.similar import (
    comparison_links,
    same_prompt_links,
    similar_capture_links,
)
from inspector.dashboard.capture.head.summary import capture_summary
from inspector.dashboard.capture.page.capture_view import (
    CaptureView,
    IssuedForChoice,
    votes_seen_by,
)
from inspector.dashboard.capture.page.panel_body import PanelDisplay
from inspector.dashboard.capture.page.urls import page_url
from inspector.dashboard.capture.raw.panel import (
    byte_of_location,
    has_events,
    has_times,
    line_rows,
    lines_around,
)
from inspector.dashboard.capture.recording.panels import recording_panels
from inspector.dashboard.capture.recording.strip import RecordingStrip, recording_strip
from inspector.dashboard.capture.recording.summary import recording_summary, requested_model
from inspector.dashboard.capture.timeline.panel import timeline_table
from inspector.dashboard.capture.timeline.timeline_data import build_timeline_data
from inspector.dashboard.capture.without_body import panels_without_body
from inspector.dashboard.middleware import not_read_sentence
from inspector.dashboard.page_auth import compress_page, login_required, render_page
from inspector.dashboard.request_values import parse_whole_number
from inspector.dashboard.sharing.forms import ShareForm
from inspector.dashboard.text.reinspection import reinspection_changes
from inspector.formatting.lanes import LaneTexts
from inspector.formatting.redaction_mark import redaction_sentence
from inspector.formatting.removal import removed_from_bodies
from inspector.formatting.verdicts import UNFINISHED_STATES
from inspector.teams.access import DELETE, EXPORT, FEEDBACK, INGEST, Principal
from inspector.usage.rollup import queries as usage
from inspector.web.cache_headers import unless_known


@login_required
def capture(request: HttpRequest, principal: Principal, capture_id: UUID) -> HttpResponseBase:
    return render_capture_page(request, principal, capture_id)


def render_capture_page(
    request: HttpRequest,
    principal: Principal,
    capture_id: UUID,
    status: int = 200,
    issued: IssuedForChoice | None = None,
    **more: Any,
) -> HttpResponse:
    """Renders the whole page; ``more`` holds forms that failed validation."""
    view = load_capture_view(principal, capture_id, request, issued=issued, or_without_body=True)
    context = {**page_context(request, principal, view), **more}
    return render_page(request, "dashboard/capture/page.html", context, status)


def page_context(request: HttpRequest, principal: Principal, view: CaptureView) -> dict[str, Any]:
    """All that the templates of the page need."""
    is_recording, displays = view.facts.is_recording, displays_of(view)
    return {
        "view": view,
        "facts": view.facts,
        "row": view.row,
        "summary": recording_summary(view) if is_recording else capture_summary(view),
        "reread": reinspection_changes(view.facts),
        "overwritten": removed_from_bodies(view.facts.removal),
        "redacted": redaction_sentence(view.facts.redaction, tells_rules=view.facts.share is None),
        "panels": displays,
        "empty_panels": [] if is_recording else [it for it in displays if it.body.why_empty],
        "strip": strip_beside(principal, view.facts) if is_recording else None,
        "requested": requested_model(view) if is_recording else "",
        "unfinished": view.row.state in UNFINISHED_STATES,
        "page_query": request.GET.urlencode(),
        **({} if view.facts.share else own_context(request, principal, view)),
    }


def own_context(request: HttpRequest, principal: Principal, view: CaptureView) -> dict[str, Any]:
    """What only the team sees: itself, its other captures, what may be done with this one."""
    capture_id, team = view.id, principal.team(view.facts.team_slug)
    return {
        "team": view.facts.team_slug,
        "team_name": team.name if team else view.facts.team_name,
        "teams": principal.teams,
        "list_position": find_list_position(
            queries.for_principal(principal),
            capture_id,
            filter_bar_of_query(request.GET.get("list", "")),
        ),
        "correlated": () if view.facts.is_recording else sibling_strips(view.facts),
        "beside": comparison_links(view.facts),
        "same_prompt": same_prompt_links(view.facts),
        "like_this": similar_capture_links(view.facts, view.findings),
        "may_annotate": team is not None and INGEST in team.scopes,
        "may_delete": team is not None and DELETE in team.scopes,
        "may_share": team is not None and EXPORT in team.scopes,
        "share_form": ShareForm(),
        "tags_form": TagsForm(initial={"tags": "\n".join(view.row.tags)}),
        "note_form": NoteForm(initial={"note": view.facts.note}),
    }


def displays_of(view: CaptureView) -> list[PanelDisplay]:
    if view.row.body_deleted_at is not None:
        return panels_without_body(view)
    return recording_panels(view) if view.facts.is_recording else panels.build_panels(view)


def display_of(view: CaptureView, slug: str) -> PanelDisplay | None:
    if view.row.body_deleted_at is None and not view.facts.is_recording:
        return panels.build_panel(view, slug)
    return next((each for each in displays_of(view) if each.panel.slug == slug), None)


def strip_beside(principal: Principal, capture: CaptureFacts) -> RecordingStrip | None:
    """The strip of the recordings of the capture's team; None where it is the only one."""
    within = principal.within(capture.team_slug)
    if within is None:
        return None
    captures = queries.for_principal(within)
    running = captures.running()
    return recording_strip(running, len(running), capture.row.id, timezone.now())


@login_required
def panel(
    request: HttpRequest, principal: Principal, capture_id: UUID, slug: str
) -> HttpResponseBase:
    """Answers with one panel as a fragment; without scripts, with the page around it."""
    view = load_capture_view(principal, capture_id, request, looked_at=slug, or_without_body=True)
    display = display_of(view, slug)
    if display is None:
        raise Http404
    if not request.headers.get("HX-Request"):
        return redirect(page_url(view, slug))
    return render_page(
        request, "dashboard/capture/panel.html", {**part_context(view), "display": display}
    )


@login_required
def timeline(request: HttpRequest, principal: Principal, capture_id: UUID) -> HttpResponseBase:
    """Serves the timeline's JSON, immutable for one analysis version."""
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
def timeline_rows(request: HttpRequest, principal: Principal, capture_id: UUID) -> HttpResponseBase:
    view = load_capture_view(principal, capture_id, request)
    if view.analysis is None or view.provenance is None:
        raise Http404
    table = timeline_table(view.analysis, view.provenance, number_param(request, "from"))
    context = {**part_context(view), "table": table}
    return render_page(request, part_template(request, "timeline"), context)


@login_required
def raw_lines(request: HttpRequest, principal: Principal, capture_id: UUID) -> HttpResponseBase:
    """Answers with a run of lines, or with the lines around one byte or event."""
    view = load_capture_view(principal, capture_id, request)
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


@login_required
def download_body(request: HttpRequest, principal: Principal, capture_id: UUID) -> HttpResponseBase:
    return download(request, opened_of(principal, capture_id))


def requested_byte(request: HttpRequest, view: CaptureView) -> int | None:
    if "event" in request.GET:
        return byte_of_location(view, None, number_param(request, "event"))
    return number_param(request, "byte") if "byte" in request.GET else None


def load_capture_view(
    principal: Principal,
    capture_id: UUID,
    request: HttpRequest,
    looked_at: str | None = None,
    issued: IssuedForChoice | None = None,
    or_without_body: bool = False,
) -> CaptureView:
    """Loads the capture; with ``or_without_body``, also what is left of one whose body is deleted.
    Raises ``ReadingError`` where it is and this is not wanted.
    """
    capture = opened_of(
        principal,
        capture_id,
        filter_bar_of_query(request.GET.get("list", "")).conditions.filters,
        True,
    )
    if or_without_body and capture.row.body_deleted_at is not None:
        return view_without_body(principal, capture, request)
    if capture.exchange is None:
        raise Http404
    found, not_read = readout_of(capture)
    team = principal.team(capture.team_slug)
    return CaptureView(
        facts=capture,
        body=capture.body,
        request=capture.exchange.request,
        analysis=found.analysis if found else None,
        cuts=found.cuts if found else (),
        tape=found.tape if found else None,
        query_params=MappingProxyType(request.GET.dict()),
        looked_at=looked_at,
        issued=issued,
        ask_price=partial(usage.for_principal(principal).price, capture_id),
        ask_votes=votes_seen_by(principal, capture_id),
        ask_prompt=partial(prompt_now, capture),
        may_issue=team is not None and FEEDBACK in team.scopes,
        not_read=not_read,
    )


def view_without_body(
    principal: Principal, capture: OpenedCapture, request: HttpRequest
) -> CaptureView:
    return CaptureView(
        facts=capture,
        body=b"",
        analysis=capture.analysis,
        query_params=MappingProxyType(request.GET.dict()),
        ask_price=partial(usage.for_principal(principal).price, capture.row.id),
        ask_votes=votes_seen_by(principal, capture.row.id),
    )


def readout_of(capture: OpenedCapture) -> tuple[StoredReadout | None, str]:
    """Returns what was read, or None with a sentence why there is nothing to show."""
    try:
        return capture.readout, ""
    except ReadingError as error:
        return None, not_read_sentence(error)


def prompt_now(capture: OpenedCapture, wanted: PromptRequest) -> PromptReading | str:
    """Returns the wanted messages of the request, or a sentence why they are not read."""
    try:
        return capture.prompt(wanted)
    except ReadingError as error:
        return not_read_sentence(error)


def opened_of(
    principal: Principal,
    capture_id: UUID,
    list_filters: Filters = NO_FILTERS,
    with_evidence: bool = False,
) -> OpenedCapture:
    capture = queries.for_principal(principal).opened(capture_id, list_filters, with_evidence)
    if capture is None:
        raise Http404
    return capture


def part_context(view: CaptureView) -> dict[str, Any]:
    return {"view": view, "facts": view.facts, "row": view.row, "team": view.facts.team_slug}


def part_template(request: HttpRequest, name: str) -> str:
    """Template of the bare rows for a script, else of a page around the same rows."""
    is_fragment = request.headers.get("HX-Request")
    return (
        f"dashboard/capture/panels/{name}_rows.html"
        if is_fragment
        else f"dashboard/capture/{name}_page.html"
    )


def number_param(request: HttpRequest, name: str, default: int = 0) -> int:
    number = parse_whole_number(request.GET.get(name, ""))
    return default if number is None else number
