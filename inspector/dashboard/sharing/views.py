"""Shares of a capture and of a team, the document as a file, and what a share opens."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any
from urllib.parse import urlencode, urljoin
from uuid import UUID

from django.conf import settings
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseBase
from django.shortcuts import redirect
from django.template.loader import render_to_string

from inspector.archive import queries
from inspector.archive.opened import OpenedCapture
from inspector.dashboard.archive.filter_bar import BEFORE, build_filter_bar
from inspector.dashboard.archive.live import parse_uuids
from inspector.dashboard.archive.view_tabs import LAYOUT_PARAMS, TAIL
from inspector.dashboard.compare_links import SIDE_PARAM
from inspector.dashboard.page_auth import (
    compress_page,
    login_required,
    principal_in_team,
    render_page,
    team_context,
)
from inspector.dashboard.sharing.forms import ShareForm
from inspector.dashboard.sharing.share_rows import share_line, share_lines
from inspector.formatting.humanize import plural
from inspector.sharing import opening, shares
from inspector.sharing.document.document import content_policy, render_document
from inspector.sharing.document.withheld import Withheld
from inspector.sharing.new_collections import (
    MAX_CAPTURES,
    MAX_LIVE_COLLECTIONS,
    share_comparison,
    share_list,
)
from inspector.sharing.new_shares import MAX_LIVE_SHARES, NewShare, NoShare, share_capture
from inspector.sharing.terms import ShareTerms
from inspector.teams.access import EXPORT, READ, Principal
from inspector.teams.guards import open_to_all
from inspector.web.client_address import client_network_of

CONFLICT, UNPROCESSABLE, TOO_MANY_REQUESTS = 409, 422, 429
REFUSALS = {
    NoShare.NOT_INSPECTED: "It is not inspected: there is no reading of it yet that a link could"
    " show.",
    NoShare.PASSAGE_NOT_FOUND: "A passage to mask stands nowhere in what the link would show. Is it"
    " spelled as in the capture?",
    NoShare.TOO_MANY: f"This capture has {plural(MAX_LIVE_SHARES, 'open link')} already: revoke one"
    " of them first.",
}
SEVERAL_REFUSALS = {
    NoShare.NOT_INSPECTED: "None of them has a reading that a link could show, or one of those that"
    " are to be compared has none.",
    NoShare.TOO_MANY: f"The team has {plural(MAX_LIVE_COLLECTIONS, 'open link')} to several"
    " captures already: revoke one of them first.",
    NoShare.OTHER_NUMBER: "Two to four captures are compared, and a list has one at least.",
    NoShare.SEVERAL_TEAMS: "They are of several teams.",
}
MISTAKEN = "A filter of the list was not understood: correct it before the list is shared."
SANDBOXED = "; frame-ancestors 'none'; sandbox"
"""What a policy can say in a header alone: no frame around it, no script, no form, no origin."""
TO_STRANGERS = {
    "Cache-Control": "private, no-store",
    "Referrer-Policy": "no-referrer",
    "X-Robots-Tag": "noindex, nofollow, noarchive",
    "Cross-Origin-Resource-Policy": "same-origin",
}


@open_to_all
def shared(request: HttpRequest, token: str) -> HttpResponseBase:
    """The document behind a link. All links that open nothing get one and the same answer."""
    network = client_network_of(request)
    if wait := opening.seconds_to_wait(network):
        return _too_often(wait)
    # HEAD gets no document, so it is no view.
    found = opening.open_share(token, network, is_counted=request.method != "HEAD")
    if found is None:
        return compress_page(request, _to_stranger(_ended(), content_policy(), 404))
    return compress_page(request, _to_stranger(found.html, found.policy))


@login_required
def capture_shares(
    request: HttpRequest, principal: Principal, capture_id: UUID
) -> HttpResponseBase:
    """The links of a capture. A new one is told in the answer to its form, and never again."""
    opened = _opened(principal, capture_id, EXPORT)
    if request.method != "POST":
        return _capture_page(request, principal, opened, ShareForm())
    form = ShareForm(request.POST)
    if not form.is_valid():
        return _capture_page(request, principal, opened, form, UNPROCESSABLE)
    made = share_capture(principal, capture_id, form.terms)
    if made is None:
        raise Http404
    if isinstance(made, NoShare):
        return _capture_page(request, principal, opened, form, CONFLICT, refused=REFUSALS[made])
    link = urljoin(settings.ORIGIN, made.path)
    return _capture_page(request, principal, opened, ShareForm(), link=link, made=made.status)


@login_required
def team_shares(request: HttpRequest, principal: Principal, team: str) -> HttpResponseBase:
    found = shares.for_principal(principal_in_team(principal, team))
    recent = found.recent()
    context = {
        **team_context(principal, team),
        "lines": share_lines(recent, found.captures(recent)),
        "most": shares.LISTED,
    }
    return render_page(request, "dashboard/sharing/team_page.html", context)


@login_required
def share_several(request: HttpRequest, principal: Principal, team: str) -> HttpResponseBase:
    """Makes a link to a comparison of the captures that the address names (``id``), or to the
    list of its query, frozen now.
    """
    form = ShareForm(request.POST if request.method == "POST" else None)
    chosen = _chosen(request, principal_in_team(principal, team))
    if request.method != "POST" or chosen.refused:
        return _several_page(request, principal, team, chosen, form, refused=chosen.refused)
    if not form.is_valid():
        return _several_page(request, principal, team, chosen, form, status=UNPROCESSABLE)
    made = _made_of(principal_in_team(principal, team), chosen, form.terms)
    if made is None:
        raise Http404
    if isinstance(made, NoShare):
        refused = SEVERAL_REFUSALS.get(made) or REFUSALS[made]
        return _several_page(request, principal, team, chosen, form, refused, CONFLICT)
    link = urljoin(settings.ORIGIN, made.path)
    return _several_page(request, principal, team, chosen, ShareForm(), link=link, made=made.status)


@dataclass(frozen=True, slots=True)
class ChosenCaptures:
    """What a link to several captures would show. ``query``: the address's query string."""

    ids: tuple[UUID, ...]
    query: str
    text: str = ""
    """The query of a list; empty where it is of all, or no list."""
    is_comparison: bool = False
    beyond: int = 0
    """How many more there are than one document has."""
    refused: str = ""


