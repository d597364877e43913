"""A team's upstreams: presets and its own, and the lines that have a program call through them."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from django.conf import settings
from django.forms import Form
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect

from inspector.dashboard.connect.client_code import PLACEHOLDER, proxy_url
from inspector.dashboard.connect.panel import connect_panel
from inspector.dashboard.pages import login_required, principal_in_team, render_page, team_context
from inspector.dashboard.upstreams.forms import NewUpstreamForm, ResourceForm, TermsForm, terms_form
from inspector.teams import team_upstreams
from inspector.teams.access import MANAGE, Principal
from inspector.teams.team_upstreams import TeamUpstream, TeamUpstreams, UpstreamRefusal

PAGE = "dashboard:upstreams"


@dataclass(frozen=True, slots=True)
class UpstreamRow:
    upstream: TeamUpstream
    url: str
    """Base URL of a client."""
    form: TermsForm | None
    """Form of the upstream that is being changed."""


@login_required
def upstreams(request: HttpRequest, principal: Principal, team: str) -> HttpResponse:
    return render_upstreams_page(request, principal, team)


@login_required
def add_upstream(request: HttpRequest, principal: Principal, team: str) -> HttpResponse:
    form, door = NewUpstreamForm(request.POST), door_of(principal, team)
    if form.is_valid():
        refusal = door.add(form.cleaned_data["name"], form.cleaned_data["address"])
        if is_done(form, refusal):
            return redirect(PAGE, team)
    return render_upstreams_page(request, principal, team, status=422, add_form=form)


@login_required
def add_resource(request: HttpRequest, principal: Principal, team: str) -> HttpResponse:
    form, door = ResourceForm(request.POST), door_of(principal, team)
    if form.is_valid():
        refusal = door.add_resource(form.cleaned_data["template"], form.cleaned_data["resource"])
        if is_done(form, refusal):
            return redirect(PAGE, team)
    return render_upstreams_page(request, principal, team, status=422, resource_form=form)


@login_required
def change_upstream(
    request: HttpRequest, principal: Principal, team: str, upstream: str
) -> HttpResponse:
    door = door_of(principal, team)
    found = next((each for each in door.all() if each.name == upstream), None)
    if found is None:
        raise Http404
    form = terms_form(found, request.POST)
    if form.is_valid() and is_done(form, door.change(upstream, form.terms)):
        return redirect(PAGE, team)
    return render_upstreams_page(request, principal, team, status=422, forms={upstream: form})


@login_required
def turn_upstream(
    request: HttpRequest, principal: Principal, team: str, upstream: str
) -> HttpResponse:
    """Turn an upstream on (``on=yes``) or off."""
    try:
        door_of(principal, team).turn(upstream, request.POST.get("on") == "yes")
    except LookupError as error:
        raise Http404 from error
    return redirect(PAGE, team)


@login_required
def remove_upstream(
    request: HttpRequest, principal: Principal, team: str, upstream: str
) -> HttpResponse:
    try:
        door_of(principal, team).remove(upstream)
    except LookupError as error:
        raise Http404 from error
    return redirect(PAGE, team)


def is_done(form: Form, refusal: UpstreamRefusal | None) -> bool:
    """Write a refusal beside the field of the form that it is about."""
    if refusal is not None:
        form.add_error(refusal.field if refusal.field in form.fields else None, refusal.sentence)
    return refusal is None


def door_of(principal: Principal, team: str) -> TeamUpstreams:
    return team_upstreams.for_principal(principal_in_team(principal, team))


def render_upstreams_page(
    request: HttpRequest,
    principal: Principal,
    team: str,
    status: int = 200,
    forms: Mapping[str, TermsForm] | None = None,
    **more: Any,
) -> HttpResponse:
    found = door_of(principal, team).all()
    may_manage = principal_in_team(principal, team).may(MANAGE)
    changing = request.GET.get("change") if may_manage else None
    shown = forms or {each.name: terms_form(each) for each in found if each.name == changing}
    context = {
        **team_context(principal, team),
        "may_manage": may_manage,
        "own": [row_of(each, shown) for each in found if not each.is_preset],
        "presets": [row_of(each, shown) for each in found if each.is_preset],
        "panel": connect_panel(principal, team, ""),
        "add_form": NewUpstreamForm(),
        "resource_form": ResourceForm(),
        "is_embedded": settings.IS_EMBEDDED,
        **more,
    }
    return render_page(request, "dashboard/upstreams/page.html", context, status)


def row_of(upstream: TeamUpstream, forms: Mapping[str, TermsForm]) -> UpstreamRow:
    url = proxy_url(settings.PROXY_ORIGIN, PLACEHOLDER, upstream.name)
    return UpstreamRow(upstream, f"{url}{upstream.client_path}", forms.get(upstream.name))
