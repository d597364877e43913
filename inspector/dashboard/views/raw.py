"""Parts of the raw panel that are fetched when somebody looks closer."""

from __future__ import annotations

from uuid import UUID

from django.http import Http404, HttpRequest, HttpResponse, HttpResponseBase
from django.shortcuts import redirect

from inspector.archive import queries
from inspector.dashboard.asking import answer, signed_in
from inspector.dashboard.json_source import source_of
from inspector.dashboard.json_tree import members_at
from inspector.dashboard.raw_views import beside
from inspector.dashboard.templatetags.places import page_url
from inspector.dashboard.views.capture import byte_asked, number, part_context, view_of
from inspector.teams.access import Principal


@signed_in
def tree(request: HttpRequest, principal: Principal, id: UUID) -> HttpResponseBase:
    """A window of the members of one object or list; without scripts the tree around it."""
    view = view_of(principal, id, request)
    event = number(request, "event") if "event" in request.GET else None
    source = source_of(view, event)
    found = source and members_at(source, number(request, "offset"), number(request, "from"))
    if source is None or not found:
        raise Http404
    if not request.headers.get("HX-Request"):
        return redirect(page_url(view, "raw", raw="tree", offset="", **{"from": ""}))
    context = {**part_context(view), "members": found, "event": source.event}
    return answer(request, "dashboard/panels/raw_members.html", context)


@signed_in
def around(request: HttpRequest, principal: Principal, id: UUID) -> HttpResponseBase:
    """The bytes around one byte, or around the beginning of one event; else the first ones."""
    view = view_of(principal, id, request)
    byte = byte_asked(request, view) or 0
    if not view.body:
        raise Http404
    if not request.headers.get("HX-Request"):
        return redirect(page_url(view, "raw", raw="hex", byte=byte, event=""))
    context = {**part_context(view), "beside": beside(view, byte)}
    return answer(request, "dashboard/panels/raw_beside.html", context)


@signed_in
def request_body(request: HttpRequest, principal: Principal, id: UUID) -> HttpResponseBase:
    """The body of the request that was answered, as a file."""
    exchange = queries.for_principal(principal).evidence(id)
    if exchange is None or exchange.request is None or exchange.request.body is None:
        raise Http404
    headers = {
        "Content-Disposition": f'attachment; filename="{id}.request"',
        "Cache-Control": "private, no-store",
    }
    body = exchange.request.body
    return HttpResponse(body, content_type="application/octet-stream", headers=headers)
