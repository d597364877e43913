from typing import Any

from django.contrib.staticfiles.storage import staticfiles_storage
from django.core.management.base import BaseCommand, CommandParser

from inspector.installation import command_line
from inspector.operations.up import programs
from inspector.operations.up.address import ListenAddress

MANIFEST = "staticfiles.json"
"""File that ``collectstatic`` writes last."""


class Command(BaseCommand):
    help = (
        "Serves pages and API; for use under your own supervisor. `up` starts everything at once."
    )
    requires_system_checks = ()

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("--host", default="127.0.0.1", help="address to listen on")
        parser.add_argument("--port", type=int, default=8000)
        parser.add_argument("--processes", type=int, help="default: one for each core")

    def handle(self, *args: Any, **options: Any) -> None:
        if not staticfiles_storage.exists(MANIFEST):
            self.stderr.write(
                f"No page can be shown: run `{command_line('collectstatic --no-input')}` on this "
                "host, once for each release. The API works without."
            )
        address = ListenAddress(options["host"], options["port"])
        programs.become("web", programs.web(address, options["processes"]))
