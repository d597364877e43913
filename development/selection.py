"""Turns a command line into the tests to run, and assigns them to runs."""

import argparse
import os
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from development.runs import ROOT

TESTS = "tests"
BROWSER_TESTS = "tests/browser"
FAULT_TESTS = "tests/faults"
SCRIPT_TESTS = ("tests/static", "tests/clients/devtools", "tests/clients/node")
# The fixtures that every test would get of it are a fifth of what a small one takes.
WITHOUT_BROWSER = ("-p", "no:playwright")
ELSEWHERE = (f"--ignore={BROWSER_TESTS}", f"--ignore={FAULT_TESTS}", *WITHOUT_BROWSER)
# Idle workers steal tests that others have not begun.
WHOLE_OPTIONS = ("-n", "auto", "--dist=worksteal")
BESIDE = (os.cpu_count() or 1) // 2
"""Workers of what runs beside that. Where it is one, the process needs no other."""
BESIDE_OPTIONS = ("-n", str(BESIDE), "--dist=worksteal") if BESIDE > 1 else ()
SERIAL_OPTIONS = ("-n", "-s", "--pdb", "--trace", "--capture=no", "-p")
OPTIONS_WITH_VALUE = ("-k", "-m", "-n", "-p", "-c", "-o", "-r", "-W", "--maxfail", "--durations")
WHOLE_TIER = "--all"


@dataclass(frozen=True, slots=True)
class Request:
    """The parsed command line: our options, paths, and options for pytest."""

    options: tuple[str, ...] = ()
    paths: tuple[str, ...] = ()
    is_all: bool = False
    """True to include tests of the second tier (``thorough``)."""
    is_twice: bool = False
    """True to ask each failed test once more."""

    @property
    def is_watched(self) -> bool:
        """True if somebody may be watching the terminal, so that runs should be sequential."""
        return any(option.startswith(SERIAL_OPTIONS) for option in self.options)


@dataclass(frozen=True, slots=True)
class Parts:
    """Arguments of each run; None for a run that is skipped."""

    sqlite: list[str] | None = None
    pages: list[str] | None = None
    production: list[str] | None = None
    faults: list[str] | None = None
    scripts: list[str] | None = None


def requested(arguments: Sequence[str]) -> Request:
    parser = argument_parser()
    own, rest = parser.parse_known_args([word for word in arguments if word != "--"])
    paths, options = paths_and_options(rest)
    return Request(tuple(options), tuple(paths), own.all, own.twice)


def argument_parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        "manage.py test",
        usage="manage.py test [--all] [--twice] [pytest arguments]",
        description="Runs the tests: on SQLite, in Chromium, on PostgreSQL and Redis, in Node. "
        "Everything else is pytest's own: paths, -k, -x (all of it: python -m pytest --help).",
        allow_abbrev=False,
    )
    parser.add_argument(
        WHOLE_TIER, action="store_true", help="also what takes long: faults, installations, fuzzing"
    )
    parser.add_argument(
        "--twice",
        action="store_true",
        help="ask each failed test once more, alone; name what then passes, and count it as passed",
    )
    return parser


def split(request: Request) -> Parts:
    paths = list(request.paths)
    pages = [path for path in paths if is_inside(path, BROWSER_TESTS)]
    faults = [path for path in paths if is_inside(path, FAULT_TESTS)]
    scripts = [path for path in paths if any(is_inside(path, each) for each in SCRIPT_TESTS)]
    plain = [path for path in paths if path not in (*pages, *faults, *scripts)]
    options = [*request.options, *([WHOLE_TIER] if request.is_all else [])]
    is_serial = bool(paths) or request.is_watched
    whole = options if is_serial else [*WHOLE_OPTIONS, *options]
    beside = options if is_serial else [*BESIDE_OPTIONS, *options]
    if not paths or any(is_inside(BROWSER_TESTS, path) for path in plain):
        plain = plain or [TESTS]
        pages, faults, scripts = [BROWSER_TESTS], [FAULT_TESTS], [*SCRIPT_TESTS]
    return Parts(
        sqlite=[*whole, *plain, *ELSEWHERE] if plain else None,
        pages=[*beside, *pages] if pages else None,
        production=[*beside, *plain, *ELSEWHERE] if plain else None,
        # The default tier has one, which has nothing to run beside.
        faults=[*(whole if request.is_all else options), *faults] if faults else None,
        scripts=scripts or None,
    )


def paths_and_options(arguments: Sequence[str]) -> tuple[list[str], list[str]]:
    paths: list[str] = []
    options: list[str] = []
    previous = ""
    for argument in arguments:
        is_value = previous in OPTIONS_WITH_VALUE
        (options if is_value or not is_path(argument) else paths).append(argument)
        previous = argument
    return paths, options


def is_path(argument: str) -> bool:
    """Return True for a file, a folder, or a test id such as ``tests/test_x.py::test_y``."""
    return not argument.startswith("-") and place_of(argument).exists()


def is_inside(path: str, folder: str) -> bool:
    return place_of(path).is_relative_to(place_of(folder))


def place_of(path: str) -> Path:
    return (ROOT / path.split("::")[0]).resolve()
