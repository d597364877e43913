from __future__ import annotations

from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandParser

from inspector.operations.backup import reporting


class Command(BaseCommand):
    help = (
        "Compare every hash of a backup, and every body in it with its capture's row; needs no"
        " archive. Exits with 1 for damage, which is named, and with 2 for what is no backup."
    )
    requires_system_checks = ()

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("file", type=Path, metavar="FILE")

    def handle(self, *, file: Path, **options: Any) -> None:
        with reporting.exit_codes():
            self.stdout.write(reporting.verified(file, options))
