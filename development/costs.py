"""The processor time of tests: by folder, beside what CONTRIBUTING.md allows, and by file."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping

from development.runs import ROOT

DEAREST = 10
AIM = re.compile(r"^\| `tests/(\w+)` \| (\d+) \|$", re.MULTILINE)
"""A row of the table in CONTRIBUTING.md: ``| `tests/core` | 40 |``."""


def aims() -> dict[str, int]:
    """Seconds that the default tier may take, by folder."""
    text = (ROOT / "CONTRIBUTING.md").read_text()
    return {folder: int(seconds) for folder, seconds in AIM.findall(text)}


def by_folder(seconds: Mapping[str, float], aims: Mapping[str, int]) -> Iterator[str]:
    """A line for each folder, dearest first; ``seconds`` by module, as ``tests.core.test_tape``."""
    folders: Counter[str] = Counter()
    for module, took in seconds.items():
        folders[module.split(".")[1]] += took  # type: ignore[assignment]
    for folder, took in folders.most_common():
        aim = f" of {aims[folder]}" if folder in aims else ""
        over = ", OVER" if took > aims.get(folder, took) else ""
        yield f"{took:7.0f} s{aim}  tests/{folder}{over}"


def dearest(seconds: Mapping[str, float]) -> Iterator[str]:
    for module, took in Counter(seconds).most_common(DEAREST):
        yield f"{took:7.0f} s  {module.replace('.', '/')}.py"
