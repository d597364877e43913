"""One capture: its page, and the parts that the page fetches later."""

from __future__ import annotations

from functools import partial
from types import MappingProxyType
from typing import Any
from uuid import UUID

import msgspec
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseBase
from django.shortcuts import redirect
from django.urls import reverse

from inspector.archive import queries
from inspector.archive.filters import ALL, Filters
from inspector.archive.opened import OpenedCapture
from inspector.archive.readers.not_read import NotRead
from inspector.archive.readers.works import Readout
from inspector.archive.reading import QUICK_BYTES, weight_of
from inspector.caching import unless_known
from inspector.core.analysis import ANALYSIS_VERSION
from inspector.core.tape import Lane
from inspector.dashboard import panels
from inspector.dashboard.asking import answer, compressed, signed_in
from inspector.dashboard.capture_view import CaptureView
from inspector.dashboard.drawing import drawing
from inspector.dashboard.forms import NoteForm, TagsForm
from inspector.dashboard.likeness import beside, like_this
from inspector.dashboard.listed import listed
from inspector.dashboard.narrowed import within
from inspector.dashboard.not_read import sentence_of
from inspector.dashboard.numerals import whole_number
from inspector.dashboard.panels.raw import around, has_events, has_times, place, rows_of
from inspector.dashboard.panels.timeline import table_of
from inspector.dashboard.reinspection import reread_of
from inspector.dashboard.removal import in_bodies
from inspector.dashboard.summary import summary_of
from inspector.dashboard.templatetags.places import page_url
from inspector.dashboard.verdicts import UNFINISHED_STATES
from inspector.dashboard.views.choice import TEXTS
from inspector.feedback import queries as feedback
from inspector.feedback.issuing import Issued
from inspector.teams.access import DELETE, FEEDBACK, INGEST, Principal
from inspector.transfer.download import download
from inspector.usage import queries as usage


@signed_in
def capture(request: HttpRequest, principal: Principal, id: UUID) -> HttpResponseBase:
    return shown(request, principal, id)


def shown(
    request: HttpRequest,
    principal: Principal,
    id: UUID,
    status: int = 200,
    issued: tuple[int, Issued] | None = None,
    **more: Any,
) -> HttpResponse:
    """The whole page; ``more`` are forms that came back with something wrong in them."""
    view = view_of(principal, id, request, is_waited_for=names_a_panel(request), issued=issued)
    team = principal.team(view.page.team_slug)
    context = {
        "view": view,
        "page": view.page,
        "row": view.row,
        "summary": summary_of(view),
        "reread": reread_of(view.page),
        "overwritten": in_bodies(view.page.removal),
        "panels": panels.build(view),
        "unfinished": view.row.state in UNFINISHED_STATES,
        "team": view.page.team_slug,
        "team_name": team.name if team else view.page.team_name,
        "teams": principal.teams,
        "listed": listed(
            queries.for_principal(principal), id, within(request.GET.get("within", ""))
        ),
        "beside": beside(view.page),
        "like_this": like_this(view.page, view.findings),
        "may_annotate": team is not None and INGEST in team.scopes,
        "may_delete": team is not None and DELETE in team.scopes,
        "tags_form": TagsForm(initial={"tags": "\n".join(view.row.tags)}),
        "note_form": NoteForm(initial={"note": view.page.note}),
        **more,
    }
    return answer(request, "dashboard/capture.html", context, status)


@signed_in
def panel(request: HttpRequest, principal: Principal, id: UUID, slug: str) -> HttpResponseBase:
    """One panel for the page that it stands on; without scripts that page is the answer."""
    view = view_of(principal, id, request, looked_at=slug)
    shown = panels.build_one(view, slug)
    if shown is None:
        raise Http404
    if not request.headers.get("HX-Request"):
        return redirect(page_url(view, slug))
    return answer(request, "dashboard/panel.html", {**part_context(view), "shown": shown})


@signed_in
def state(request: HttpRequest, principal: Principal, id: UUID) -> HttpResponseBase:
    """Tells a page that waits for an inspection to draw itself again."""
    changed = opened_of(principal, id).row.state != request.GET.get("known")
    return HttpResponse(status=204, headers={"HX-Refresh": "true"} if changed else {})


@signed_in
def timeline(request: HttpRequest, principal: Principal, id: UUID) -> HttpResponseBase:
    """What the timeline is drawn from; it never changes while the version stays."""
    page = opened_of(principal, id)
    etag = f'"{page.sha256}-{id}-{ANALYSIS_VERSION}"'
    return compressed(request, unless_known(request, etag, lambda: drawing_of(page)))


