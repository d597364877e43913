from __future__ import annotations

from typing import Any

from django.core.management.base import BaseCommand, CommandParser

from inspector.operations import programs


class Command(BaseCommand):
    help = "Inspects what it is rung for, for a supervisor of your own."
    requires_system_checks = ()

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("--processes", type=int, help="what suits this machine if not given")

    def handle(self, *args: Any, **options: Any) -> None:
        programs.become("worker", programs.worker(options["processes"]))
