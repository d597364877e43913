from __future__ import annotations

from typing import Any

from django.core.management.base import CommandError
from django.core.management.commands import migrate
from django.db import OperationalError

from inspector.archive.database import is_lock_timeout, lock_timeout

PATIENCE_MS = 1_200
"""Whoever asks for a table after a migration waits behind it, and web for 1.5 s at most. Below one
second PostgreSQL would not yet have sent its own vacuum out of the way."""

GAVE_UP = (
    "gave up: a table is in use for longer than {} s, and everybody else would have waited as well."
    " What was applied stays; run migrate again, after a backup or a long query has ended."
)


class Command(migrate.Command):
    help = f"{migrate.Command.help} A migration that meets a lock gives up soon, for the intake."

    def handle(self, *args: Any, **options: Any) -> None:
        try:
            with lock_timeout(PATIENCE_MS):
                super().handle(*args, **options)
        except OperationalError as error:
            if not is_lock_timeout(error):
                raise
            raise CommandError(GAVE_UP.format(PATIENCE_MS / 1_000)) from error
