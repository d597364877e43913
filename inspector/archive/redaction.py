"""Redaction at intake: what rules of a team name is overwritten before anything is stored."""

from functools import lru_cache

from django.db.models import QuerySet

from inspector.archive.models import RedactionRule
from inspector.core.redaction.mask_rules import RuleSet
from inspector.core.redaction_mark import MaskKind, MaskRule


def rules_of(team_id: int) -> RuleSet:
    """Those that the team has switched on. One statement."""
    return rule_set(mask_rules(RedactionRule.objects.filter(team=team_id, is_on=True)))


def is_on(team_id: int) -> bool:
    return RedactionRule.objects.filter(team=team_id, is_on=True).exists()


def mask_rules(rows: QuerySet[RedactionRule]) -> tuple[MaskRule, ...]:
    """Rules as they are searched with, in order, without kinds that only a later release knows."""
    known = rows.filter(kind__in=list(MaskKind)).order_by("pk")
    found = known.values_list("pk", "kind", "text")
    return tuple(MaskRule(pk, MaskKind(kind), text) for pk, kind, text in found)


# One for each team that redacts; of more teams some are made ready again.
@lru_cache(maxsize=64)
def rule_set(rules: tuple[MaskRule, ...]) -> RuleSet:
    """Return the rules made ready, which takes longer than many a search with them."""
    return RuleSet(rules)
