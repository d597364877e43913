"""What lists are narrowed by of the costs that another app works out, and of what these depend on
(``settings.COSTS``).

It keeps one row beside each capture that it priced, with the capture's team and time of arrival:
an index there can then begin with what is asked and end in the order of lists.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cache

from django.conf import settings
from django.db.models import Q
from django.utils.module_loading import import_string

from inspector.archive.cursor import Order

Texts = tuple[str, ...]
Narrowing = Callable[[Texts], Q]
"""Any of these values, as a condition on captures."""


@dataclass(frozen=True, slots=True)
class Costs:
    """``row`` is how a capture names its row, whose columns are ``team``, ``received_at`` and
    ``capture``; ``vocabulary`` holds all values of ``cost``, ``lacked`` what may not have been
    sent.
    """

    row: str
    vocabulary: Texts
    cost: Narrowing
    price_table: Narrowing
    service_tier: Narrowing
    fingerprint: Narrowing
    lacked: Mapping[str, Q]

    @property
    def order(self) -> Order:
        return Order(f"{self.row}__received_at", f"{self.row}__capture")


@cache
def costs() -> Costs:
    found: Callable[[], Costs] = import_string(settings.COSTS)
    return found()