def _chosen(request: HttpRequest, within: Principal) -> ChosenCaptures:
    if SIDE_PARAM in request.GET:
        ids = tuple(dict.fromkeys(parse_uuids(request.GET.getlist(SIDE_PARAM))))
        query = urlencode([(SIDE_PARAM, each) for each in ids])
        return ChosenCaptures(ids, query, is_comparison=True)
    filter_bar = build_filter_bar(request.GET, [BEFORE, TAIL, *LAYOUT_PARAMS])
    if filter_bar.conditions.mistakes:
        return ChosenCaptures((), filter_bar.query, refused=MISTAKEN)
    captures, filters = queries.for_principal(within, EXPORT), filter_bar.conditions.filters
    rows = captures.page(limit=MAX_CAPTURES, filters=filters).rows
    counted = captures.count(filters)
    beyond = counted.number - len(rows) if counted else 0
    ids = tuple(row.id for row in rows)
    return ChosenCaptures(ids, filter_bar.query, filter_bar.text, beyond=max(beyond, 0))


def _made_of(
    within: Principal, chosen: ChosenCaptures, terms: ShareTerms
) -> NewShare | NoShare | None:
    if chosen.is_comparison:
        return share_comparison(within, chosen.ids, terms)
    return share_list(within, chosen.ids, terms, chosen.beyond)


def _several_page(
    request: HttpRequest,
    principal: Principal,
    team: str,
    chosen: ChosenCaptures,
    form: ShareForm,
    refused: str = "",
    status: int = 200,
    **more: Any,
) -> HttpResponse:
    context = {
        **team_context(principal, team),
        "chosen": chosen,
        "number": plural(len(chosen.ids), "capture"),
        "form": form,
        "refused": refused,
        **more,
    }
    status = UNPROCESSABLE if chosen.refused else status
    return render_page(request, "dashboard/sharing/several_page.html", context, status)


@login_required
def share_views(
    request: HttpRequest, principal: Principal, team: str, share: int
) -> HttpResponseBase:
    found = shares.for_principal(principal_in_team(principal, team))
    status = found.one(share)
    if status is None:
        raise Http404
    context = {
        **team_context(principal, team),
        "line": share_line(status),
        "views": found.views(share),
    }
    return render_page(request, "dashboard/sharing/views_page.html", context)


@login_required
def revoke_share(
    request: HttpRequest, principal: Principal, team: str, share: int
) -> HttpResponseBase:
    revoked = shares.for_principal(principal_in_team(principal, team)).revoke(share)
    if revoked is None:
        raise Http404
    if request.POST.get("back") == "capture" and revoked.capture is not None:
        return redirect("dashboard:capture-shares", revoked.capture)
    return redirect("dashboard:shares", team)


@login_required
def document(request: HttpRequest, principal: Principal, capture_id: UUID) -> HttpResponseBase:
    """The document of a capture as a file, without what ``without`` names."""
    opened = _opened(principal, capture_id, READ)
    without = request.GET.getlist("without")
    withheld = Withheld("prompt" in without, "texts" in without)
    rendered = render_document(opened, withheld, principal.asker)
    if rendered is None:
        raise Http404
    response = HttpResponse(rendered.html, content_type="text/html; charset=utf-8")
    response["Content-Disposition"] = f'attachment; filename="capture-{capture_id}.html"'
    response["Content-Security-Policy"] = rendered.policy + SANDBOXED
    return response


def _opened(principal: Principal, capture_id: UUID, scope: str) -> OpenedCapture:
    opened = queries.for_principal(principal, scope).opened(capture_id, with_evidence=True)
    if opened is None:
        raise Http404
    return opened


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
        "lines": [share_line(each) for each in found or ()],
        "back": "capture",
        **more,
    }
    return render_page(request, "dashboard/sharing/capture_page.html", context, status)


def _ended() -> bytes:
    return render_to_string("sharing/ended.html", {"policy": content_policy()}).encode()


def _too_often(wait: float) -> HttpResponse:
    words = "Links are opened too often from this address. Please try again in a moment."
    response = HttpResponse(words, status=TOO_MANY_REQUESTS, content_type="text/plain")
    response["Retry-After"] = str(math.ceil(wait))
    for name, value in TO_STRANGERS.items():
        response[name] = value
    return response


def _to_stranger(html: bytes, policy: str, status: int = 200) -> HttpResponse:
    response = HttpResponse(html, status=status, content_type="text/html; charset=utf-8")
    response["Content-Security-Policy"] = policy + SANDBOXED
    for name, value in TO_STRANGERS.items():
        response[name] = value
    return response
