"""Runs the tests of scripts that need no page with ``node --test``."""

import os
import re
import subprocess
import tempfile
import time
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import IO

from development import node
from development.runs import ROOT, Counts, Run

TESTS = "*.test.js"
SKIPPED = "skipped by the test itself"
COUNTED = re.compile(r"^# (pass|fail|cancelled|skipped|todo) (\d+)$", re.MULTILINE)


def run(paths: Sequence[str], output: IO[bytes] | None = None) -> Run | None:
    """Run the tests in ``paths``, files and folders below the root; None without Node."""
    program = node.find_or_install()
    return None if program is None else run_with(program, test_files(paths), output)


def run_with(program: Path, files: Sequence[Path], output: IO[bytes] | None = None) -> Run:
    with tempfile.TemporaryDirectory() as folder:
        report = Path(folder) / "report.tap"
        started = time.monotonic()
        command = [str(program), "--test", *reporters(report), *map(str, files)]
        process = subprocess.Popen(command, cwd=ROOT, stdout=output)
        _, status, used = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
        return Run(
            "scripts",
            process.returncode,
            counts_in(report.read_text() if report.exists() else ""),
            time.monotonic() - started,
            used.ru_utime + used.ru_stime,
        )


def test_files(paths: Sequence[str]) -> list[Path]:
    # Files are passed one by one, because Node releases differ in how they search folders.
    places = [ROOT / path for path in paths]
    found = [sorted(place.rglob(TESTS)) if place.is_dir() else [place] for place in places]
    return [file for files in found for file in files]


def reporters(report: Path) -> list[str]:
    """Name the reporters: failures to the terminal, everything to a file for counting."""
    named = (("dot", "stdout"), ("tap", str(report)))
    return [
        option
        for name, place in named
        for option in (f"--test-reporter={name}", f"--test-reporter-destination={place}")
    ]


def counts_in(tap: str) -> Counts:
    """Return counts from the summary at the end of Node's TAP report."""
    counted = {name: int(count) for name, count in COUNTED.findall(tap)}
    skipped = counted.get("skipped", 0) + counted.get("todo", 0)
    return Counts(
        counted.get("pass", 0),
        counted.get("fail", 0) + counted.get("cancelled", 0),
        Counter({SKIPPED: skipped} if skipped else {}),
    )
