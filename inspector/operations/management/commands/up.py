"""``up``: starts the whole installation in the foreground."""

from __future__ import annotations

import sys
from typing import Any

from django.core.management.base import BaseCommand, CommandParser

from inspector.operations.errors import OperatorError
from inspector.operations.up.address import ListenAddress
from inspector.operations.up.start import up


class Command(BaseCommand):
    help = "Starts web, worker and sweep on one data directory, and stops them when it ends."
    requires_system_checks = ()

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("--host", default="127.0.0.1", help="address to listen on")
        parser.add_argument("--port", default="8000")
        parser.add_argument(
            "--data-dir",
            metavar="DIRECTORY",
            help="directory of all data, default: var/; every command takes this option",
        )

    def handle(self, *args: Any, **options: Any) -> None:
        try:
            up(ListenAddress(options["host"], port(options["port"])), self.say)
        except OperatorError as refusal:
            sys.exit(str(refusal))
        except KeyboardInterrupt:
            sys.exit(130)

    def say(self, line: str) -> None:
        self.stdout.write(line)
        self.stdout.flush()


def port(text: str) -> int:
    number = int(text) if text.isdecimal() else 0
    if not 1 <= number <= 65535:
        raise OperatorError(f"{text} is not a port; ports are the numbers from 1 to 65535.")
    return number
