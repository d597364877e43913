"""Price overrides of a team, and repricing of stored captures."""

from datetime import date
from typing import Any
from urllib.parse import urlencode

from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.urls import reverse
from django.utils import timezone

from inspector.dashboard.archive.live import parse_uuids
from inspector.dashboard.pages import login_required, principal_in_team, render_page, team_context
from inspector.dashboard.prices.forms import (
    CONDITIONS,
    EndPriceForm,
    PriceForm,
    RepriceForm,
    parse_day,
    rate_field_name,
)
from inspector.dashboard.prices.overlaps import limit_sentences, overlap_sentences, sentences_digest
from inspector.dashboard.prices.page import build_prices_page, repricing_row
from inspector.formatting.humanize import plural
from inspector.teams.access import MANAGE, Principal
from inspector.usage import repricing
from inspector.usage.cost import team_prices
from inspector.usage.cost.overrides import Override
from inspector.usage.cost.team_prices import MAX_OVERRIDES, OverrideRefusal
from inspector.usage.cost.token_kinds import TokenKind
from inspector.usage.repricing import midnight

POLL_MS = 1_000
"""While a job is under way; a step of it takes about so long."""
REFUSALS = {
    OverrideRefusal.TOO_MANY: f"A team has at most {MAX_OVERRIDES} custom prices.",
    OverrideRefusal.BEFORE_IT_BEGINS: "It begins after this day.",
    OverrideRefusal.ENDED_BEFORE: "It ends before this day already.",
}
USAGE = "usage"
REPRICING_UNDER_WAY = "A recalculation is running: try again when it is done."


@login_required
def prices(request: HttpRequest, principal: Principal, team: str) -> HttpResponse:
    return render_prices_page(request, principal, team)


@login_required
def add_price(request: HttpRequest, principal: Principal, team: str) -> HttpResponse:
    form = PriceForm(request.POST)
    if not form.is_valid():
        return render_prices_page(request, principal, team, status=422, price_form=form)
    within, override = principal_in_team(principal, team), form.override
    door = team_prices.for_principal(within)
    overlaps = overlap_sentences(override, [price.override for price in door.all()])
    digest = sentences_digest(overlaps)
    if overlaps and request.POST.get("confirmed_overlaps") != digest:
        confirmation: dict[str, Any] = {"overlaps": limit_sentences(overlaps), "digest": digest}
        return render_prices_page(request, principal, team, price_form=form, **confirmation)
    refused = door.add(override)
    if refused is None:
        back = request.POST.get("back", "")
        return recalculated(within, team, override.starts, override.ends, back)
    form.add_error(None, REFUSALS[refused])
    return render_prices_page(request, principal, team, status=422, price_form=form)


@login_required
def end_price(request: HttpRequest, principal: Principal, team: str, price: int) -> HttpResponse:
    form, within = EndPriceForm(request.POST), principal_in_team(principal, team)
    if form.is_valid():
        try:
            refused = team_prices.for_principal(within).end(price, form.cleaned_data["day"])
        except LookupError as error:
            raise Http404 from error
        if refused is None:
            return recalculated(within, team, form.cleaned_data["day"])
        form.add_error("day", REFUSALS[refused])
    return render_prices_page(request, principal, team, status=422, ending=price, end_form=form)


@login_required
def reprice(request: HttpRequest, principal: Principal, team: str) -> HttpResponse:
    form = RepriceForm(request.POST)
    if not form.is_valid():
        return render_prices_page(request, principal, team, status=422, reprice_form=form)
    door = repricing.for_principal(principal_in_team(principal, team))
    if not door.request(form.since, form.until):
        form.add_error(None, REPRICING_UNDER_WAY)
        return render_prices_page(request, principal, team, status=409, reprice_form=form)
    return redirect("dashboard:prices", team)


