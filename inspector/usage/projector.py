"""The projector that keeps prices and sums (``settings.PROJECTORS``).

Whoever imports it is about to price: the table is loaded here, because it takes a third of a second
that no transaction should last longer.
"""

from __future__ import annotations

from inspector.usage.cost.providers import load_providers
from inspector.usage.rollup.rollups import update_rollups

__all__ = ["update_rollups"]

load_providers()