def drawing_of(page: OpenedCapture) -> HttpResponse:
    found = page.readout
    if found is None or not found.analysis.streamed:
        raise Http404
    texts = partial(text_href, page.row.id)
    drawn_from = drawing(found.analysis, found.tape, found.snapshots, texts)
    return HttpResponse(msgspec.json.encode(drawn_from), content_type="application/json")


def text_href(id: UUID, lane: Lane) -> str | None:
    """The file with the text of a lane; arguments of calls have none."""
    if lane.kind not in TEXTS:
        return None
    return reverse("dashboard:text", args=[id, lane.choice, lane.kind])


@signed_in
def timeline_rows(request: HttpRequest, principal: Principal, id: UUID) -> HttpResponseBase:
    view = view_of(principal, id, request, or_stored=False)
    if view.analysis is None or view.provenance is None:
        raise Http404
    table = table_of(view.analysis, view.provenance, number(request, "from"))
    context = {**part_context(view), "table": table}
    return answer(request, part(request, "timeline"), context)


@signed_in
def lines(request: HttpRequest, principal: Principal, id: UUID) -> HttpResponseBase:
    """A run of lines; of those around one byte or one event, with what is before and behind it."""
    view = view_of(principal, id, request)
    total = len(view.lines.all)
    start = min(number(request, "from"), total)
    end = min(max(start, number(request, "to", total)), total)
    byte = byte_asked(request, view)
    shown = range(start, end) if byte is None else around(view.lines, byte, start, end)
    context = {
        **part_context(view),
        "rows": rows_of(view, shown, start, end, byte if "byte" in request.GET else None),
        "has_events": has_events(view),
        "has_times": has_times(view),
    }
    return answer(request, part(request, "raw"), context)


@signed_in
def raw(request: HttpRequest, principal: Principal, id: UUID) -> HttpResponseBase:
    return download(request, opened_of(principal, id))


def byte_asked(request: HttpRequest, view: CaptureView) -> int | None:
    if "event" in request.GET:
        return place(view, None, number(request, "event"))
    return number(request, "byte") if "byte" in request.GET else None


def view_of(
    principal: Principal,
    id: UUID,
    request: HttpRequest,
    looked_at: str | None = None,
    is_waited_for: bool = True,
    or_stored: bool = True,
    issued: tuple[int, Issued] | None = None,
) -> CaptureView:
    """Without waiting, what takes seconds to read is shown by its stored reading at first.

    Raises ``NotRead`` where that does not do (``or_stored``).
    """
    page = opened_of(principal, id, within(request.GET.get("within", "")).conditions.filters, True)
    if page.exchange is None:
        raise Http404
    is_read_now = is_waited_for or weight_of(page.body) <= QUICK_BYTES
    found, not_read = read_now(page, or_stored) if is_read_now else (page.remembered, "")
    team = principal.team(page.team_slug)
    return CaptureView(
        page=page,
        body=page.body,
        request=page.exchange.request,
        analysis=found.analysis if found else page.analysis,
        cuts=() if found else page.cuts,
        tape=found.tape if found else None,
        asked=MappingProxyType(request.GET.dict()),
        looked_at=looked_at,
        issued=issued,
        ask_price=partial(usage.for_principal(principal).price, id),
        ask_votes=partial(feedback.for_principal(principal).of_capture, id),
        may_issue=team is not None and FEEDBACK in team.scopes,
        in_full=found is not None or is_read_now or not page.is_survived,
        not_read=not_read,
    )


def read_now(page: OpenedCapture, or_stored: bool) -> tuple[Readout | None, str]:
    """Where it cannot be read now, the sentence that says so: the stored reading is shown."""
    try:
        return page.readout, ""
    except NotRead as error:
        if not or_stored:
            raise
        return None, sentence_of(error)


def names_a_panel(request: HttpRequest) -> bool:
    """Somebody asks for the state of one panel, and so waits for it."""
    return any(name in request.GET for name in ("show", *(each.slug for each in panels.found())))


def opened_of(
    principal: Principal, id: UUID, list_filters: Filters = ALL, with_evidence: bool = False
) -> OpenedCapture:
    page = queries.for_principal(principal).opened(id, list_filters, with_evidence)
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
    asked = whole_number(request.GET.get(name, ""))
    return default if asked is None else asked
