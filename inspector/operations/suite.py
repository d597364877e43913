"""Runs all tests: first everything that needs no browser, then the pages in real Chromium.

The pages get a pytest process of their own: Playwright's synchronous API keeps an event loop
running in the main thread, which Django's database calls elsewhere would refuse to run beside.
"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from xml.etree import ElementTree

from django.conf import settings

from inspector.operations import chromium

TESTS = "tests"
BROWSER_TESTS = "tests/browser"
NO_TESTS_COLLECTED = 5
SERIAL_OPTIONS = ("-n", "-s", "--pdb", "--trace", "--capture=no", "-p")
OPTIONS_WITH_VALUE = ("-k", "-m", "-n", "-p", "-c", "-o", "-r", "-W", "--maxfail", "--durations")


@dataclass(frozen=True, slots=True)
class Counts:
    """What pytest counted, to be added up over its two runs."""

    passed: int = 0
    failed: int = 0
    skipped: int = 0

    def __add__(self, other: Counts) -> Counts:
        return Counts(
            self.passed + other.passed, self.failed + other.failed, self.skipped + other.skipped
        )

    def __str__(self) -> str:
        named = (("failed", self.failed), ("passed", self.passed), ("skipped", self.skipped))
        return ", ".join(f"{count} {name}" for name, count in named if count) or "no tests ran"


@dataclass(frozen=True, slots=True)
class Run:
    """One pytest process that has ended."""

    exit_code: int
    counts: Counts


def run(arguments: Sequence[str]) -> int:
    """Run the tests that ``arguments`` choose (none: all) and return the exit code."""
    started = time.monotonic()
    plain, browser = split(arguments)
    runs = [pytest(plain)] if plain is not None else []
    without_chromium = False
    if browser is not None:
        path = chromium.find_or_install()
        without_chromium = path is None
        if path is not None:
            runs.append(pytest(browser, {"CHROMIUM_PATH": path}))
    tell(runs, time.monotonic() - started, without_chromium)
    return exit_code(runs)


def split(arguments: Sequence[str]) -> tuple[list[str] | None, list[str] | None]:
    """The arguments of the run without and of the run with a browser; None: there is none."""
    paths, options = paths_and_options(arguments)
    plain = [path for path in paths if not is_inside(path, BROWSER_TESTS)]
    browser = [path for path in paths if path not in plain]
    if not paths or any(is_inside(BROWSER_TESTS, path) for path in plain):
        plain, browser = plain or [TESTS], [BROWSER_TESTS]
    workers = [] if paths or must_run_in_one_process(options) else ["-n", "auto"]
    return (
        [*workers, *options, *plain, f"--ignore={BROWSER_TESTS}"] if plain else None,
        [*options, *browser] if browser else None,
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
    """A file, a folder or a test in a file (``tests/test_x.py::test_y``)."""
    return not argument.startswith("-") and place_of(argument).exists()


def is_inside(path: str, folder: str) -> bool:
    return place_of(path).is_relative_to(place_of(folder))


def place_of(path: str) -> Path:
    return (settings.BASE_DIR / path.split("::")[0]).resolve()


def must_run_in_one_process(options: list[str]) -> bool:
    return any(option.startswith(SERIAL_OPTIONS) for option in options)


def pytest(arguments: list[str], environment: dict[str, str] | None = None) -> Run:
    with tempfile.TemporaryDirectory() as folder:
        report = Path(folder) / "report.xml"
        command = [sys.executable, "-m", "pytest", f"--junit-xml={report}", *arguments]
        done = subprocess.run(
            command, cwd=settings.BASE_DIR, env=clean(environment or {}), check=False
        )
        return Run(done.returncode, counts_in(report))


def clean(added: dict[str, str]) -> dict[str, str]:
    """The environment without the settings module of commands: the tests name their own."""
    return {**os.environ, **added, "DJANGO_SETTINGS_MODULE": "tests.settings"}


def counts_in(report: Path) -> Counts:
    if not report.exists():
        return Counts()
    counts = Counts()
    for suite in ElementTree.parse(report).iter("testsuite"):
        total, skipped = int(suite.get("tests", 0)), int(suite.get("skipped", 0))
        failed = int(suite.get("failures", 0)) + int(suite.get("errors", 0))
        counts += Counts(total - skipped - failed, failed, skipped)
    return counts


def exit_code(runs: list[Run]) -> int:
    """A run that had nothing to do is well as long as another one had."""
    codes = [run.exit_code for run in runs]
    busy = [code for code in codes if code != NO_TESTS_COLLECTED]
    return max(busy) if busy else max(codes, default=NO_TESTS_COLLECTED)


def tell(runs: list[Run], seconds: float, without_chromium: bool) -> None:
    """One line for everything, in pytest's own words; what was left out stands last."""
    total = sum((run.counts for run in runs), Counts())
    if len(runs) > 1 or without_chromium:
        print(f"{f' all tests: {total} in {seconds:.2f}s ':=^80}", flush=True)
    if without_chromium:
        print(
            f"NOT TESTED: the pages, for there is no Chromium. To get it: {chromium.HOW_TO_GET_IT}",
            flush=True,
        )
