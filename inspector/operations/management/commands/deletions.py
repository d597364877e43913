from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandParser

from inspector.operations.backup import command_output, deletions
from inspector.operations.data_dir import add_data_dir_argument


class Command(BaseCommand):
    help = (
        "Write a ledger of all deletions, to be kept elsewhere: with it, captures that an older"
        " backup brings back are deleted again."
    )
    requires_system_checks = ()

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("file", type=Path, metavar="LEDGER")
        parser.add_argument(
            "--apply",
            action="store_true",
            help="delete the captures that the file lists from this archive",
        )
        add_data_dir_argument(parser)

    def handle(self, *, file: Path, apply: bool, **options: Any) -> None:
        with command_output.exit_codes():
            if not apply:
                ledger = deletions.deletions_in_archive()
                deletions.write_ledger(file, ledger)
                self.stdout.write(f"{file}: {ledger.head.deletions} deletions")
                return
            ledger = deletions.read_ledger(file)
            again = deletions.apply_deletions(ledger)
            for line in command_output.deletion_lines(
                ledger, again, datetime.min.replace(tzinfo=UTC)
            ):
                self.stdout.write(line)
