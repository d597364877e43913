"""Coverage: branches of Python held above a floor, lines of the scripts beside them."""

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
"""The floor is for all runs together."""
SCRIPTS = ROOT / ".script_coverage"
"""Where Node and Chromium leave what of the scripts they ran."""
COUNTED = ("num_statements", "missing_lines", "num_branches", "missing_branches")


@dataclass(frozen=True, slots=True)
class Share:
    """What of one package is reached; the percentage is coverage's own, lines and branches."""

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
    """Forget what was measured before; runs that follow measure scripts, too."""
    coverage("erase")
    shutil.rmtree(SCRIPTS, ignore_errors=True)
    os.environ[script_coverage.VARIABLE] = str(SCRIPTS)


def is_held() -> bool:
    """Print a line for each package; False where the whole is below ``fail_under``."""
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
    """One for each package of a report in coverage's JSON, by name."""
    sums: dict[str, Counter[str]] = {}
    for path, file in report["files"].items():
        counts = sums.setdefault(package_of(path), Counter())
        counts.update({name: file["summary"].get(name, 0) for name in COUNTED})
    for package, counts in sorted(sums.items()):
        yield Share(package, *(counts[name] for name in COUNTED))


def share_of_scripts() -> Share:
    """Of lines alone: V8 counts no branches."""
    *_, whole = script_coverage.table(SCRIPTS)
    return Share("static", whole.lines, whole.lines - whole.covered, 0, 0)


def package_of(path: str) -> str:
    """``inspector/core/sse.py``: ``inspector/core``; ``api/body.py``: ``api``."""
    parts = Path(path).parent.parts[:2]
    return "/".join(parts if parts[0] == "inspector" else parts[:1])


def coverage(*words: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "coverage", *words]
    return subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
