"""Fields of captures by cost, price table, service tiers and fingerprint.

They stand in the row beside each priced capture, with the capture's team and time of call, so
that an index there begins with the filtered column and ends in the order of lists.
"""

from collections.abc import Iterable, Mapping
from enum import StrEnum
from typing import Any

from django.db.models import F, FloatField, Q
from django.db.models.functions import Cast, Coalesce

from inspector.query.conditions import amount_condition, any_of, in_table, pattern_condition
from inspector.query.fields import Field, FieldKind, Scope
from inspector.query.tree import Matcher
from inspector.query.values import NamePattern
from inspector.usage.cost.unknown import CostUnknownReason
from inspector.usage.models import NOT_SENT

ROW = "price"


class CostState(StrEnum):
    """Values of the cost filter beside unknown reasons; ``LOWER_BOUND``: an item lacks a price."""

    COMPUTED = "computed"
    LOWER_BOUND = "lower_bound"
    UNKNOWN = "unknown"


NO_COST = Q(price__reason__isnull=False, price__listed_ticks__isnull=True)
"""Neither stated nor computed, as lists and sums have it."""
STATES: Mapping[str, Q] = {
    CostState.COMPUTED: Q(price__reason__isnull=True),
    CostState.LOWER_BOUND: Q(price__unpriced_items__isnull=False),
    CostState.UNKNOWN: NO_COST,
}
# A cost that the response states goes before the computed one, as in lists.
AMOUNT = Coalesce(
    Cast(F("inspection__cost_usd"), FloatField()), Cast(F("price__computed_usd"), FloatField())
)


def _states() -> Iterable[str]:
    return [*CostState, *CostUnknownReason]


def _cost(matcher: Matcher, scope: Scope) -> Q:
    """Match cost states, reasons why a cost is unknown, and amounts."""
    named = tuple(str(value) for value in matcher.values if isinstance(value, str))
    amounts = tuple(value for value in matcher.values if not isinstance(value, str))
    conditions = [in_table(COST) & _state(named)] if named else []
    if amounts:
        conditions.append(amount_condition(AMOUNT, Matcher("cost", matcher.operator, amounts)))
    return any_of(conditions)


def _state(names: tuple[str, ...]) -> Q:
    reasons = [name for name in names if name not in STATES]
    found = Q(price__reason__in=reasons) if reasons else Q()
    for name in names:
        found |= STATES.get(name, Q())
    return found


def _price_table(matcher: Matcher, scope: Scope) -> Q:
    # A capture whose cost is unknown has no price table.
    return Q(price__reason__isnull=True) & _named(matcher, "price__table")


def _service_tier(matcher: Matcher, scope: Scope) -> Q:
    return Q(price__other_service_tier__isnull=True) & _named(matcher, "price__service_tier")


def _ambiguous_tier(matcher: Matcher, scope: Scope) -> Q:
    """Return captures that state two tiers of which either may apply, one of them named."""
    either = _named(matcher, "price__service_tier") | _named(matcher, "price__other_service_tier")
    return Q(price__other_service_tier__isnull=False) & either


def _named(matcher: Matcher, column: str) -> Q:
    names = [value for value in matcher.values if not isinstance(value, NamePattern)]
    found = [Q(**{f"{column}__in": names})] if names else []
    found += [pattern_condition(column, v) for v in matcher.values if isinstance(v, NamePattern)]
    return any_of(found)


def _field(name: str, label: str, meaning: str, **more: Any) -> Field:
    return Field(
        name,
        more.pop("kind", FieldKind.NAME),
        label,
        meaning,
        table=ROW,
        has_index=True,
        is_parameter=True,
        is_repeatable=True,
        **more,
    )


COST = _field(
    "cost",
    "cost",
    "a state of the cost, the reason why it is unknown, or an amount: stated, else computed",
    kind=FieldKind.MONEY,
    vocabulary=_states,
    condition=_cost,
    form="an amount in US dollars such as 0.01",
    counts=AMOUNT,
    missing=NO_COST,
    sort_column="price__listed_ticks",
)
COST_FIELDS = (
    COST,
    _field(
        "price_table",
        "price table",
        "the price table whose rates the computed cost uses",
        condition=_price_table,
        counts="price__table",
    ),
    _field(
        "service_tier",
        "service tier",
        "as stated in the response",
        condition=_service_tier,
        counts="price__service_tier",
        missing=Q(price__service_tier=NOT_SENT),
    ),
    _field(
        "ambiguous_tier",
        "ambiguous service tier",
        "a tier of a response that states two, where either may apply",
        condition=_ambiguous_tier,
        needs_all=True,
    ),
    _field(
        "fingerprint",
        "fingerprint",
        "system fingerprint of the response",
        column="price__fingerprint",
        missing=Q(price__fingerprint=NOT_SENT),
    ),
)
"""Registered by ``usage.apps``."""
