"""Pages that a link opens to anybody who has it: the ordinary pages of a capture, and the list of a
query.

They stand below the link's own address, ``/shared/<token>/captures/<id>/`` and so on. Like the
prefix of a mounted application, it stands before every address that they name.
"""

import math
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace

from django.contrib.auth.models import AnonymousUser
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseBase
from django.shortcuts import redirect
from django.urls import ResolverMatch, get_script_prefix, resolve, reverse, set_script_prefix

from inspector.archive import queries
from inspector.archive.listing.cursor import BadCursor
from inspector.archive.readers.errors import ReadingError
from inspector.dashboard.archive.columns import COLUMNS
from inspector.dashboard.archive.filter_bar import BEFORE
from inspector.dashboard.archive.rows import build_rows
from inspector.dashboard.middleware import not_read_page
from inspector.dashboard.pages import SHARE_PRINCIPAL, render_page
from inspector.database.portability import StatementTimeout
from inspector.logs.json_log import ASKER
from inspector.sharing import opening
from inspector.teams.access import Principal, ShareAccess
from inspector.teams.authorisation import TABLE
from inspector.teams.guards import open_to_all
from inspector.usage.rollup import queries as usage
from inspector.web.client_address import client_network_of

TOO_MANY_REQUESTS = 429
CAPTURE_PAGE = "dashboard:capture"
WITHHELD_COLUMNS = ("col-finding", "cost", "tags")
"""Empty for visitors, but for costs, which may go by the team's prices."""
SHARED_COLUMNS = tuple(
    # Without the key.
    replace(each, label="model", title="") if each.name == "model" else each
    for each in COLUMNS
    if each.name not in WITHHELD_COLUMNS
)


@open_to_all
def shared(request: HttpRequest, token: str) -> HttpResponseBase:
    """Lead to the capture behind a link, or show its list."""
    return _answer(request, token, "")


@open_to_all
def shared_page(request: HttpRequest, token: str, path: str) -> HttpResponseBase:
    """Return a page below a link. All that a link does not open gets one and the same answer."""
    return _answer(request, token, path)


def _answer(request: HttpRequest, token: str, path: str) -> HttpResponseBase:
    network = client_network_of(request)
    # Whoever is signed in sees what any visitor sees.
    request.user = AnonymousUser()
    visitor = opening.open_share(token, network)
    if visitor is None or visitor.share is None:
        wait = opening.seconds_to_wait(network)
        return _too_often(wait) if wait else _nothing_here(request)
    request.META |= {SHARE_PRINCIPAL: visitor, ASKER: {"share": visitor.share.id}}
    with _below(reverse("dashboard:shared", args=[token])):
        return _opened(request, visitor, visitor.share, path)


@contextmanager
def _below(prefix: str) -> Iterator[None]:
    before = get_script_prefix()
    set_script_prefix(prefix)
    try:
        yield
    finally:
        set_script_prefix(before)


def _opened(
    request: HttpRequest, visitor: Principal, share: ShareAccess, path: str
) -> HttpResponseBase:
    if not path and share.capture is not None:
        return redirect(CAPTURE_PAGE, share.capture)
    try:
        match = _match_of(path) if path else None
        # Of what a browser asks for only whole pages count.
        is_page = match is None or match.view_name == CAPTURE_PAGE
        if is_page and (wait := opening.seconds_to_wait(visitor.network or "")):
            return _too_often(wait)
        response = _ordinary_page(request, match) if match else _list_page(request, visitor)
    except Http404:
        return _nothing_here(request)
    except ReadingError as error:
        return not_read_page(request, error)
    # A program that asks for the head alone has seen nothing; drawing it counts as any page's.
    if is_page and request.method == "GET":
        opening.count_view(share)
    return response


def _match_of(path: str) -> ResolverMatch:
    match = resolve(f"/{path}")
    if TABLE[match.view_name].shared is None:
        raise Http404
    return match


def _ordinary_page(request: HttpRequest, match: ResolverMatch) -> HttpResponseBase:
    # The view asks for its row of the authorisation table by this.
    request.resolver_match = match
    response: HttpResponseBase = match.func(request, *match.args, **match.kwargs)
    return response


def _list_page(request: HttpRequest, visitor: Principal) -> HttpResponse:
    captures = queries.for_principal(visitor)
    try:
        page = captures.search(request.GET.get(BEFORE))
    except (BadCursor, StatementTimeout) as error:
        raise Http404 from error
    context = {
        "rows": build_rows(page.rows, usage.for_principal(visitor), captures),
        "columns": SHARED_COLUMNS,
        "older": page.older,
        "first_page": BEFORE not in request.GET,
        "is_shared": True,
        "share": visitor.share,
    }
    return render_page(request, "dashboard/sharing/list_page.html", context)


def _nothing_here(request: HttpRequest) -> HttpResponse:
    return render_page(request, "dashboard/sharing/nothing_here.html", {}, 404)


def _too_often(wait: float) -> HttpResponse:
    words = "Links are opened too often from this address. Please try again in a moment."
    response = HttpResponse(words, status=TOO_MANY_REQUESTS, content_type="text/plain")
    response["Retry-After"] = str(math.ceil(wait))
    return response
