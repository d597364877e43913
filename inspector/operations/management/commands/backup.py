from __future__ import annotations

from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandParser

from inspector.operations.backup import reporting
from inspector.operations.backup.taking import take


class Command(BaseCommand):
    help = (
        "Write the whole archive into one file, while captures keep coming. Exits with 1 for damage"
        " or trouble, with 2 for a mistake in what was asked."
    )
    requires_system_checks = ()

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("file", type=Path, metavar="FILE", help="must not be there yet")
        parser.add_argument(
            "--verify", action="store_true", help="read it afterwards, as verify_backup does"
        )

    def handle(self, *, file: Path, verify: bool, **options: Any) -> None:
        with reporting.exit_codes():
            manifest = take(file, reporting.watch(options))
            self.stdout.write(f"{file}: {reporting.summary(manifest.captures)}")
            if verify:
                self.stdout.write(reporting.verified(file, options))
