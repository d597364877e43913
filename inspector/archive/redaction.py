"""Redaction at intake: what rules of a team name is overwritten before anything is stored."""

from __future__ import annotations

from functools import lru_cache

from django.db.models import QuerySet

from inspector.archive import credentials
from inspector.archive.models import RedactionRule
from inspector.core.json import Json
from inspector.core.redaction.exchange_redaction import RedactedExchange, redact_exchange
from inspector.core.redaction.mask_rules import RuleSet
from inspector.core.redaction_mark import MaskKind, MaskRule
from inspector.core.wire.exchange import Exchange


def at_intake(team_id: int, exchange: Exchange, metadata: dict[str, Json]) -> RedactedExchange:
    """Applies the rules that the team has switched on. One statement, whatever the exchange is."""
    rules = mask_rules(RedactionRule.objects.filter(team=team_id, is_on=True))
    return redact_exchange(exchange, metadata, rule_set(rules), credentials.keyed)


def is_on(team_id: int) -> bool:
    return RedactionRule.objects.filter(team=team_id, is_on=True).exists()


def mask_rules(rows: QuerySet[RedactionRule]) -> tuple[MaskRule, ...]:
    """Rules as they are searched with, in order, without kinds that only a later release knows."""
    known = rows.filter(kind__in=list(MaskKind)).order_by("pk")
    found = known.values_list("pk", "kind", "text")
    return tuple(MaskRule(pk, MaskKind(kind), text) for pk, kind, text in found)


@lru_cache(maxsize=64)
def rule_set(rules: tuple[MaskRule, ...]) -> RuleSet:
    """The rules made ready, which takes longer than many a search with them."""
    return RuleSet(rules)
