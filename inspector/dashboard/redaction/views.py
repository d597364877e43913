"""Redaction of a team: rules, a dry run over what is stored, and the job that overwrites it."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect

from inspector.archive import redaction_rules
from inspector.archive.background import bulk_jobs
from inspector.archive.background.bulk_jobs import TooManyBulkJobs
from inspector.archive.redaction_dry_run import MAX_HITS, DryRun, DryRunHit, dry_run
from inspector.archive.redaction_rules import MAX_RULES, RedactionRefusal, RedactionRuleStatus
from inspector.core.redaction.rule_fault import RuleFault
from inspector.dashboard.pages import login_required, principal_in_team, render_page, team_context
from inspector.dashboard.redaction.forms import DryRunForm, RedactionRuleForm
from inspector.formatting.humanize import plural
from inspector.formatting.redaction_faults import FAULT_SENTENCES
from inspector.formatting.redaction_mark import rule_title
from inspector.teams.access import DELETE, MANAGE, Principal

NO_RULES = "There is no rule to apply."
REFUSALS: Mapping[RedactionRefusal, str] = {
    RedactionRefusal.TOO_MANY: f"A team may have {MAX_RULES} rules.",
    RedactionRefusal.KNOWN: "The team has this rule already.",
    RedactionRefusal.FORBIDDEN: "",
}


@dataclass(frozen=True, slots=True)
class DryRunDisplay:
    """``counts``: rules and how many passages each would overwrite."""

    summary: str
    counts: tuple[tuple[str, int], ...]
    rows: tuple[tuple[DryRunHit, str], ...]
    """Each with the title of its rule."""
    more: int
    """Passages that are not listed."""


@login_required
def redaction(request: HttpRequest, principal: Principal, team: str) -> HttpResponse:
    return _page(request, principal, team)


@login_required
def add_redaction_rule(request: HttpRequest, principal: Principal, team: str) -> HttpResponse:
    form = RedactionRuleForm(request.POST)
    if not form.is_valid():
        return _page(request, principal, team, status=422, rule_form=form)
    within = principal_in_team(principal, team)
    found = redaction_rules.add_redaction_rule(within, form.kind, form.rule_text)
    if not isinstance(found, RedactionRuleStatus):
        form.add_error("text", _reason(found))
        return _page(request, principal, team, status=422, rule_form=form)
    return redirect("dashboard:redaction", team)


@login_required
def turn_redaction_rule(
    request: HttpRequest, principal: Principal, team: str, redaction: int
) -> HttpResponse:
    """Switch a rule on (``on=yes``) or off."""
    within, on = principal_in_team(principal, team), request.POST.get("on") == "yes"
    if redaction_rules.turn_redaction_rule(within, redaction, on) is None:
        raise Http404
    return redirect("dashboard:redaction", team)


@login_required
def remove_redaction_rule(
    request: HttpRequest, principal: Principal, team: str, redaction: int
) -> HttpResponse:
    within = principal_in_team(principal, team)
    if redaction_rules.remove_redaction_rule(within, redaction) is None:
        raise Http404
    return redirect("dashboard:redaction", team)


@login_required
def try_redaction(request: HttpRequest, principal: Principal, team: str) -> HttpResponse:
    """Return a dry run: what the rules would overwrite."""
    within = principal_in_team(principal, team)
    rules = redaction_rules.redaction_rules(within)
    form = DryRunForm(rules, request.POST)
    if not form.is_valid():
        return _page(request, principal, team, status=422, dry_form=form)
    found = dry_run(
        within, redaction_rules.rules_to_apply(within, form.rule_numbers), form.conditions
    )
    if found is None:
        raise Http404
    titles = {
        rule.id: rule_title(rule.kind, rule.text)
        for rule in redaction_rules.redaction_rules(within)
    }
    return _page(request, principal, team, dry_form=form, dry_run=_display(found, titles))


@login_required
def apply_redaction(request: HttpRequest, principal: Principal, team: str) -> HttpResponse:
    """Request the job that overwrites for good what the rules name."""
    within = principal_in_team(principal, team)
    form = DryRunForm(redaction_rules.redaction_rules(within), request.POST)
    if not form.is_valid():
        return _page(request, principal, team, status=422, dry_form=form)
    rules = redaction_rules.rules_to_apply(within, form.rule_numbers)
    found = bulk_jobs.request_bulk_redaction(within, rules, form.conditions)
    if found is None:
        form.add_error("rule", NO_RULES)
        return _page(request, principal, team, status=422, dry_form=form)
    if isinstance(found, TooManyBulkJobs):
        form.add_error("rule", f"{plural(found.limit, 'job')} are under way: try again later.")
        return _page(request, principal, team, status=409, dry_form=form)
    return redirect("dashboard:bulk-job", team, found.id)


def _reason(found: RedactionRefusal | RuleFault) -> str:
    return FAULT_SENTENCES[found] if isinstance(found, RuleFault) else REFUSALS[found]


def _display(found: DryRun, titles: Mapping[int, str]) -> DryRunDisplay:
    passages = found.places.total()
    return DryRunDisplay(
        summary=" ".join(_summary(found, passages)),
        counts=tuple((titles.get(rule, str(rule)), count) for rule, count in found.places.items()),
        rows=tuple((hit, titles.get(hit.rule, str(hit.rule))) for hit in found.hits),
        more=max(0, passages - len(found.hits)),
    )


def _summary(found: DryRun, passages: int) -> list[str]:
    looked = plural(found.looked_at, "capture")
    said = [
        f"{plural(passages, 'passage')} in {found.captures:,} of {looked}."
        if passages
        else f"Nothing to overwrite in {looked}."
    ]
    if not found.is_all:
        said.append("More captures match: the newest were looked at.")
    if found.too_large:
        said.append(f"{plural(found.too_large, 'capture')} too large for a dry run.")
    return said


def _page(
    request: HttpRequest, principal: Principal, team: str, status: int = 200, **more: Any
) -> HttpResponse:
    within = principal_in_team(principal, team)
    rules = redaction_rules.redaction_rules(within)
    context = {
        **team_context(principal, team),
        "rows": [(rule, rule_title(rule.kind, rule.text)) for rule in rules],
        "may_manage": within.may(MANAGE),
        "may_delete": within.may(DELETE),
        "max_hits": MAX_HITS,
        "rule_form": RedactionRuleForm(),
        "dry_form": DryRunForm(rules),
        **more,
    }
    return render_page(request, "dashboard/redaction/page.html", context, status)
