"""Output and exit codes of the commands backup, verify_backup and restore."""

import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from datetime import datetime
from pathlib import Path
from typing import Any

from django.core.management.base import CommandError
from django.db import DatabaseError
from rich.console import Console

from inspector.installation import PROGRAM
from inspector.operations.backup import progress
from inspector.operations.backup.deletions import Deletion, DeletionLedger
from inspector.operations.backup.unpacking import Damage, open_backup
from inspector.operations.backup.verification import verify
from inspector.operations.command_errors import NO_ARCHIVE
from inspector.operations.operator_error import OperatorError
from inspector.operations.reports.terminal_escape import escape_for_terminal

DAMAGED, UNUSABLE, INTERRUPTED = 1, 2, 130


@contextmanager
def exit_codes() -> Iterator[None]:
    try:
        yield
    except OperatorError as refusal:
        raise CommandError(str(refusal), returncode=UNUSABLE) from refusal
    except Damage as damage:
        raise CommandError(_damage_lines(damage), returncode=DAMAGED) from damage
    except OverflowError as error:
        raise CommandError(f"a number fits no column: {error}", returncode=DAMAGED) from error
    except DatabaseError as error:
        raise CommandError(NO_ARCHIVE.format(error), returncode=DAMAGED) from error
    except OSError as error:
        raise CommandError(f"stopped: {error}") from error
    except KeyboardInterrupt:
        sys.exit(INTERRUPTED)


def _damage_lines(damage: Damage) -> str:
    """One line per location; names from the file are escaped, since anybody may have written it."""
    return "\n".join(map(escape_for_terminal, str(damage).split("\n")))


def watch(options: dict[str, Any]) -> progress.Watch:
    """Progress goes to standard error, because standard output carries the result."""
    if options.get("verbosity") == 0:
        return progress.unwatched
    return progress.watch(Console(file=sys.stderr, no_color=options["no_color"] or None))


def verify_file(file: Path, options: dict[str, Any]) -> str:
    with open_backup(file) as backup:
        if damaged := verify(backup, watch(options)):
            raise Damage("\n".join(damaged))
        return f"{file}: every hash is right; {summary(backup.manifest.captures)}"


def deletion_lines(
    ledger: DeletionLedger | None, again: Sequence[Deletion], taken_at: datetime
) -> Iterator[str]:
    """Lines about deletions to repeat; ``taken_at`` is the time of the restored backup."""
    if ledger is None:
        yield (
            "What was deleted after the backup is back. To delete it again:"
            f" {PROGRAM} deletions --apply LEDGER, with the newest FILE.deletions that there is."
        )
        return
    known = f"{ledger.head.written_at:%Y-%m-%d %H:%M:%S} UTC"
    yield f"deleted again, of what was deleted until {known}: {len(again)} captures"
    for each in again:
        yield escape_for_terminal(f"  {each}")
    if ledger.head.written_at < taken_at:
        yield "That ledger is older than the backup: what was deleted since is back."


def summary(captures: dict[str, int]) -> str:
    states = ", ".join(f"{count} {state}" for state, count in captures.items())
    return f"{sum(captures.values())} captures ({states})" if captures else "no captures"
