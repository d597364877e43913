"""Redaction rules of a team: added switched off, tried on what is stored, switched on for what
arrives.
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from datetime import datetime
from enum import Enum, auto

from django.db import transaction
from django.db.models import QuerySet

from inspector.archive import redaction
from inspector.archive.models import RedactionRule
from inspector.core.redaction.mask_rules import MaskKind, MaskRule, RuleFault, parse_rule
from inspector.database.column_text import clean_text
from inspector.teams.access import MANAGE, READ, Principal
from inspector.teams.audit import Act, note
from inspector.teams.names import actor_name

MAX_RULES = 50
"""Of one team: each is a search through all that arrives."""
TEXT_CHARACTERS = 300


@dataclass(frozen=True, slots=True)
class RedactionRuleStatus:
    id: int
    kind: str
    text: str
    is_on: bool
    """At intake."""
    made_by: str
    created_at: datetime


class RedactionRefusal(Enum):
    TOO_MANY = auto()
    KNOWN = auto()
    """The team has this rule already."""
    FORBIDDEN = auto()


def redaction_rules(principal: Principal) -> tuple[RedactionRuleStatus, ...]:
    rows = RedactionRule.objects.filter(team__in=principal.team_ids(READ)).order_by("pk")
    return tuple(map(_status, rows))


def add_redaction_rule(
    principal: Principal, kind: MaskKind, text: str
) -> RedactionRuleStatus | RedactionRefusal | RuleFault:
    """Adds a rule to the principal's one team, switched off."""
    team_ids = principal.team_ids(MANAGE)
    if len(team_ids) != 1:
        return RedactionRefusal.FORBIDDEN
    wanted = clean_text(text, TEXT_CHARACTERS).strip()
    made = parse_rule(kind, wanted)
    if isinstance(made, RuleFault):
        return made
    theirs = RedactionRule.objects.filter(team__in=team_ids)
    if theirs.filter(kind=kind, text=wanted).exists():
        return RedactionRefusal.KNOWN
    if theirs.count() >= MAX_RULES:
        return RedactionRefusal.TOO_MANY
    with transaction.atomic():
        rule = RedactionRule.objects.create(
            team_id=team_ids[0], kind=kind, text=wanted, made_by=actor_name(principal)[:200]
        )
        note(principal, rule.team_id, Act.REDACTION_ADDED, _words(rule))
    rule.refresh_from_db()
    return _status(rule)


def turn_redaction_rule(principal: Principal, number: int, on: bool) -> bool:
    """Switches a rule on or off at intake. False where the principal manages no team with it."""
    with transaction.atomic():
        rule = _managed(principal, number).select_for_update().first()
        if rule is None:
            return False
        if rule.is_on != on:
            _managed(principal, number).update(is_on=on)
            act = Act.REDACTION_ON if on else Act.REDACTION_OFF
            note(principal, rule.team_id, act, _words(rule))
    return True


def remove_redaction_rule(principal: Principal, number: int) -> bool:
    """False where the principal manages no team with such a rule. What it overwrote stays so."""
    with transaction.atomic():
        rule = _managed(principal, number).select_for_update().first()
        if rule is None:
            return False
        note(principal, rule.team_id, Act.REDACTION_REMOVED, _words(rule))
        rule.delete()
    return True


def rules_to_apply(principal: Principal, numbers: Collection[int] | None) -> tuple[MaskRule, ...]:
    """Rules of the principal's teams as they are searched with: these, or all of them."""
    rows = RedactionRule.objects.filter(team__in=principal.team_ids(MANAGE))
    return redaction.mask_rules(rows if numbers is None else rows.filter(pk__in=numbers))


def _managed(principal: Principal, number: int) -> QuerySet[RedactionRule]:
    return RedactionRule.objects.filter(pk=number, team__in=principal.team_ids(MANAGE))


def _words(rule: RedactionRule) -> str:
    # A word may be what nobody else shall read: the log names the rule.
    return f"{rule.pk}: {rule.kind if rule.kind == MaskKind.WORD else rule}"


def _status(rule: RedactionRule) -> RedactionRuleStatus:
    return RedactionRuleStatus(
        id=rule.pk,
        kind=rule.kind,
        text=rule.text,
        is_on=rule.is_on,
        made_by=rule.made_by,
        created_at=rule.created_at,
    )
