"""How a program that a test starts is measured, where the test is."""

from __future__ import annotations

import sys
from pathlib import Path

from coverage import Coverage

ROOT = Path(__file__).parent.parent


def python(*arguments: str) -> list[str]:
    """The command of a Python program. Where the tests' lines are counted, so are its own: in a
    file beside, which the report adds (``development.coverage_floor``).
    """
    if Coverage.current() is None:
        return [sys.executable, *arguments]
    options = (f"--rcfile={ROOT / 'pyproject.toml'}", f"--data-file={ROOT / '.coverage'}")
    return [sys.executable, "-m", "coverage", "run", "--parallel-mode", *options, *arguments]
