"""What the three commands say, and how they end."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from django.core.management.base import CommandError
from django.db import DatabaseError
from rich.console import Console

from inspector.operations.backup import progress
from inspector.operations.backup.unpacking import Damage, opened
from inspector.operations.backup.verification import verify
from inspector.operations.refusal import Refusal
from inspector.operations.trouble import NO_ARCHIVE

DAMAGED, UNUSABLE, INTERRUPTED = 1, 2, 130


@contextmanager
def exit_codes() -> Iterator[None]:
    try:
        yield
    except Refusal as refusal:
        raise CommandError(str(refusal), returncode=UNUSABLE) from refusal
    except Damage as damage:
        raise CommandError(str(damage), returncode=DAMAGED) from damage
    except DatabaseError as error:
        raise CommandError(NO_ARCHIVE.format(error), returncode=DAMAGED) from error
    except OSError as error:
        raise CommandError(f"stopped: {error}") from error
    except KeyboardInterrupt:
        sys.exit(INTERRUPTED)


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


def summary(captures: dict[str, int]) -> str:
    states = ", ".join(f"{count} {state}" for state, count in captures.items())
    return f"{sum(captures.values())} captures ({states})" if captures else "no captures"
