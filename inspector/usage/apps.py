"""The usage app. At start it registers its fields of captures with the archive."""

from django.apps import AppConfig


class UsageConfig(AppConfig):
    name = "inspector.usage"

    def ready(self) -> None:
        # Models are there only now.
        from inspector.archive.listing.capture_fields import CAPTURE_FIELDS
        from inspector.usage.cost.capture_fields import COST_FIELDS

        CAPTURE_FIELDS.register(*COST_FIELDS)
