"""``run``: starts a program with its calls to models going through the proxy.

A key for this run alone stands in the addresses that the program is given. What it captures is of
one session. The program has the terminal, and its exit code is the one of this command.
"""

import os
import shutil
import sys
import tempfile
from argparse import REMAINDER, ArgumentParser, Namespace
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from datetime import datetime

from inspector.installation import PROGRAM, command_line
from inspector.operations.run.child import Unstartable, end_like

NOT_FOUND, NOT_EXECUTABLE, UNUSABLE = 127, 126, 125
"""As ``env`` and shells have them: no such program, none that can be started, our own trouble."""


def main(arguments: Sequence[str]) -> int:
    options = parser().parse_args(arguments)
    command = options.command[1:] if options.command[:1] == ["--"] else options.command
    if not command:
        parser().error("no command is named; such as: run -- claude")
    if trouble := _unstartable(command[0]):
        say(f"{PROGRAM} run: {command[0]} {trouble[1]}")
        return trouble[0]
    with _data_dir(options.ephemeral):
        code = _in_archive(options, command)
    return end_like(code)


def parser() -> ArgumentParser:
    made = ArgumentParser(
        prog=command_line("run"),
        usage=f"{command_line('run')} [options] -- COMMAND ...",
        description="Runs a program and captures its calls to models; starts an archive for it"
        " where none runs. Exit code and signals are the program's.",
        allow_abbrev=False,
    )
    made.add_argument("--live", action="store_true", help="a line on standard error for each call")
    made.add_argument(
        "--ephemeral", action="store_true", help="an archive of its own that is deleted afterwards"
    )
    made.add_argument("--team", default="default", metavar="SLUG", help="default: %(default)s")
    made.add_argument("command", nargs=REMAINDER, metavar="COMMAND")
    return made


def say(line: str) -> None:
    print(line, file=sys.stderr, flush=True)


def _unstartable(program: str) -> tuple[int, str] | None:
    if shutil.which(program):
        return None
    if os.path.exists(program):
        return NOT_EXECUTABLE, "cannot be executed"
    return NOT_FOUND, "is no program here"


@contextmanager
def _data_dir(is_ephemeral: bool) -> Iterator[None]:
    """Yield settings read the directory when they are imported, within the block."""
    if not is_ephemeral:
        yield
        return
    with tempfile.TemporaryDirectory(prefix="inspector-") as folder:
        os.environ["INSPECTOR_DATA_DIR"] = folder
        for name in ("DATABASE_URL", "REDIS_URL"):
            os.environ.pop(name, None)
        yield


def _in_archive(options: Namespace, command: Sequence[str]) -> int:
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "inspector.settings")
    import django

    django.setup()
    # They need settings.
    from django.core.exceptions import ImproperlyConfigured
    from django.db import DatabaseError

    from inspector.operations.operator_error import OperatorError
    from inspector.operations.run.run import run

    name = f"{os.path.basename(command[0])}-{datetime.now():%Y%m%d-%H%M%S}-{os.getpid()}"
    try:
        is_kept = not options.ephemeral
        return run(options.team, name, command, is_live=options.live, is_kept=is_kept, say=say)
    except (OperatorError, DatabaseError, ImproperlyConfigured) as error:
        say(f"{PROGRAM} run: {error}")
        return UNUSABLE
    except Unstartable as error:
        say(f"{PROGRAM} run: {command[0]}: {error}")
        return NOT_EXECUTABLE
    except KeyboardInterrupt:
        return 130
