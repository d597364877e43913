"""The only access to teams' price overrides, and the lock that keeps pricing consistent."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from datetime import date, datetime
from decimal import Decimal
from enum import Enum, auto
from typing import Any

from django.db import transaction
from django.db.models.functions import Now

from inspector.database.fixed_query import FixedQuery, Given
from inspector.database.portability import advisory_lock, shared_advisory_locks
from inspector.teams.access import MANAGE, READ, Principal
from inspector.teams.audit import Act, note
from inspector.teams.names import actor_name
from inspector.usage.cost.money import plain
from inspector.usage.cost.overrides import Override
from inspector.usage.cost.token_kinds import TokenKind
from inspector.usage.models import PriceOverride

# Overrides of one team: each pricing looks at all of them.
MAX_OVERRIDES = 200
OVERRIDES_LOCK = 3
"""Tells this use of PostgreSQL's advisory locks from others."""


class OverrideRefusal(Enum):
    TOO_MANY = auto()
    BEFORE_IT_BEGINS = auto()
    ENDED_BEFORE = auto()


@dataclass(frozen=True, slots=True)
class TeamPrice:
    """A price that a team set: who made it and when, and who ended it and when (or None)."""

    id: int
    override: Override
    made_at: datetime
    made_by: str
    ended_at: datetime | None
    ended_by: str | None


def for_principal(principal: Principal) -> TeamPrices:
    return TeamPrices(principal, tuple(principal.team_ids(READ)), tuple(principal.team_ids(MANAGE)))


@dataclass(frozen=True, slots=True)
class TeamPrices:
    principal: Principal
    team_ids: tuple[int, ...]
    managed: tuple[int, ...]

    def all(self) -> tuple[TeamPrice, ...]:
        """All prices of the teams, ended ones too, the newest first."""
        rows = PriceOverride.objects.filter(team__in=self.team_ids).order_by("-pk")
        return tuple(_team_price(row) for row in rows)

    def add(self, override: Override) -> OverrideRefusal | None:
        """Add an override to the one team whose prices the principal manages."""
        (team_id,) = self.managed
        made_by = actor_name(self.principal)
        with transaction.atomic():
            advisory_lock(OVERRIDES_LOCK, team_id)
            # Nothing breaks where two at once pass this together: it is no promise, but a bound.
            if PriceOverride.objects.filter(team=team_id).count() >= MAX_OVERRIDES:
                return OverrideRefusal.TOO_MANY
            PriceOverride.objects.create(team_id=team_id, made_by=made_by, **_columns(override))
            note(self.principal, team_id, Act.PRICE_SET, f"{override.model} from {override.starts}")
        return None

    def end(self, price_id: int, day: date) -> OverrideRefusal | None:
        """``day``: the first on which it no longer applies. ``LookupError``: no such override."""
        with transaction.atomic():
            theirs = PriceOverride.objects.filter(pk=price_id, team__in=self.managed)
            # Of two who end it at once, the second sees its end.
            row = theirs.select_for_update().first()
            if row is None:
                raise LookupError(price_id)
            # Waits for transactions that price captures by it now: repricing would not find those.
            advisory_lock(OVERRIDES_LOCK, row.team_id)
            if day < row.starts:
                return OverrideRefusal.BEFORE_IT_BEGINS
            if row.ends is not None and row.ends <= day:
                return OverrideRefusal.ENDED_BEFORE
            note(self.principal, row.team_id, Act.PRICE_ENDED, f"{row.model} on {day}")
            theirs.update(ends=day, ended_at=Now(), ended_by=actor_name(self.principal))
        return None


def locked_overrides_of(team_ids: Collection[int]) -> Mapping[int, tuple[Override, ...]]:
    """Return the overrides by team, locked against changes until the transaction ends: whoever
    changes one afterwards finds every capture stored that was priced without the change.
    """
    shared_advisory_locks(OVERRIDES_LOCK, team_ids)
    return overrides_of(team_ids)


def overrides_of(team_ids: Collection[int]) -> Mapping[int, tuple[Override, ...]]:
    """Return the overrides by team, newest first: of two equally specific ones that applies."""
    found: dict[int, tuple[Override, ...]] = dict.fromkeys(team_ids, ())
    for row in _OF_TEAMS.instances(teams=team_ids):
        found[row.team_id] = (*found[row.team_id], _override(row))
    return found


_OF_TEAMS = FixedQuery(
    lambda: PriceOverride.objects.filter(team__among=Given("teams")).order_by("-pk")
)


def _team_price(row: PriceOverride) -> TeamPrice:
    return TeamPrice(
        id=row.pk,
        override=_override(row),
        made_at=row.made_at,
        made_by=row.made_by,
        ended_at=row.ended_at,
        ended_by=row.ended_by,
    )


def _override(row: PriceOverride) -> Override:
    return Override(
        model=row.model,
        rates={TokenKind(kind): Decimal(usd) for kind, usd in row.rates.items()},
        starts=row.starts,
        ends=row.ends,
        is_prefix=row.is_prefix,
        vendor=row.vendor,
        tier=row.tier,
    )


def _columns(override: Override) -> dict[str, Any]:
    return {
        "vendor": override.vendor,
        "model": override.model,
        "is_prefix": override.is_prefix,
        "tier": override.tier,
        "rates": {str(kind): plain(usd) for kind, usd in override.rates.items()},
        "starts": override.starts,
        "ends": override.ends,
    }