@login_required
def repricing_progress(request: HttpRequest, principal: Principal, team: str) -> HttpResponse:
    """Fragment with the progress of repricing, polled until it ends."""
    context = {
        "team": team,
        "swapped": True,
        **progress_context(principal_in_team(principal, team)),
    }
    return render_page(request, "dashboard/prices/repricings.html", context)


def render_prices_page(
    request: HttpRequest, principal: Principal, team: str, status: int = 200, **more: Any
) -> HttpResponse:
    within = principal_in_team(principal, team)
    today = timezone.now().date()
    first = parse_day(request.GET.get("since", ""))
    price_form = PriceForm(initial=asked_price(request, within, today))
    if request.GET.get("model"):
        price_form.fields[rate_field_name(TokenKind.PROMPT)].widget.attrs["autofocus"] = True
    context = {
        **team_context(principal, team),
        **progress_context(within),
        "page": build_prices_page(team_prices.for_principal(within).all(), today),
        "may_manage": within.may(MANAGE),
        "price_form": price_form,
        "end_form": EndPriceForm(initial={"day": today}),
        "reprice_form": RepriceForm(initial={"first": first or today, "last": today}),
        "is_new": first is not None,
        "waits": "waits" in request.GET,
        "back": request.POST.get("back", request.GET.get("back", "")),
        **more,
    }
    context["place"] = place_of(context["back"], team)
    if first is not None:
        context["saved_for"] = newest_words(within)
    context["affected"] = affected_words(within, context["price_form"])
    return render_page(request, "dashboard/prices/page.html", context, status)


def asked_price(request: HttpRequest, within: Principal, today: date) -> dict[str, Any]:
    """Return what a price is for that another page, or its own form, asks for; from the first day
    on that lacks it, unless a day is asked for.
    """
    given = {name: request.GET.get(name, "") for name in CONDITIONS}
    starts, ends = parse_day(given["starts"]), parse_day(given["ends"])
    if starts is None and given["model"]:
        starts = repricing.for_principal(within).first_unpriced(given["model"])
    return {**given, "starts": starts or today, "ends": ends}


def affected_words(within: Principal, form: PriceForm) -> str:
    """Return how many captures the price of the form is for; empty if for none."""
    scope = form.scope
    return captures_of(within, scope) if scope and within.may(MANAGE) else ""


def place_of(back: str, team: str) -> tuple[str, str] | None:
    """Return words and address of the page that a price was asked for on: no address is taken."""
    if back == USAGE:
        return "Usage", reverse("dashboard:usage", args=[team])
    found = parse_uuids([back])
    return ("the capture", reverse("dashboard:capture", args=found)) if found else None


def newest_words(within: Principal) -> str:
    """Return how many captures the price that was saved last is for; empty if for none."""
    found = team_prices.for_principal(within).all()
    return captures_of(within, found[0].override) if found and within.may(MANAGE) else ""


def captures_of(within: Principal, scope: Override) -> str:
    number = repricing.for_principal(within).count(scope)
    if number > repricing.MAX_COUNTED:
        return f"{repricing.MAX_COUNTED:,}+ captures"
    return plural(number, "capture") if number else ""


def progress_context(within: Principal) -> dict[str, Any]:
    progress = tuple(map(repricing_row, repricing.for_principal(within).latest()))
    is_under_way = any(each.is_open for each in progress)
    return {"progress": progress, "is_under_way": is_under_way, "poll_ms": POLL_MS}


def recalculated(
    within: Principal, team: str, since: date, until: date | None = None, back: str = ""
) -> HttpResponse:
    """Has the days of a changed price recalculated, so that sums and captures agree, and redirects.
    While another recalculation runs these days wait for somebody to ask again.
    """
    is_begun = repricing.for_principal(within).request(midnight(since), midnight(until or date.max))
    query = {"since": since.isoformat()} | ({} if is_begun else {"waits": ""})
    query |= {"back": back} if back else {}
    return redirect(f"{reverse('dashboard:prices', args=[team])}?{urlencode(query)}")
