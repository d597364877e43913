"""Filters by cost, registered by the app that computes costs.

That app registers them at start. It keeps one row beside each priced capture, with the capture's
team and time of arrival, so that an index there begins with the filtered column and ends in the
order of lists.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from django.core.exceptions import ImproperlyConfigured
from django.db.models import Q

from inspector.archive.listing.cursor import Order

Texts = tuple[str, ...]
CostFilter = Callable[[Texts], Q]
"""Condition on captures that have any of these values."""


@dataclass(frozen=True, slots=True)
class CostFilters:
    """``row`` is how a capture names its row, whose columns are ``team``, ``received_at`` and
    ``capture``; ``vocabulary`` holds all values of ``cost``, ``missing`` what may not have been
    sent.
    """

    row: str
    vocabulary: Texts
    cost: CostFilter
    price_table: CostFilter
    service_tier: CostFilter
    fingerprint: CostFilter
    missing: Mapping[str, Q]

    @property
    def order(self) -> Order:
        return Order(f"{self.row}__received_at", f"{self.row}__capture")


_registered: list[CostFilters] = []


def register(found: CostFilters) -> None:
    """Raises ``ImproperlyConfigured`` for a second one."""
    if _registered not in ([], [found]):
        raise ImproperlyConfigured("two apps keep the costs of captures")
    _registered[:] = [found]


def cost_filters() -> CostFilters:
    """Raises ``ImproperlyConfigured`` where no app keeps costs."""
    if not _registered:
        raise ImproperlyConfigured("no app keeps the costs of captures")
    return _registered[0]
