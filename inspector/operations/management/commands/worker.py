from typing import Any

from django.conf import settings
from django.core.management.base import BaseCommand, CommandParser

from inspector.operations.up import programs
from inspector.operations.working import Worker


class Command(BaseCommand):
    help = "Inspects captures as they are announced; for use under your own supervisor."
    requires_system_checks = ()

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument(
            "--processes",
            type=int,
            help="with PostgreSQL, default: suited to this machine; with SQLite there is one",
        )

    def handle(self, *args: Any, **options: Any) -> None:
        if settings.IS_EMBEDDED:
            Worker(settings.BELL).until_stopped()
        else:
            programs.become("worker", programs.worker(options["processes"]))
