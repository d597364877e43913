"""Shares of a capture and of a team: made, listed, revoked."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any
from urllib.parse import urljoin
from uuid import UUID

from django.conf import settings
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect

from inspector.archive import queries
from inspector.archive.listing.capture_values import CaptureRow
from inspector.archive.opened import OpenedCapture
from inspector.dashboard.archive.filter_bar import BEFORE, FilterBar, build_filter_bar
from inspector.dashboard.archive.view_tabs import LAYOUT_PARAMS, TAIL
from inspector.dashboard.pages import login_required, principal_in_team, render_page, team_context
from inspector.dashboard.sharing.forms import ShareForm
from inspector.formatting.humanize import plural
from inspector.query.parsed_query import text_query
from inspector.sharing import shares
from inspector.sharing.share_status import ShareState, ShareStatus
from inspector.sharing.shares import MAX_LIVE_LISTS, MAX_LIVE_SHARES, NewShare, NoShare
from inspector.teams.access import EXPORT, Principal

STATE_WORDS: Mapping[str, str] = {
    ShareState.LIVE: "open",
    ShareState.EXPIRED: "expired",
    ShareState.REVOKED: "revoked",
    ShareState.MAKER_GONE: "ended with the rights of its maker",
}
MANY_OF_CAPTURE = (
    f"This capture has {plural(MAX_LIVE_SHARES, 'open link')} already: revoke one of them first."
)
MANY_LISTS = (
    f"The team has {plural(MAX_LIVE_LISTS, 'open link')} to lists already: revoke one of them"
    " first."
)
MISTAKEN = "A filter of the list was not understood: correct it before the list is shared."


@dataclass(frozen=True, slots=True)
class ShareLine:
    """``about`` is the capture's model; empty on the capture's own page, and where unknown.
    ``list_query`` is the query string of a list.
    """

    share: ShareStatus
    state: str
    about: str
    list_query: str


def share_lines(
    shares: Iterable[ShareStatus], rows: Mapping[UUID, CaptureRow] | None = None
) -> tuple[ShareLine, ...]:
    known = rows or {}
    return tuple(
        _line(share, known.get(share.capture) if share.capture else None) for share in shares
    )


def _line(share: ShareStatus, row: CaptureRow | None) -> ShareLine:
    about = (row.model or "") if row else ""
    state = STATE_WORDS.get(share.state, share.state)
    return ShareLine(share, state, about, text_query(share.query) if share.query else "")


@login_required
def capture_shares(request: HttpRequest, principal: Principal, capture_id: UUID) -> HttpResponse:
    """Return the links of a capture. A new one is told in the answer to its form, and never
    again.
    """
    opened = _opened(principal, capture_id)
    if request.method != "POST":
        return _capture_page(request, principal, opened, ShareForm())
    form = ShareForm(request.POST)
    if not form.is_valid():
        return _capture_page(request, principal, opened, form, status=422)
    made = shares.for_principal(principal).share_capture(capture_id, form.terms)
    if made is NoShare.MISSING:
        raise Http404
    if isinstance(made, NoShare):
        return _capture_page(request, principal, opened, form, status=409, refused=MANY_OF_CAPTURE)
    return _capture_page(request, principal, opened, ShareForm(), **_told(made))


@login_required
def team_shares(request: HttpRequest, principal: Principal, team: str) -> HttpResponse:
    found = shares.for_principal(principal_in_team(principal, team))
    recent = found.recent()
    context = {
        **team_context(principal, team),
        "lines": share_lines(recent, found.captures(recent)),
        "most": shares.LISTED,
    }
    return render_page(request, "dashboard/sharing/team_page.html", context)


@login_required
def share_list(request: HttpRequest, principal: Principal, team: str) -> HttpResponse:
    """Make a link to the list of the query that the address holds."""
    filter_bar = build_filter_bar(request.GET, [BEFORE, TAIL, *LAYOUT_PARAMS])
    form = ShareForm(request.POST if request.method == "POST" else None)
    if filter_bar.conditions.mistakes:
        return _list_page(request, principal, team, filter_bar, form, 422, MISTAKEN)
    if request.method != "POST":
        return _list_page(request, principal, team, filter_bar, form)
    if not form.is_valid():
        return _list_page(request, principal, team, filter_bar, form, status=422)
    door = shares.for_principal(principal_in_team(principal, team))
    made = door.share_list(filter_bar.conditions, form.terms)
    if isinstance(made, NoShare):
        return _list_page(request, principal, team, filter_bar, form, 409, MANY_LISTS)
    return _list_page(request, principal, team, filter_bar, ShareForm(), **_told(made))


@login_required
def revoke_share(request: HttpRequest, principal: Principal, team: str, share: int) -> HttpResponse:
    revoked = shares.for_principal(principal_in_team(principal, team)).revoke(share)
    if revoked is None:
        raise Http404
    if request.POST.get("back") == "capture" and revoked.capture is not None:
        return redirect("dashboard:capture-shares", revoked.capture)
    return redirect("dashboard:shares", team)


def _opened(principal: Principal, capture_id: UUID) -> OpenedCapture:
    opened = queries.for_principal(principal, EXPORT).opened(capture_id)
    if opened is None:
        raise Http404
    return opened


def _told(made: NewShare) -> dict[str, Any]:
    return {"link": urljoin(settings.ORIGIN, made.path), "made": made.status}


def _capture_page(
    request: HttpRequest,
    principal: Principal,
    opened: OpenedCapture,
    form: ShareForm,
    status: int = 200,
    **more: Any,
) -> HttpResponse:
    found = shares.for_principal(principal).of_capture(opened.row.id)
    context = {
        **team_context(principal, opened.team_slug),
        "row": opened.row,
        "form": form,
        "lines": share_lines(found or ()),
        "back": "capture",
        **more,
    }
    return render_page(request, "dashboard/sharing/capture_page.html", context, status)


def _list_page(
    request: HttpRequest,
    principal: Principal,
    team: str,
    filter_bar: FilterBar,
    form: ShareForm,
    status: int = 200,
    refused: str = "",
    **more: Any,
) -> HttpResponse:
    context = {
        **team_context(principal, team),
        "filter_bar": filter_bar,
        "form": form,
        "refused": refused,
        **more,
    }
    return render_page(request, "dashboard/sharing/share_list_page.html", context, status)
