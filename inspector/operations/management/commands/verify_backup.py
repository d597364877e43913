from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandParser

from inspector.operations.backup import command_output


class Command(BaseCommand):
    help = (
        "Check every hash of a backup, and every body in it against its capture's row; needs no"
        " archive. Exits with 1 and a list for damage, with 2 for a file that is no backup."
    )
    requires_system_checks = ()

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("file", type=Path, metavar="FILE")

    def handle(self, *, file: Path, **options: Any) -> None:
        with command_output.exit_codes():
            self.stdout.write(command_output.verify_file(file, options))
