"""Entry points of ``manage.py test`` and ``manage.py check_all``."""

import argparse
from collections.abc import Callable, Sequence

from development import checks, suite

INTERRUPTED = 130


def run(name: str, arguments: Sequence[str]) -> int:
    """Run a command of ``bootstrap.DEVELOPMENT_COMMANDS``; returns its exit code."""
    commands: dict[str, Callable[[Sequence[str]], int]] = {"test": test, "check_all": check_all}
    try:
        return commands[name](arguments)
    except KeyboardInterrupt:
        return INTERRUPTED


def test(arguments: Sequence[str]) -> int:
    return suite.run(arguments)


def check_all(arguments: Sequence[str]) -> int:
    parser = argparse.ArgumentParser(
        "manage.py check_all", description="Checks everything besides the tests."
    )
    parser.add_argument("--fix", action="store_true", help="apply formatting and safe fixes")
    fix: bool = parser.parse_args(arguments).fix
    unchecked: list[str] = []
    return 0 if checks.run_all(checks.all_checks(unchecked), fix, unchecked) else 1
