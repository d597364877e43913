"""What this app tells those below it as it starts."""

from __future__ import annotations

from django.apps import AppConfig


class UsageConfig(AppConfig):
    name = "inspector.usage"

    def ready(self) -> None:
        # Models are there only now.
        from inspector.archive import costs
        from inspector.usage.narrowing import COSTS

        costs.register(COSTS)
