"""The processor time of tests, by folder and by file."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping

DEAREST = 10


def by_folder(seconds: Mapping[str, float]) -> Iterator[str]:
    """A line for each folder, dearest first; ``seconds`` by module, as ``tests.core.test_tape``."""
    folders: Counter[str] = Counter()
    for module, took in seconds.items():
        folders[module.split(".")[1]] += took  # type: ignore[assignment]
    for folder, took in folders.most_common():
        yield f"{took:7.0f} s  tests/{folder}"


def dearest(seconds: Mapping[str, float]) -> Iterator[str]:
    for module, took in Counter(seconds).most_common(DEAREST):
        yield f"{took:7.0f} s  {module.replace('.', '/')}.py"
