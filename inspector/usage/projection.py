"""The projection that keeps prices and sums (``settings.PROJECTIONS``).

Whoever imports it is about to price: the table is loaded here, because it takes a third of a second
that no transaction should last longer.
"""

from __future__ import annotations

from inspector.usage.providers import providers
from inspector.usage.rollups import count

__all__ = ["count"]

providers()
