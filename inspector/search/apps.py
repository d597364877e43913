"""The search app. At start it registers with the archive how captures are found by words."""

from django.apps import AppConfig


class SearchConfig(AppConfig):
    name = "inspector.search"

    def ready(self) -> None:
        # Models are there only now.
        from inspector.archive.listing import text_lookup
        from inspector.search import conditions

        text_lookup.register(conditions)
