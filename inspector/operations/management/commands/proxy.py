from typing import Any

from django.core.management.base import BaseCommand, CommandParser

from inspector.operations.up import programs
from inspector.operations.up.address import ListenAddress


class Command(BaseCommand):
    help = "Forwards calls to providers and captures them; for use under your own supervisor."
    requires_system_checks = ()

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("--host", default="127.0.0.1", help="address to listen on")
        parser.add_argument("--port", type=int, default=8001)

    def handle(self, *args: Any, **options: Any) -> None:
        address = ListenAddress(options["host"], options["port"])
        programs.become("proxy", programs.proxy(address))
