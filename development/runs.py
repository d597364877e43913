"""Runs one pytest process and reads its counts."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import IO
from xml.etree import ElementTree

ROOT = Path(__file__).resolve().parents[1]
TEST_DATABASE_URL, TEST_REDIS_URL = "TEST_DATABASE_URL", "TEST_REDIS_URL"
NO_BYTECODE = "PYTHONDONTWRITEBYTECODE"
"""If set, each of hundreds of processes would compile the project and the tests again."""
TESTS_FAILED = 1
NO_TESTS_COLLECTED = 5
USAGE_ERROR = 4
PROCESSOR_SECONDS = "processor_seconds"
"""A property of each test in the report."""


@dataclass(frozen=True, slots=True)
class Counts:
    """Counts of pytest, to be added up; ``skipped`` by reason, processor ``seconds`` by module."""

    passed: int = 0
    failed: int = 0
    skipped: Counter[str] = field(default_factory=Counter)
    seconds: Counter[str] = field(default_factory=Counter, compare=False)

    def __add__(self, other: Counts) -> Counts:
        return Counts(
            self.passed + other.passed,
            self.failed + other.failed,
            self.skipped + other.skipped,
            self.seconds + other.seconds,
        )

    def __str__(self) -> str:
        """Format like pytest's summary."""
        numbers = (self.failed, self.passed, self.skipped.total())
        named = zip(numbers, ("failed", "passed", "skipped"), strict=True)
        return ", ".join(f"{count} {name}" for count, name in named if count) or "no tests ran"


@dataclass(frozen=True, slots=True)
class Run:
    """A process that has ended."""

    name: str
    exit_code: int
    counts: Counts
    seconds: float = 0.0
    processor_seconds: float = 0.0
    """Seconds of the process and its descendants; how busy the machine is hardly matters."""
    complaint: str = ""
    """Set if the command line was wrong: the line to show instead of the summary."""
    flaky: tuple[str, ...] = ()
    """Tests that failed, and passed when they were asked once more."""

    def __str__(self) -> str:
        took = f"{self.seconds:.0f} s, {self.processor_seconds:.0f} s of a processor"
        return f"{self.name}: {self.counts} ({took})"


def pytest_twice(
    name: str,
    arguments: Sequence[str],
    environment: Mapping[str, str] | None = None,
    output: IO[bytes] | None = None,
) -> Run:
    """Run pytest, and then each test that failed once more, one after the other."""
    with tempfile.TemporaryDirectory() as cache:
        kept = ["-o", f"cache_dir={cache}"]
        run = pytest(name, [*arguments, *kept], environment, output)
        failed = last_failed(cache)
        if run.exit_code != TESTS_FAILED or not failed or not are_tests(failed):
            return run
        alone = [*alone_options(arguments), *kept, "--last-failed"]
        again = pytest(name, alone, environment, output)
        flaky = tuple(sorted(failed - last_failed(cache)))
    # A run that found nothing to ask has passed nothing.
    exit_code = again.exit_code if flaky else run.exit_code
    passed = run.counts.passed + max(run.counts.failed - again.counts.failed, 0)
    return replace(
        run,
        exit_code=exit_code,
        counts=Counts(passed, again.counts.failed, run.counts.skipped) if flaky else run.counts,
        seconds=run.seconds + again.seconds,
        processor_seconds=run.processor_seconds + again.processor_seconds,
        flaky=flaky,
    )


def last_failed(cache: str) -> frozenset[str]:
    """Ids of the tests, and of files that could not be collected, that pytest's cache remembers."""
    remembered = Path(cache) / "v/cache/lastfailed"
    return frozenset(json.loads(remembered.read_text())) if remembered.exists() else frozenset()


def are_tests(ids: frozenset[str]) -> bool:
    """Return False if a file is among them: where processes collect differently, pytest runs no
    test.
    """
    return all("::" in each for each in ids)


def alone_options(arguments: Sequence[str]) -> list[str]:
    """Return the arguments without those that let tests run beside each other."""
    is_beside = {"-n": 2, "--dist=worksteal": 1}
    kept, left_out = [], 0
    for argument in arguments:
        left_out = max(left_out - 1, is_beside.get(argument, 0))
        if not left_out:
            kept.append(argument)
    return kept


def pytest(
    name: str,
    arguments: Sequence[str],
    environment: Mapping[str, str] | None = None,
    output: IO[bytes] | None = None,
) -> Run:
    """Run pytest with ``arguments``; its output goes to ``output`` or to the terminal."""
    with tempfile.TemporaryDirectory() as folder, tempfile.TemporaryFile() as errors:
        report = Path(folder) / "report.xml"
        started = time.monotonic()
        process = subprocess.Popen(
            [sys.executable, "-m", "pytest", f"--junit-xml={report}", *arguments],
            cwd=ROOT,
            env=clean(environment or {}),
            stdout=output,
            stderr=errors,
        )
        _, status, used = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
        return Run(
            name,
            process.returncode,
            counts_in(report),
            time.monotonic() - started,
            used.ru_utime + used.ru_stime,
            complaint_in(process.returncode, errors, output),
        )


def complaint_in(exit_code: int, errors: IO[bytes], output: IO[bytes] | None) -> str:
    """pytest's message for a wrong command line; other errors are passed on unchanged."""
    errors.seek(0)
    text = errors.read()
    if exit_code == USAGE_ERROR:
        lines = text.decode(errors="replace").splitlines()
        return next((line for line in lines if not line.startswith("ERROR: usage:")), "no such use")
    (output or sys.stderr.buffer).write(text)
    return ""


def clean(added: Mapping[str, str]) -> dict[str, str]:
    """Environment with the test settings, and with server URLs only if given."""
    left_out = (TEST_DATABASE_URL, TEST_REDIS_URL, NO_BYTECODE)
    kept = {k: v for k, v in os.environ.items() if k not in left_out}
    return {**kept, **added, "DJANGO_SETTINGS_MODULE": "tests.settings"}


def counts_in(report: Path) -> Counts:
    """Return counts from a JUnit report; zeros if there is none."""
    if not report.exists():
        return Counts()
    counts = Counts()
    for suite in ElementTree.parse(report).iter("testsuite"):
        reasons = Counter(str(skipped.get("message")) for skipped in suite.iter("skipped"))
        total, skipped = int(suite.get("tests", 0)), int(suite.get("skipped", 0))
        failed = int(suite.get("failures", 0)) + int(suite.get("errors", 0))
        counts += Counts(total - skipped - failed, failed, reasons, seconds_in(suite))
    return counts


def seconds_in(suite: ElementTree.Element) -> Counter[str]:
    """Return the seconds that ``tests.processor_time`` noted, by module."""
    seconds: Counter[str] = Counter()
    for case in suite.iter("testcase"):
        for noted in case.iterfind(f"properties/property[@name='{PROCESSOR_SECONDS}']"):
            seconds[str(case.get("classname"))] += float(noted.get("value", 0))  # type: ignore[assignment]
    return seconds


def exit_code_of(runs: Sequence[Run]) -> int:
    """ "No tests collected" counts as success if another run collected some."""
    codes = [run.exit_code for run in runs]
    busy = [code for code in codes if code != NO_TESTS_COLLECTED]
    return max(busy) if busy else max(codes, default=NO_TESTS_COLLECTED)
