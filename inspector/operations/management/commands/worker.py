from __future__ import annotations

from typing import Any

from django.core.management.base import BaseCommand, CommandParser

from inspector.operations.up import programs


class Command(BaseCommand):
    help = "Inspects captures announced by the broker; for use under your own supervisor."
    requires_system_checks = ()

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("--processes", type=int, help="default: suited to this machine")

    def handle(self, *args: Any, **options: Any) -> None:
        programs.become("worker", programs.worker(options["processes"]))
