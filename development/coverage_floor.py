"""Coverage report: branches of Python, held above a floor, and lines of the scripts."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import tempfile
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from development import script_coverage
from development.runs import ROOT

OPTIONS = ("--cov", "--cov-append", "--cov-report=", "--cov-fail-under=0")
"""The floor applies to all runs together, not to each."""
SCRIPTS = ROOT / ".script_coverage"
"""Folder where Node and Chromium write script coverage."""
COUNTED = ("num_statements", "missing_lines", "num_branches", "missing_branches")


@dataclass(frozen=True, slots=True)
class Share:
    """Coverage of one package; the percentage is coverage.py's, lines and branches."""

    package: str
    statements: int
    missing_lines: int
    branches: int
    missing_branches: int

    @property
    def percent(self) -> float:
        everything = self.statements + self.branches
        missing = self.missing_lines + self.missing_branches
        return 100.0 if not everything else 100 * (everything - missing) / everything

    def __str__(self) -> str:
        lines = f"{self.statements - self.missing_lines:>6} of {self.statements:>6} lines"
        branches = f"{self.branches - self.missing_branches:>6} of {self.branches:>6} branches"
        return f"{self.package:<24} {lines} {branches} {self.percent:6.2f} %"


def begin() -> None:
    """Deletes earlier measurements; later runs measure scripts, too."""
    coverage("erase")
    shutil.rmtree(SCRIPTS, ignore_errors=True)
    os.environ[script_coverage.VARIABLE] = str(SCRIPTS)


def is_held() -> bool:
    """Prints a line per package; False if the total is below ``fail_under``."""
    # What programs that tests started have counted.
    coverage("combine", "--append", "--quiet")
    with tempfile.TemporaryDirectory() as folder:
        report = Path(folder) / "coverage.json"
        coverage("json", "--quiet", "--fail-under=0", "-o", str(report))
        for share in shares(json.loads(report.read_text())):
            print(share)
    print(share_of_scripts())
    done = coverage("report", "--format=total")
    print(f"coverage of lines and branches: {done.stdout.strip()} %", flush=True)
    if done.returncode:
        print("That is below fail_under in pyproject.toml.", flush=True)
    return done.returncode == 0


def shares(report: Mapping[str, Any]) -> Iterator[Share]:
    """Yields a share per package of a JSON report, by name."""
    sums: dict[str, Counter[str]] = {}
    for path, file in report["files"].items():
        counts = sums.setdefault(package_of(path), Counter())
        counts.update({name: file["summary"].get(name, 0) for name in COUNTED})
    for package, counts in sorted(sums.items()):
        yield Share(package, *(counts[name] for name in COUNTED))


def share_of_scripts() -> Share:
    """Lines only: V8's branch counts are not used."""
    *_, whole = script_coverage.table(SCRIPTS)
    return Share("static", whole.lines, whole.lines - whole.covered, 0, 0)


def package_of(path: str) -> str:
    """``inspector/core`` for ``inspector/core/wire/sse.py``, ``api`` for ``api/body.py``."""
    parts = Path(path).parent.parts[:2]
    return "/".join(parts if parts[0] == "inspector" else parts[:1])


def coverage(*words: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "coverage", *words]
    return subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
