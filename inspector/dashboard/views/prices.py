"""The prices that a team set itself, and pricing anew what was stored."""

from __future__ import annotations

from typing import Any
from urllib.parse import urlencode

from django.http import Http404, HttpRequest, HttpResponse, HttpResponseBase
from django.shortcuts import redirect
from django.urls import reverse
from django.utils import timezone

from inspector.dashboard.asking import answer, signed_in
from inspector.dashboard.price_forms import AgainForm, EndForm, PriceForm, day_asked
from inspector.dashboard.price_overlaps import bounded, digest_of, overlapping
from inspector.dashboard.prices_page import prices_page, shown_progress
from inspector.dashboard.views.archive import team_context
from inspector.teams.access import MANAGE, Principal
from inspector.usage import repricing, team_prices
from inspector.usage.team_prices import MOST_OVERRIDES, Refused

NOT_TAKEN = 422
CONFLICT = 409
POLL_MS = 1_000
REFUSALS = {
    Refused.TOO_MANY: f"A team has at most {MOST_OVERRIDES} custom prices.",
    Refused.BEFORE_IT_BEGINS: "It begins after this day.",
    Refused.ENDED_BEFORE: "It ends before this day already.",
}
UNDER_WAY = "A recalculation is running: try again when it is done."


@signed_in
def prices(request: HttpRequest, principal: Principal, team: str) -> HttpResponseBase:
    return shown(request, principal, team)


@signed_in
def add(request: HttpRequest, principal: Principal, team: str) -> HttpResponseBase:
    form = PriceForm(request.POST)
    if not form.is_valid():
        return shown(request, principal, team, NOT_TAKEN, price_form=form)
    door, made = team_prices.for_principal(within_team(principal, team)), form.override
    overlaps = overlapping(made, [price.override for price in door.all()])
    agreed = digest_of(overlaps)
    if overlaps and request.POST.get("overlaps") != agreed:
        said: dict[str, Any] = {"overlaps": bounded(overlaps), "agreed": agreed}
        return shown(request, principal, team, price_form=form, **said)
    refused = door.add(made)
    if refused is None:
        return back(team, made.starts.isoformat())
    form.add_error(None, REFUSALS[refused])
    return shown(request, principal, team, NOT_TAKEN, price_form=form)


@signed_in
def end(request: HttpRequest, principal: Principal, team: str, price: int) -> HttpResponseBase:
    form = EndForm(request.POST)
    if form.is_valid():
        try:
            door = team_prices.for_principal(within_team(principal, team))
            refused = door.end(price, form.cleaned_data["day"])
        except LookupError as error:
            raise Http404 from error
        if refused is None:
            return back(team, form.cleaned_data["day"].isoformat())
        form.add_error("day", REFUSALS[refused])
    return shown(request, principal, team, NOT_TAKEN, ending=price, end_form=form)


@signed_in
def again(request: HttpRequest, principal: Principal, team: str) -> HttpResponseBase:
    form = AgainForm(request.POST)
    if not form.is_valid():
        return shown(request, principal, team, NOT_TAKEN, again_form=form)
    door = repricing.for_principal(within_team(principal, team))
    if not door.ask(form.since, form.until):
        form.add_error(None, UNDER_WAY)
        return shown(request, principal, team, CONFLICT, again_form=form)
    return redirect("dashboard:prices", team)


@signed_in
def live(request: HttpRequest, principal: Principal, team: str) -> HttpResponseBase:
    """How far pricing anew is, for a page that stays open until it is through."""
    context = {"team": team, "swapped": True, **progress_context(within_team(principal, team))}
    return answer(request, "dashboard/repricings.html", context)


def shown(
    request: HttpRequest, principal: Principal, team: str, status: int = 200, **more: Any
) -> HttpResponse:
    within = within_team(principal, team)
    today = timezone.now().date()
    first = day_asked(request.GET.get("since", ""))
    context = {
        **team_context(principal, team),
        **progress_context(within),
        "page": prices_page(team_prices.for_principal(within).all(), today),
        "may_manage": within.may(MANAGE),
        "price_form": PriceForm(initial={"starts": today}),
        "end_form": EndForm(initial={"day": today}),
        "again_form": AgainForm(initial={"first": first or today, "last": today}),
        "is_new": first is not None,
        **more,
    }
    return answer(request, "dashboard/prices.html", context, status)


def progress_context(within: Principal) -> dict[str, Any]:
    progress = tuple(map(shown_progress, repricing.for_principal(within).latest()))
    is_under_way = any(each.is_open for each in progress)
    return {"progress": progress, "is_under_way": is_under_way, "poll_ms": POLL_MS}


def back(team: str, since: str) -> HttpResponseBase:
    """With the days that may be priced anew now."""
    return redirect(f"{reverse('dashboard:prices', args=[team])}?{urlencode({'since': since})}")


def within_team(principal: Principal, team: str) -> Principal:
    within = principal.within(team)
    assert within is not None, "the table asked for the team"
    return within
