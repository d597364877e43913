"""The usage app. At start it registers its cost filters with the archive."""

from __future__ import annotations

from django.apps import AppConfig


class UsageConfig(AppConfig):
    name = "inspector.usage"

    def ready(self) -> None:
        # Models are there only now.
        from inspector.archive.listing import cost_lookup
        from inspector.usage.cost.capture_filters import COSTS

        cost_lookup.register(COSTS)
