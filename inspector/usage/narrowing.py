"""What lists of captures are narrowed by of what these cost, and of what that depends on."""

from __future__ import annotations

from collections.abc import Mapping
from enum import StrEnum

from django.db.models import Q

from inspector.archive.costs import Costs, Texts
from inspector.usage.models import NOT_SENT
from inspector.usage.unknown import Reason


class CostState(StrEnum):
    """What can be asked of a cost beside why it is unknown. ``AT_LEAST``: computed, and something
    billed is not in it.
    """

    COMPUTED = "computed"
    AT_LEAST = "at_least"
    UNKNOWN = "unknown"


STATES: Mapping[str, Q] = {
    CostState.COMPUTED: Q(price__reason__isnull=True),
    CostState.AT_LEAST: Q(price__missing__isnull=False),
    CostState.UNKNOWN: Q(price__reason__isnull=False),
}
LACKED: Mapping[str, Q] = {
    name: Q(**{f"price__{name}": NOT_SENT}) for name in ("service_tier", "fingerprint")
}


def _cost(values: Texts) -> Q:
    """Of states, and of reasons why a cost is not known."""
    reasons = [value for value in values if value not in STATES]
    found = Q(price__reason__in=reasons) if reasons else Q()
    for value in values:
        found |= STATES.get(value, Q())
    return found


def _price_table(names: Texts) -> Q:
    """Of which a cost is computed by: one that is not known is by none."""
    return Q(price__reason__isnull=True, price__table__in=names)


def _service_tier(names: Texts) -> Q:
    return Q(price__service_tier__in=names)


def _fingerprint(names: Texts) -> Q:
    return Q(price__fingerprint__in=names)


COSTS = Costs(
    row="price",
    vocabulary=(*map(str, CostState), *map(str, Reason)),
    cost=_cost,
    price_table=_price_table,
    service_tier=_service_tier,
    fingerprint=_fingerprint,
    lacked=LACKED,
)
"""Registered by ``usage.apps``."""
