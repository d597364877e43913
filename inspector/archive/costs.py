"""What lists are narrowed by of the costs that another app works out, and of what these depend on.

That app registers it as it starts. It keeps one row beside each capture that it priced, with the
capture's team and time of arrival: an index there can then begin with what is asked and end in the
order of lists.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from django.core.exceptions import ImproperlyConfigured
from django.db.models import Q

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


_registered: list[Costs] = []


def register(found: Costs) -> None:
    """Raises ``ImproperlyConfigured`` for a second one."""
    if _registered not in ([], [found]):
        raise ImproperlyConfigured("two apps keep the costs of captures")
    _registered[:] = [found]


def costs() -> Costs:
    """Raises ``ImproperlyConfigured`` where no app keeps costs."""
    if not _registered:
        raise ImproperlyConfigured("no app keeps the costs of captures")
    return _registered[0]
