"""Runs all tests: everything that needs no browser, then the pages in real Chromium, then once more
on PostgreSQL and Redis whatever depends on them. Beside all this, for they mostly wait, the faults.

The pages get a pytest process of their own: Playwright's synchronous API keeps an event loop
running in the main thread, which Django's database calls elsewhere would refuse to run beside.
"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import IO
from xml.etree import ElementTree

from django.conf import settings

from inspector.operations import chromium, servers

TESTS = "tests"
BROWSER_TESTS = "tests/browser"
FAULT_TESTS = "tests/faults"
PRODUCTION_TESTS = tuple(
    f"tests/{name}"
    for name in (
        "api",
        "archive",
        "dashboard",
        "feedback",
        "operations/backup",
        "production",
        "teams",
        "usage",
    )
)
TEST_DATABASE_URL, TEST_REDIS_URL = "TEST_DATABASE_URL", "TEST_REDIS_URL"
NO_BYTECODE = "PYTHONDONTWRITEBYTECODE"
"""Where it is set, each of hundreds of processes would compile the project and the tests anew."""
NOT_HERE = f", for they are not here: {servers.HOW_TO_GET_THEM}"
NO_TESTS_COLLECTED = 5
ELSEWHERE = (f"--ignore={BROWSER_TESTS}", f"--ignore={FAULT_TESTS}")
WHOLE_OPTIONS = ("-n", "auto", "--durations=10")
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

    name: str
    exit_code: int
    counts: Counts
    seconds: float = 0.0
    processor_seconds: float = 0.0
    """Of it and of all that it started and waited for; a busy machine changes little about it."""

    def __str__(self) -> str:
        took = f"{self.seconds:.0f} s, {self.processor_seconds:.0f} s of a processor"
        return f"{self.name}: {self.counts} ({took})"


@dataclass(frozen=True, slots=True)
class Parts:
    """The arguments of the runs; None: there is none."""

    plain: list[str] | None = None
    browser: list[str] | None = None
    production: list[str] | None = None
    faults: list[str] | None = None
    is_watched: bool = False
    """Whether somebody may be at the terminal, who wants one thing after the other."""

    @property
    def one_by_one(self) -> bool:
        return self.is_watched or not (self.plain or self.browser or self.production)


def run(arguments: Sequence[str]) -> int:
    """Run the tests that ``arguments`` choose (none: all) and return the exit code."""
    started = time.monotonic()
    parts = split(arguments)
    untested: list[str] = []
    with faults(parts, untested) as struck:
        runs = [*others(parts, untested)]
    runs += struck
    tell(runs, time.monotonic() - started, untested)
    return exit_code(runs)


def others(parts: Parts, untested: list[str]) -> Iterator[Run]:
    if parts.plain is not None:
        yield pytest("SQLite", parts.plain)
    if parts.browser is not None:
        path = chromium.find_or_install()
        if path is None:
            untested.append(f"the pages, for there is no Chromium: {chromium.HOW_TO_GET_IT}")
        else:
            yield pytest("pages", parts.browser, {"CHROMIUM_PATH": path})
    if parts.production is not None:
        with production() as addresses:
            if addresses is None:
                untested.append(f"PostgreSQL and Redis{NOT_HERE}")
            else:
                yield pytest("PostgreSQL and Redis", parts.production, addresses)


@contextmanager
def faults(parts: Parts, untested: list[str]) -> Iterator[list[Run]]:
    """Whose run is among these when the block is left; beside others it is shown only then.

    On servers that the rows start by themselves, whatever servers were chosen.
    """
    runs: list[Run] = []
    if parts.faults is None:
        yield runs
    elif servers.find_or_install() is None:
        untested.append(f"what breaks servers{NOT_HERE}")
        yield runs
    elif parts.one_by_one:
        yield runs
        runs.append(pytest("faults", parts.faults))
    else:
        with tempfile.TemporaryFile() as output, ThreadPoolExecutor(1) as thread:
            run = thread.submit(pytest, "faults", parts.faults, output=output)
            yield runs
            runs.append(run.result())
            output.seek(0)
            sys.stdout.write(output.read().decode(errors="replace"))


@contextmanager
def production() -> Iterator[Mapping[str, str] | None]:
    """The servers that somebody chose for tests, else private ones; None where there are none.

    Never servers that merely run here: what they hold is somebody's.
    """
    given = {name: os.environ.get(name, "") for name in (TEST_DATABASE_URL, TEST_REDIS_URL)}
    programs = None if all(given.values()) else servers.find_or_install()
    if programs is None:
        yield given if all(given.values()) else None
        return
    with ExitStack() as ending:
        if not given[TEST_DATABASE_URL]:
            given[TEST_DATABASE_URL] = ending.enter_context(servers.postgresql(programs))
        if not given[TEST_REDIS_URL]:
            given[TEST_REDIS_URL] = ending.enter_context(servers.redis_server(programs))
        yield given


def split(arguments: Sequence[str]) -> Parts:
    paths, options = paths_and_options(arguments)
    browser = [path for path in paths if is_inside(path, BROWSER_TESTS)]
    faults = [path for path in paths if is_inside(path, FAULT_TESTS)]
    plain = [path for path in paths if path not in (*browser, *faults)]
    if not paths or any(is_inside(BROWSER_TESTS, path) for path in plain):
        plain, browser, faults = plain or [TESTS], [BROWSER_TESTS], [FAULT_TESTS]
    both = on_production(plain)
    is_watched = must_run_in_one_process(options)
    if not paths and not is_watched:
        options = [*WHOLE_OPTIONS, *options]
    return Parts(
        plain=[*options, *plain, *ELSEWHERE] if plain else None,
        browser=[*options, *browser] if browser else None,
        production=[*options, *both] if both else None,
        faults=[*options, *faults] if faults else None,
        is_watched=is_watched,
    )


def on_production(paths: list[str]) -> list[str]:
    """What of ``paths`` is run on PostgreSQL and Redis too."""
    folders = [folder for folder in PRODUCTION_TESTS if any(is_inside(folder, p) for p in paths)]
    inside = [p for p in paths if any(is_inside(p, folder) for folder in PRODUCTION_TESTS)]
    return folders + [path for path in inside if path not in folders]


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


def pytest(
    name: str,
    arguments: list[str],
    environment: Mapping[str, str] | None = None,
    output: IO[bytes] | None = None,
) -> Run:
    with tempfile.TemporaryDirectory() as folder:
        report = Path(folder) / "report.xml"
        command = [sys.executable, "-m", "pytest", f"--junit-xml={report}", *arguments]
        started = time.monotonic()
        process = subprocess.Popen(
            command,
            cwd=settings.BASE_DIR,
            env=clean(environment or {}),
            stdout=output,
            stderr=output and subprocess.STDOUT,
        )
        _, status, used = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
        return Run(
            name,
            process.returncode,
            counts_in(report),
            time.monotonic() - started,
            used.ru_utime + used.ru_stime,
        )


def clean(added: Mapping[str, str]) -> dict[str, str]:
    """The environment with the tests' own settings, and with servers only where they are meant."""
    left_out = (TEST_DATABASE_URL, TEST_REDIS_URL, NO_BYTECODE)
    kept = {k: v for k, v in os.environ.items() if k not in left_out}
    return {**kept, **added, "DJANGO_SETTINGS_MODULE": "tests.settings"}


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


def tell(runs: list[Run], seconds: float, untested: list[str]) -> None:
    """A line for each run and one for everything, in pytest's own words; what was left out stands
    last.
    """
    total = sum((run.counts for run in runs), Counts())
    if len(runs) > 1 or untested:
        for run in runs:
            print(run)
        print(f"{f' all tests: {total} in {seconds:.2f}s ':=^80}", flush=True)
    for what in untested:
        print(f"NOT TESTED: {what}", flush=True)
