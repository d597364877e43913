"""Line coverage of the scripts, summed over V8's counts in Node and Chromium.

SCRIPT_COVERAGE=/tmp/reached python3 manage.py test tests/static tests/browser
.venv/bin/python -m development.script_coverage /tmp/reached
"""

from __future__ import annotations

import json
import sys
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.parse import unquote, urlsplit

from development.runs import ROOT

STATIC = "static"
VARIABLE = "SCRIPT_COVERAGE"
"""Environment variable with the folder to write coverage to."""


@dataclass(frozen=True, slots=True)
class ScriptRow:
    """Counts of one file, or the total; ``lines`` are those with code."""

    path: str
    lines: int
    covered: int

    @property
    def percent(self) -> float:
        return 100 * self.covered / self.lines if self.lines else 100.0

    def __str__(self) -> str:
        return f"{self.path:<48} {self.lines:>6} {self.covered:>8} {self.percent:>7.1f} %"


@dataclass(frozen=True, slots=True)
class Line:
    """Start and exclusive end of a line's code, in UTF-16 units of the file, as V8 counts."""

    number: int
    start: int
    end: int


def table(folder: Path, root: Path = ROOT) -> list[ScriptRow]:
    """Returns a row for each script below ``static/``, by path, then the total."""
    covered = covered_lines(folder, root)
    rows = [
        ScriptRow(path, len(list(code_lines(source))), len(covered.get(path, ())))
        for path, source in sources(root).items()
    ]
    total = ScriptRow("all", sum(r.lines for r in rows), sum(r.covered for r in rows))
    return [*rows, total]


def sources(root: Path) -> dict[str, str]:
    found = sorted((root / STATIC).rglob("*.js"))
    return {file.relative_to(root).as_posix(): file.read_text() for file in found}


def covered_lines(folder: Path, root: Path = ROOT) -> dict[str, set[int]]:
    """Numbers of the lines that any run reached, by path below the root."""
    texts, covered = sources(root), dict[str, set[int]]()
    for report in sorted(folder.rglob("*.json")):
        for script in json.loads(report.read_text())["result"]:
            path = path_of(script["url"], root)
            if path in texts:
                reached = reached_lines(texts[path], script["functions"])
                covered.setdefault(path, set()).update(reached)
    return covered


def path_of(url: str, root: Path) -> str:
    """``static/a.js`` for ``http://127.0.0.1:8000/static/a.js`` and ``file:///…/static/a.js``."""
    parts = urlsplit(url)
    path = unquote(parts.path)
    if parts.scheme == "file":
        file = Path(path)
        return file.relative_to(root).as_posix() if file.is_relative_to(root) else ""
    return path.lstrip("/") if parts.scheme in ("http", "https") else ""


def reached_lines(source: str, functions: Iterable[dict[str, Any]]) -> Iterator[int]:
    """Yields the lines of which any code ran.

    V8's ranges are nested, outer before inner, both within and between functions, so the last range
    that contains a position decides its count.
    """
    ranges = [each for function in functions for each in function["ranges"]]
    is_run = bytearray(units(source))
    for each in sorted(ranges, key=lambda each: (each["startOffset"], -each["endOffset"])):
        start, end = each["startOffset"], min(each["endOffset"], len(is_run))
        is_run[start:end] = bytes([each["count"] > 0]) * (end - start)
    for line in code_lines(source):
        if any(is_run[line.start : line.end]):
            yield line.number


def code_lines(source: str) -> Iterator[Line]:
    """Lines that are neither blank nor comments, in the formatter's style."""
    at, is_comment = 0, False
    for number, text in enumerate(source.splitlines(keepends=True), 1):
        code = text.strip()
        is_comment = is_comment or code.startswith("/*")
        if code and not is_comment and not code.startswith("//"):
            start = at + units(text[: text.index(code)])
            yield Line(number, start, start + units(code))
        is_comment = is_comment and "*/" not in code
        at += units(text)


def units(text: str) -> int:
    return len(text.encode("utf-16-le")) // 2


def main(folder: str) -> None:
    print(f"{'script':<48} {'lines':>6} {'covered':>8}")
    for row in table(Path(folder)):
        print(row)


if __name__ == "__main__":
    main(sys.argv[1])
