"""The page on which a service is connected, and the light that turns on when something came."""

from collections.abc import Sequence
from typing import Any

from django import forms
from django.core.exceptions import PermissionDenied
from django.http import Http404, HttpRequest, HttpResponse

from inspector.archive import queries
from inspector.dashboard.connect.client_packages import browser_module, package_named
from inspector.dashboard.connect.service_clients import client_named, clients_by_language
from inspector.dashboard.connect.ways import SCOPES, ConnectWay, WaySlug, ways_of
from inspector.dashboard.pages import login_required, principal_in_team, render_page, team_context
from inspector.teams import keys
from inspector.teams.access import MANAGE, Principal
from inspector.teams.guards import open_to_all

KEY_NAME_CHARACTERS = 100
"""The width of the column."""


class ServiceKeyForm(forms.Form):
    name = forms.CharField(label="Service", max_length=KEY_NAME_CHARACTERS)
    way = forms.ChoiceField(choices=[(each.value, each.value) for each in WaySlug])
    origins = forms.CharField(required=False, max_length=5_000)

    def clean(self) -> dict[str, Any]:
        found = super().clean() or {}
        if found.get("way") == WaySlug.PAGE and not found.get("origins"):
            self.add_error("origins", "Name the origin of the page, such as https://app.example.")
        return found


@login_required
def connect(request: HttpRequest, principal: Principal, team: str) -> HttpResponse:
    return _connect_page(request, principal, team)


@login_required
def make_service_key(request: HttpRequest, principal: Principal, team: str) -> HttpResponse:
    """Make a key for one way of connecting and shows it once, in the lines of this response."""
    form, access = ServiceKeyForm(request.POST), principal.team(team)
    if access is None:
        raise PermissionDenied
    if not form.is_valid():
        return _connect_page(request, principal, team, status=422, mistakes=form.errors)
    way, origins = WaySlug(form.cleaned_data["way"]), ()
    if way is WaySlug.PAGE:
        origins = form.cleaned_data["origins"].split()
    try:
        name = form.cleaned_data["name"]
        plain = keys.new_key(principal, access, name, (SCOPES[way],), None, origins)
    except ValueError as mistake:
        mistakes = {"origins": [str(mistake)]}
        return _connect_page(request, principal, team, status=422, mistakes=mistakes)
    number = keys.id_of(plain)
    return _connect_page(request, principal, team, keyed=way, key=plain, key_id=number)


@login_required
def key_arrival(request: HttpRequest, principal: Principal, team: str, key: int) -> HttpResponse:
    first = queries.for_principal(principal_in_team(principal, team)).first_by_key(key)
    context = {"team": team, "key_id": key, "first": first}
    return render_page(request, "dashboard/connect/arrival.html", context)


@open_to_all
def client_package(request: HttpRequest, file_name: str) -> HttpResponse:
    """Return a package as pip or npm fetches it: neither has a session, and its source is no
    secret.
    """
    package = package_named(file_name)
    if package is None:
        raise Http404
    response = HttpResponse(package.content, content_type=package.media_type)
    response["Cache-Control"] = "no-cache"
    return response


def opened_of(ways: Sequence[ConnectWay], asked: str, upstream: str) -> str:
    """Return the one way that stands open: the others are a line each."""
    if any(way.slug == asked for way in ways):
        return asked
    wanted = WaySlug.PROXY if upstream else ways[0].slug if ways else ""
    return str(wanted)


@open_to_all
def browser_file(request: HttpRequest, module: str) -> HttpResponse:
    """Return a file of the module that pages import; any page may."""
    found = browser_module(module)
    if found is None:
        raise Http404
    headers = {
        "Access-Control-Allow-Origin": "*",
        "Cross-Origin-Resource-Policy": "cross-origin",
        "Cache-Control": "no-cache",
    }
    return HttpResponse(found, content_type="text/javascript; charset=utf-8", headers=headers)


def _connect_page(
    request: HttpRequest,
    principal: Principal,
    team: str,
    status: int = 200,
    *,
    keyed: str = "",
    key: str = "",
    **more: Any,
) -> HttpResponse:
    client = client_named(request.GET.get("with", ""))
    within = principal_in_team(principal, team)
    upstream = request.GET.get("for", "")
    made = {"keyed": keyed, "key": key} if key else {}
    ways = ways_of(client, principal, team, upstream, **made)
    context = {
        **team_context(principal, team),
        "languages": clients_by_language(),
        "client": client,
        "upstream": upstream,
        "ways": ways,
        "slugs": [way.slug for way in ways],
        "keyed": keyed,
        "opened": opened_of(ways, keyed or request.POST.get("way", ""), upstream),
        "may_manage": within.may(MANAGE),
        **more,
    }
    return render_page(request, "dashboard/connect/page.html", context, status)
