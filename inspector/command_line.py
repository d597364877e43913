"""Every command: what ``manage.py``, ``python -m inspector`` and the script ``inspector`` run."""

import os
import sys
from collections.abc import Sequence

from inspector import bootstrap
from inspector.installation import command_line
from inspector.loading import loading
from inspector.operations.remote.commands import is_remote, run_remote
from inspector.version import VERSION


def main() -> None:
    """Run as the console script: its packages are there, whoever installed it."""
    # Settings read it, too: they ask whether the program is the sweep.
    sys.argv = bootstrap.take_data_dir(["inspector", *sys.argv[1:]])
    if bootstrap.is_development(sys.argv):
        sys.exit(f"Run it in a checkout of the repository: python3 manage.py {sys.argv[1]}")
    run(sys.argv)


def run(argv: list[str]) -> None:
    """End the process with the command's exit code where that is not 0."""
    if argv[1:] in (["--version"], ["version"]):
        print(f"Response Inspector {VERSION}")
        return
    bootstrap.keep_private(argv)
    # Before Django and its settings are imported, which these do without.
    if is_remote(argv):
        sys.exit(run_remote(argv))
    if (arguments := arguments_of("inspect", argv)) is not None:
        # Imported here: no other command reads responses before its settings.
        from inspector.operations.reports.inspect_command import main as inspect

        sys.exit(inspect(command_line("inspect"), arguments))
    if (arguments := arguments_of("run", argv)) is not None:
        # Before settings, too: they read the data directory, and this may make one.
        from inspector.operations.run.command import main as run_command

        sys.exit(run_command(arguments))
    if (arguments := arguments_of("up", argv)) is not None:
        from inspector.operations.up.command import main as up

        up(arguments)
        return
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "inspector.settings")
    # Imported last: the version needs none of it.
    with loading():
        import django

        django.setup()
        from inspector.operations.command_overview import CommandUtility
    CommandUtility(argv).execute()


def arguments_of(command: str, argv: Sequence[str]) -> list[str] | None:
    """Return the arguments of the command; None where another one is asked for."""
    if argv[1:] == ["help", command]:
        return ["--help"]
    return list(argv[2:]) if argv[1:2] == [command] else None
