"""Runs one pytest process and reads its counts."""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import IO
from xml.etree import ElementTree

ROOT = Path(__file__).resolve().parents[1]
TEST_DATABASE_URL, TEST_REDIS_URL = "TEST_DATABASE_URL", "TEST_REDIS_URL"
NO_BYTECODE = "PYTHONDONTWRITEBYTECODE"
"""If set, each of hundreds of processes would compile the project and the tests again."""
NO_TESTS_COLLECTED = 5
USAGE_ERROR = 4


@dataclass(frozen=True, slots=True)
class Counts:
    """Counts of pytest, to be summed over runs; ``skipped`` is by reason."""

    passed: int = 0
    failed: int = 0
    skipped: Counter[str] = field(default_factory=Counter)

    def __add__(self, other: Counts) -> Counts:
        return Counts(
            self.passed + other.passed, self.failed + other.failed, self.skipped + other.skipped
        )

    def __str__(self) -> str:
        """Formats like pytest's summary."""
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
    """CPU time of the process and its descendants, which depends little on how busy the machine
    is.
    """
    complaint: str = ""
    """Set if the command line was wrong: the line to show instead of the summary."""

    def __str__(self) -> str:
        took = f"{self.seconds:.0f} s, {self.processor_seconds:.0f} s of a processor"
        return f"{self.name}: {self.counts} ({took})"


def pytest(
    name: str,
    arguments: Sequence[str],
    environment: Mapping[str, str] | None = None,
    output: IO[bytes] | None = None,
) -> Run:
    """Runs pytest with ``arguments``; its output goes to ``output`` or to the terminal."""
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
    """Counts from a JUnit report; zeros if there is none."""
    if not report.exists():
        return Counts()
    counts = Counts()
    for suite in ElementTree.parse(report).iter("testsuite"):
        reasons = Counter(str(skipped.get("message")) for skipped in suite.iter("skipped"))
        total, skipped = int(suite.get("tests", 0)), int(suite.get("skipped", 0))
        failed = int(suite.get("failures", 0)) + int(suite.get("errors", 0))
        counts += Counts(total - skipped - failed, failed, reasons)
    return counts


def exit_code_of(runs: Sequence[Run]) -> int:
    """ "No tests collected" counts as success if another run collected some."""
    codes = [run.exit_code for run in runs]
    busy = [code for code in codes if code != NO_TESTS_COLLECTED]
    return max(busy) if busy else max(codes, default=NO_TESTS_COLLECTED)
