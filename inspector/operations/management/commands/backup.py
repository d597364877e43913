from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandParser

from inspector.operations.backup import command_output
from inspector.operations.backup.create import create_backup


class Command(BaseCommand):
    help = (
        "Write the whole archive into one file, while captures keep arriving. Exits with 1 for"
        " damage or a failure, with 2 for wrong arguments."
    )
    requires_system_checks = ()

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("file", type=Path, metavar="FILE", help="must not exist yet")
        parser.add_argument(
            "--verify", action="store_true", help="verify it afterwards, as verify_backup does"
        )

    def handle(self, *, file: Path, verify: bool, **options: Any) -> None:
        with command_output.exit_codes():
            manifest = create_backup(file, command_output.watch(options))
            self.stdout.write(f"{file}: {command_output.summary(manifest.captures)}")
            if verify:
                self.stdout.write(command_output.verify_file(file, options))
