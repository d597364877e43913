"""Retention of a team: rules with their forecasts."""

from dataclasses import dataclass
from typing import Any

from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect

from inspector.archive.background import retention_rules
from inspector.archive.background.retention_rules import (
    MAX_RULES,
    PIN,
    RetentionForecast,
    RetentionRuleStatus,
    RuleRefusal,
)
from inspector.archive.models import RetentionClock
from inspector.dashboard.pages import login_required, principal_in_team, render_page, team_context
from inspector.dashboard.retention.forms import RuleForm
from inspector.dashboard.text.query_mistakes import mistake_words
from inspector.formatting.forecasts import NOT_COUNTED, forecast_words
from inspector.query.parsed_query import text_query
from inspector.teams.access import MANAGE, Principal

RULE_REFUSALS = {
    RuleRefusal.DAYS: "Choose another number of days.",
    RuleRefusal.NO_QUERY: "Of a deleted capture nothing is left that a query could ask for.",
    RuleRefusal.TOO_MANY: f"A team may have {MAX_RULES} rules.",
}


@dataclass(frozen=True, slots=True)
class RuleRow:
    rule: RetentionRuleStatus
    address: str
    """Query string of the list."""
    forecast: str


@login_required
def retention(request: HttpRequest, principal: Principal, team: str) -> HttpResponse:
    return _page(request, principal, team)


@login_required
def add_rule(request: HttpRequest, principal: Principal, team: str) -> HttpResponse:
    form = RuleForm(request.POST)
    if not form.is_valid():
        return _page(request, principal, team, status=422, rule_form=form)
    clock = RetentionClock(form.cleaned_data["clock"])
    within = principal_in_team(principal, team)
    found = retention_rules.add_rule(
        within, clock, form.cleaned_data["query"], form.cleaned_data["days"]
    )
    if isinstance(found, RuleRefusal):
        said = RULE_REFUSALS.get(found) or mistake_words(form.cleaned_data["query"])
        form.add_error("query", said)
        return _page(request, principal, team, status=422, rule_form=form)
    return redirect("dashboard:retention", team)


@login_required
def turn_rule(request: HttpRequest, principal: Principal, team: str, rule: int) -> HttpResponse:
    """Switch a rule on (``on=yes``) or off."""
    within, on = principal_in_team(principal, team), request.POST.get("on") == "yes"
    if retention_rules.turn_rule(within, rule, on) is None:
        raise Http404
    return redirect("dashboard:retention", team)


@login_required
def remove_rule(request: HttpRequest, principal: Principal, team: str, rule: int) -> HttpResponse:
    if retention_rules.remove_rule(principal_in_team(principal, team), rule) is None:
        raise Http404
    return redirect("dashboard:retention", team)


def _words(rule: RetentionRuleStatus, found: RetentionForecast | None) -> str:
    if found is None:
        return NOT_COUNTED
    return forecast_words(rule.thing, found.count, found.byte_length, found.oldest, found.first_due)


def _page(
    request: HttpRequest, principal: Principal, team: str, status: int = 200, **more: Any
) -> HttpResponse:
    within = principal_in_team(principal, team)
    counted = retention_rules.forecasts(within)
    rows = [
        RuleRow(rule, text_query(rule.query), _words(rule, counted.get(rule.id)))
        for rule in retention_rules.rules(within)
    ]
    context = {
        **team_context(principal, team),
        "rows": rows,
        "may_manage": within.may(MANAGE),
        "pin": PIN,
        "rule_form": RuleForm(),
        **more,
    }
    return render_page(request, "dashboard/retention/page.html", context, status)
