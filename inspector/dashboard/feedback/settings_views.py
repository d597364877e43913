"""Settings of feedback: sites that may vote from a browser, and the keys that sign tokens."""

from typing import Any

from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect

from inspector.dashboard.feedback.embed_code import endpoint_of, vote_form
from inspector.dashboard.pages import login_required, principal_in_team, render_page, team_context
from inspector.feedback import allowed_sites, signing_keys
from inspector.feedback.allowed_sites import MOST
from inspector.teams.access import Principal
from inspector.web.site_origin import BadOrigin

NOT_CONFIRMED = "Nothing was revoked: enter the name of the team to confirm."
TOO_MANY = f"A team has at most {MOST} sites."
REPLACED_MEANWHILE = "Somebody else just replaced the key: check it, then try again."


@login_required
def feedback_settings(request: HttpRequest, principal: Principal, team: str) -> HttpResponse:
    return render_settings_page(request, principal, team)


@login_required
def add_site(request: HttpRequest, principal: Principal, team: str) -> HttpResponse:
    origin = request.POST.get("origin", "")[:1_000]
    try:
        added = allowed_sites.allow_site(principal_in_team(principal, team), origin)
    except BadOrigin as error:
        return render_settings_page(
            request, principal, team, status=422, origin=origin, bad_origin=str(error)
        )
    if not added:
        return render_settings_page(
            request, principal, team, status=409, origin=origin, bad_origin=TOO_MANY
        )
    return redirect("dashboard:feedback-settings", team)


@login_required
def remove_site(request: HttpRequest, principal: Principal, team: str, site: int) -> HttpResponse:
    if not allowed_sites.disallow_site(principal_in_team(principal, team), site):
        raise Http404
    return redirect("dashboard:feedback-settings", team)


@login_required
def rotate_key(request: HttpRequest, principal: Principal, team: str) -> HttpResponse:
    return key_change_response(
        request, principal, team, signing_keys.rotate_key(principal_in_team(principal, team))
    )


@login_required
def revoke_keys(request: HttpRequest, principal: Principal, team: str) -> HttpResponse:
    """Revoke every token of the team, after its name was typed as confirmation."""
    if request.POST.get("confirm", "").strip() != team:
        return render_settings_page(request, principal, team, status=422, refusal=NOT_CONFIRMED)
    return key_change_response(
        request, principal, team, signing_keys.revoke_keys(principal_in_team(principal, team))
    )


def key_change_response(
    request: HttpRequest, principal: Principal, team: str, key: signing_keys.SigningKeyInfo | None
) -> HttpResponse:
    if key is None:
        return render_settings_page(
            request, principal, team, status=409, refusal=REPLACED_MEANWHILE
        )
    return redirect("dashboard:feedback-settings", team)


def render_settings_page(
    request: HttpRequest, principal: Principal, team: str, status: int = 200, **more: Any
) -> HttpResponse:
    asker = principal_in_team(principal, team)
    context = {
        **team_context(principal, team),
        "sites": allowed_sites.allowed_origins(asker),
        "keys": signing_keys.list_signing_keys(asker),
        "origin": "",
        "button": vote_form("TOKEN", endpoint_of(team)),
        **more,
    }
    return render_page(request, "dashboard/feedback/settings.html", context, status)
