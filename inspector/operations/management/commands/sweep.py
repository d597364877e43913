from typing import Any

from django.core.management.base import BaseCommand, CommandParser

from inspector.operations.command_errors import one_line_errors
from inspector.operations.sweeping import Sweep

# Workers have this long to take what was announced; then the message counts as lost.
UNANNOUNCED_SECONDS = 5.0


class Command(BaseCommand):
    help = (
        "Inspect captures that were not announced or not finished, and reinspect those of an older"
        " analysis version; run repricing jobs; scan for drift."
    )
    requires_system_checks = ()

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument(
            "--once", action="store_true", help="run until nothing is left, then end"
        )
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
            with one_line_errors():
                self.stdout.write(f"{sweep.to_the_end()} captures claimed")
            return
        sweep.until_stopped()
