"""Redaction rules of a team: added switched off, tried on what is stored, then switched on."""

from collections.abc import Collection
from enum import Enum, auto
from typing import Annotated

import msgspec
from django.db import transaction
from django.db.models import QuerySet

from inspector.archive import redaction
from inspector.archive.member_types import Moment, codes
from inspector.archive.models import RedactionRule
from inspector.core.redaction.mask_rules import parse_rule
from inspector.core.redaction.rule_fault import RuleFault
from inspector.core.redaction_mark import MaskKind, MaskRule
from inspector.database.column_text import clean_text
from inspector.teams import accounts
from inspector.teams.access import DELETE, READ, Principal
from inspector.teams.audit import Act, note
from inspector.teams.names import actor_name

MAX_RULES = 50
"""Rules of one team: each is a search through all that arrives."""
TEXT_CHARACTERS = 300
"""The width of the column."""


class RedactionRuleStatus(msgspec.Struct, frozen=True, kw_only=True):
    id: int
    kind: Annotated[str, codes(MaskKind)]
    text: str | None
    """The name of a preset, a word, or a path; None where a word is not told."""
    is_on: bool
    """At intake."""
    made_by: str
    created_at: Moment


class RedactionRefusal(Enum):
    TOO_MANY = auto()
    KNOWN = auto()
    """The team has this rule already."""
    FORBIDDEN = auto()


def redaction_rules(principal: Principal) -> tuple[RedactionRuleStatus, ...]:
    return tuple(_status(principal, rule) for rule in _seen(principal).order_by("pk"))


def redaction_rule(principal: Principal, number: int) -> RedactionRuleStatus | None:
    """None where the principal sees no such rule."""
    rule = _seen(principal).filter(pk=number).first()
    return _status(principal, rule) if rule else None


def add_redaction_rule(
    principal: Principal, kind: MaskKind, text: str
) -> RedactionRuleStatus | RedactionRefusal | RuleFault:
    """Add a rule to the principal's one team, switched off."""
    team_ids = principal.team_ids(DELETE)
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
            team_id=team_ids[0], kind=kind, text=wanted, made_by=actor_name(principal)
        )
        note(principal, rule.team_id, Act.REDACTION_ADDED, _words(rule))
    rule.refresh_from_db()
    return _status(principal, rule)


def turn_redaction_rule(principal: Principal, number: int, on: bool) -> RedactionRuleStatus | None:
    """Switch a rule on or off at intake. None where the principal may delete in no such team."""
    with transaction.atomic():
        # Of two who switch it at once, the second finds it switched, and notes nothing.
        rule = _theirs(principal, number).select_for_update().first()
        if rule is None:
            return None
        if rule.is_on != on:
            _theirs(principal, number).update(is_on=on)
            _note_on_team(rule.team_id)
            act = Act.REDACTION_ON if on else Act.REDACTION_OFF
            note(principal, rule.team_id, act, _words(rule))
            rule.refresh_from_db()
    return _status(principal, rule)


def remove_redaction_rule(principal: Principal, number: int) -> RedactionRuleStatus | None:
    """Return the rule; what it overwrote stays so. None where the principal may not delete."""
    with transaction.atomic():
        # Not while it is switched on: the team would be noted as one that redacts.
        rule = _theirs(principal, number).select_for_update().first()
        if rule is None:
            return None
        removed = _status(principal, rule)
        note(principal, rule.team_id, Act.REDACTION_REMOVED, _words(rule))
        rule.delete()
        _note_on_team(rule.team_id)
    return removed


def _note_on_team(team_id: int) -> None:
    # Locked first: of two changes at once the second must see the rule of the first.
    accounts.lock_team(team_id)
    accounts.note_redacts(team_id, redaction.is_on(team_id))


def rules_to_apply(principal: Principal, numbers: Collection[int] | None) -> tuple[MaskRule, ...]:
    """Rules of the principal's teams as they are searched with: these, or all of them."""
    rows = RedactionRule.objects.filter(team__in=principal.team_ids(DELETE))
    return redaction.mask_rules(rows if numbers is None else rows.filter(pk__in=numbers))


def _seen(principal: Principal) -> QuerySet[RedactionRule]:
    return RedactionRule.objects.filter(team__in=principal.team_ids(READ))


def _theirs(principal: Principal, number: int) -> QuerySet[RedactionRule]:
    return RedactionRule.objects.filter(pk=number, team__in=principal.team_ids(DELETE))


def _words(rule: RedactionRule) -> str:
    # A word may be what nobody else shall read: the log names the rule.
    return f"{rule.pk}: {rule.kind if rule.kind == MaskKind.WORD else rule}"


def _status(principal: Principal, rule: RedactionRule) -> RedactionRuleStatus:
    # Keys that send and read stand on every application server: words are for people, and for keys
    # that may change rules.
    is_told = principal.key_id is None or rule.team_id in principal.team_ids(DELETE)
    return RedactionRuleStatus(
        id=rule.pk,
        kind=rule.kind,
        text=rule.text if is_told or rule.kind != MaskKind.WORD else None,
        is_on=rule.is_on,
        made_by=rule.made_by,
        created_at=rule.created_at,
    )
