"""The one door to the prices that teams set themselves, and what pricing needs to know of them."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from datetime import date, datetime
from decimal import Decimal
from enum import Enum, auto
from typing import Any

from django.db import transaction
from django.db.models.functions import Now

from inspector.archive.database import share_turns, take_turns
from inspector.teams.access import MANAGE, READ, Principal
from inspector.teams.audit import Act, note
from inspector.teams.naming import name_of
from inspector.usage.kinds import Kind
from inspector.usage.models import PriceOverride
from inspector.usage.money import plain
from inspector.usage.overrides import Override

MOST_OVERRIDES = 200
"""Of a team: each pricing looks at all of them."""
TURNS = 3
"""Tells this use of PostgreSQL's advisory locks from others."""


class Refused(Enum):
    TOO_MANY = auto()
    BEFORE_IT_BEGINS = auto()
    ENDED_BEFORE = auto()


@dataclass(frozen=True, slots=True)
class TeamPrice:
    """An override with its history."""

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
        """The newest first."""
        rows = PriceOverride.objects.filter(team__in=self.team_ids).order_by("-pk")
        return tuple(_team_price(row) for row in rows)

    def add(self, override: Override) -> Refused | None:
        """For the one team whose prices the asker manages."""
        (team_id,) = self.managed
        made_by = name_of(self.principal)[:200]
        with transaction.atomic():
            take_turns(TURNS, team_id)
            # Nothing breaks where two at once pass this together: it is no promise, but a bound.
            if PriceOverride.objects.filter(team=team_id).count() >= MOST_OVERRIDES:
                return Refused.TOO_MANY
            PriceOverride.objects.create(team_id=team_id, made_by=made_by, **_columns(override))
            note(self.principal, team_id, Act.PRICE_SET, f"{override.model} from {override.starts}")
        return None

    def end(self, id: int, day: date) -> Refused | None:
        """From ``day`` on it no longer holds. Raises ``LookupError`` where there is none such."""
        with transaction.atomic():
            theirs = PriceOverride.objects.filter(pk=id, team__in=self.managed)
            row = theirs.select_for_update().first()
            if row is None:
                raise LookupError(id)
            take_turns(TURNS, row.team_id)
            if day < row.starts:
                return Refused.BEFORE_IT_BEGINS
            if row.ends is not None and row.ends <= day:
                return Refused.ENDED_BEFORE
            note(self.principal, row.team_id, Act.PRICE_ENDED, f"{row.model} on {day}")
            theirs.update(ends=day, ended_at=Now(), ended_by=name_of(self.principal)[:200])
        return None


def overrides_held(team_ids: Collection[int]) -> Mapping[int, tuple[Override, ...]]:
    """By team, and none is set or ended before the transaction is: whoever sets one finds all
    stored that was priced without it.
    """
    share_turns(TURNS, team_ids)
    return overrides_of(team_ids)


def overrides_of(team_ids: Collection[int]) -> Mapping[int, tuple[Override, ...]]:
    """By team, the newest first: of two that are equally near it holds."""
    found: dict[int, tuple[Override, ...]] = dict.fromkeys(team_ids, ())
    for row in PriceOverride.objects.filter(team__in=team_ids).order_by("-pk"):
        found[row.team_id] = (*found[row.team_id], _override(row))
    return found


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
        rates={Kind(kind): Decimal(usd) for kind, usd in row.rates.items()},
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
