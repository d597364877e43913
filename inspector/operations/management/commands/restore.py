import os
from pathlib import Path
from typing import Any

from django.conf import settings
from django.core.management.base import BaseCommand, CommandParser

from inspector.installation import PROGRAM
from inspector.operations import data_dir
from inspector.operations.backup import command_output, deletions
from inspector.operations.backup.restoration import require_fit, restore_backup
from inspector.operations.backup.unpacking import open_backup
from inspector.operations.backup.verification import verify


class Command(BaseCommand):
    help = (
        "Restore a backup into an empty archive: a new --data-dir, or the DATABASE_URL of an empty"
        " database. All of it or nothing. Exits with 1 for damage or a failure, with 2 for a backup"
        " or an archive that cannot be used."
    )
    requires_system_checks = ()

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("file", type=Path, metavar="FILE")
        parser.add_argument(
            "--apply-deletions",
            type=Path,
            metavar="LEDGER",
            help="delete again what was deleted since: the newest FILE.deletions, or one that"
            f" `{PROGRAM} deletions` wrote",
        )

    def handle(self, *, file: Path, apply_deletions: Path | None, **options: Any) -> None:
        watch = command_output.watch(options)
        with command_output.exit_codes(), open_backup(file) as backup:
            manifest = backup.manifest
            ledger = deletions.read_ledger(apply_deletions) if apply_deletions else None
            lock = _hold_data_dir()
            try:
                require_fit(manifest)
                damaged = verify(backup, watch)
                captures = restore_backup(backup, watch)
                again = deletions.apply_deletions(ledger) if ledger else []
            finally:
                if lock is not None:
                    os.close(lock)
            self.stdout.write(f"{file}, taken {manifest.taken_at:%Y-%m-%d %H:%M:%S} UTC: restored")
            self.stdout.write(f"in it: {command_output.summary(manifest.captures)}")
            self.stdout.write(f"now:   {command_output.summary(captures)}")
            for line in command_output.deletion_lines(ledger, again, manifest.taken_at):
                self.stdout.write(line)
        for problem in damaged:
            self.stderr.write(f"as it was in the archive: {problem}")


def _hold_data_dir() -> int | None:
    """Lock the data directory against ``up``; None for PostgreSQL, which has no such directory."""
    if not settings.IS_EMBEDDED:
        return None
    data_dir.prepare()
    return data_dir.lock_data_dir("restore")
