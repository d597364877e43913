from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandParser

from inspector.operations.backup import deletions, reporting


class Command(BaseCommand):
    help = (
        "Write a ledger of all deletions, to be kept elsewhere: it deletes again what a backup from"
        " before brings back."
    )
    requires_system_checks = ()

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("file", type=Path, metavar="LEDGER")
        parser.add_argument(
            "--apply", action="store_true", help="read it, and delete what it names in this archive"
        )
        parser.add_argument(
            "--data-dir", metavar="DIRECTORY", help="as `up` was given it; var/ if not given"
        )

    def handle(self, *, file: Path, apply: bool, **options: Any) -> None:
        with reporting.exit_codes():
            if not apply:
                ledger = deletions.of_archive()
                deletions.write(file, ledger)
                self.stdout.write(f"{file}: {ledger.head.deletions} deletions")
                return
            ledger = deletions.read(file)
            again = deletions.apply(ledger)
            for line in reporting.of_deletions(ledger, again, datetime.min.replace(tzinfo=UTC)):
                self.stdout.write(line)
