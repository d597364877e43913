"""What the three commands say, and how they end."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from datetime import datetime
from pathlib import Path
from typing import Any

from django.core.management.base import CommandError
from django.db import DatabaseError
from rich.console import Console

from inspector.operations.backup import progress
from inspector.operations.backup.deletions import Deletion, Ledger
from inspector.operations.backup.unpacking import Damage, opened
from inspector.operations.backup.verification import verify
from inspector.operations.refusal import Refusal
from inspector.operations.reports.visible import visible
from inspector.operations.trouble import NO_ARCHIVE

DAMAGED, UNUSABLE, INTERRUPTED = 1, 2, 130


@contextmanager
def exit_codes() -> Iterator[None]:
    try:
        yield
    except Refusal as refusal:
        raise CommandError(str(refusal), returncode=UNUSABLE) from refusal
    except Damage as damage:
        raise CommandError(_shown(damage), returncode=DAMAGED) from damage
    except OverflowError as error:
        raise CommandError(f"a number fits no column: {error}", returncode=DAMAGED) from error
    except DatabaseError as error:
        raise CommandError(NO_ARCHIVE.format(error), returncode=DAMAGED) from error
    except OSError as error:
        raise CommandError(f"stopped: {error}") from error
    except KeyboardInterrupt:
        sys.exit(INTERRUPTED)


def _shown(damage: Damage) -> str:
    """A line for each place; names in the file are whoever's who wrote it."""
    return "\n".join(map(visible, str(damage).split("\n")))


def watch(options: dict[str, Any]) -> progress.Watch:
    """On standard error: what is asked for goes to standard output."""
    if options.get("verbosity") == 0:
        return progress.unwatched
    return progress.watch(Console(file=sys.stderr, no_color=options["no_color"] or None))


def verified(file: Path, options: dict[str, Any]) -> str:
    with opened(file) as backup:
        if damaged := verify(backup, watch(options)):
            raise Damage("\n".join(damaged))
        return f"{file}: every hash is right; {summary(backup.manifest.captures)}"


def of_deletions(
    ledger: Ledger | None, again: Sequence[Deletion], taken_at: datetime
) -> Iterator[str]:
    """``taken_at``: of the backup that was restored."""
    if ledger is None:
        yield (
            "What was deleted after the backup is back. To delete it again:"
            " manage.py deletions --apply LEDGER, with the newest FILE.deletions that there is."
        )
        return
    known = f"{ledger.head.written_at:%Y-%m-%d %H:%M:%S} UTC"
    yield f"deleted again, of what was deleted until {known}: {len(again)} captures"
    for each in again:
        yield visible(f"  {each}")
    if ledger.head.written_at < taken_at:
        yield "That ledger is older than the backup: what was deleted since is back."


def summary(captures: dict[str, int]) -> str:
    states = ", ".join(f"{count} {state}" for state, count in captures.items())
    return f"{sum(captures.values())} captures ({states})" if captures else "no captures"
