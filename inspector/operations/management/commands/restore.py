from __future__ import annotations

import os
from pathlib import Path
from typing import Any

from django.conf import settings
from django.core.management.base import BaseCommand, CommandParser

from inspector.operations import data_dir
from inspector.operations.backup import deletions, reporting
from inspector.operations.backup.restoration import require_fit, restore
from inspector.operations.backup.unpacking import opened
from inspector.operations.backup.verification import verify


class Command(BaseCommand):
    help = (
        "Put a backup into an empty archive: a new --data-dir, or the DATABASE_URL of an empty"
        " database. All of it or nothing. Exits with 1 for damage or trouble, with 2 for a backup"
        " or an archive that cannot be used for that."
    )
    requires_system_checks = ()

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("file", type=Path, metavar="FILE")
        parser.add_argument(
            "--apply-deletions",
            type=Path,
            metavar="LEDGER",
            help="delete again what was deleted since: the newest FILE.deletions, or one that"
            " `manage.py deletions` wrote",
        )

    def handle(self, *, file: Path, apply_deletions: Path | None, **options: Any) -> None:
        watch = reporting.watch(options)
        with reporting.exit_codes(), opened(file) as backup:
            manifest = backup.manifest
            ledger = deletions.read(apply_deletions) if apply_deletions else None
            lock = _hold_data_dir()
            try:
                require_fit(manifest)
                damaged = verify(backup, watch)
                captures = restore(backup, watch)
                again = deletions.apply(ledger) if ledger else []
            finally:
                if lock is not None:
                    os.close(lock)
            self.stdout.write(f"{file}, taken {manifest.taken_at:%Y-%m-%d %H:%M:%S} UTC: restored")
            self.stdout.write(f"in it: {reporting.summary(manifest.captures)}")
            self.stdout.write(f"now:   {reporting.summary(captures)}")
            for line in reporting.of_deletions(ledger, again, manifest.taken_at):
                self.stdout.write(line)
        for problem in damaged:
            self.stderr.write(f"as it was in the archive: {problem}")


def _hold_data_dir() -> int | None:
    """No ``up`` may begin on it meanwhile; a PostgreSQL of its own has no such file."""
    if not settings.IS_EMBEDDED:
        return None
    data_dir.prepare()
    return data_dir.hold("restore")
