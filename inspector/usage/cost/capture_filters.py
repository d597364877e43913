"""Filters of the capture list by cost, price table, service tier and fingerprint."""

from __future__ import annotations

from collections.abc import Mapping
from enum import StrEnum

from django.db.models import Q

from inspector.archive.listing.cost_lookup import CostFilters, Texts
from inspector.usage.cost.unknown import CostUnknownReason
from inspector.usage.models import NOT_SENT


class CostState(StrEnum):
    """Values of the cost filter beside the reasons why a cost is unknown. ``AT_LEAST``: computed
    without some billed item, so a lower bound.
    """

    COMPUTED = "computed"
    AT_LEAST = "at_least"
    UNKNOWN = "unknown"


STATES: Mapping[str, Q] = {
    CostState.COMPUTED: Q(price__reason__isnull=True),
    CostState.AT_LEAST: Q(price__missing__isnull=False),
    CostState.UNKNOWN: Q(price__reason__isnull=False),
}
NOT_SENT_FILTERS: Mapping[str, Q] = {
    name: Q(**{f"price__{name}": NOT_SENT}) for name in ("service_tier", "fingerprint")
}


def _cost(values: Texts) -> Q:
    """Matches cost states, and reasons why a cost is unknown."""
    reasons = [value for value in values if value not in STATES]
    found = Q(price__reason__in=reasons) if reasons else Q()
    for value in values:
        found |= STATES.get(value, Q())
    return found


def _price_table(names: Texts) -> Q:
    # A capture whose cost is unknown has no price table.
    return Q(price__reason__isnull=True, price__table__in=names)


def _service_tier(names: Texts) -> Q:
    return Q(price__service_tier__in=names)


def _fingerprint(names: Texts) -> Q:
    return Q(price__fingerprint__in=names)


COSTS = CostFilters(
    row="price",
    vocabulary=(*map(str, CostState), *map(str, CostUnknownReason)),
    cost=_cost,
    price_table=_price_table,
    service_tier=_service_tier,
    fingerprint=_fingerprint,
    missing=NOT_SENT_FILTERS,
)
"""Registered by ``usage.apps``."""
