from typing import Any

from django.core.management.base import CommandError
from django.core.management.commands import migrate
from django.db import OperationalError

from inspector.database.portability import is_lock_timeout, lock_timeout

PATIENCE_MS = 1_200
"""Queries behind a waiting migration wait too, and web waits 1.5 s at most. Below one second
PostgreSQL would not yet have cancelled its own autovacuum to make way.
"""

GAVE_UP = (
    "gave up: a table is in use for longer than {} s, and everybody else would have waited as well."
    " What was applied stays; run migrate again, after a backup or a long query has ended."
)


class Command(migrate.Command):
    help = (
        f"{migrate.Command.help} Gives up soon when it meets a lock, so that intake is not blocked."
    )

    def handle(self, *args: Any, **options: Any) -> None:
        try:
            with lock_timeout(PATIENCE_MS):
                super().handle(*args, **options)
        except OperationalError as error:
            if not is_lock_timeout(error):
                raise
            raise CommandError(GAVE_UP.format(PATIENCE_MS / 1_000)) from error
