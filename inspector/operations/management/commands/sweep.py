from __future__ import annotations

from typing import Any

from django.core.management.base import BaseCommand, CommandParser

from inspector.operations.sweeping import Sweep
from inspector.operations.trouble import one_line

UNANNOUNCED_SECONDS = 5.0


class Command(BaseCommand):
    help = (
        "Inspect what no ring announced, what somebody began and never finished, and again what"
        " an older version read; price anew what somebody asked for; look for drift in what models"
        " answer."
    )
    requires_system_checks = ()

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("--once", action="store_true", help="until nothing is left, then end")
        parser.add_argument(
            "--older-than",
            type=float,
            default=UNANNOUNCED_SECONDS,
            metavar="SECONDS",
            help="leave younger captures to the workers",
        )

    def handle(self, *args: Any, **options: Any) -> None:
        sweep = Sweep(options["older_than"])
        if options["once"]:
            with one_line():
                self.stdout.write(f"{sweep.to_the_end()} captures claimed")
            return
        sweep.until_stopped()
