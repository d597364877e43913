"""Tells what tests took of a processor; what the default tier may take says ``CONTRIBUTING.md``."""

import re
from collections import Counter
from collections.abc import Mapping, Sequence

from development.runs import ROOT, Counts, Run

DEAREST = 10
AIM = re.compile(r"^\| `?([\w/ ]+?)`? \| (\d+) s \|$", re.MULTILINE)
IN_ALL = "in all"
"""Also what no test took: until the tests were collected."""
ANY_OTHER = "any other folder"


def aims() -> dict[str, int]:
    """Return the seconds of each folder, and of all."""
    text = (ROOT / "CONTRIBUTING.md").read_text()
    return {name: int(seconds) for name, seconds in AIM.findall(text)}


def tell(runs: Sequence[Run], aims: Mapping[str, int]) -> None:
    """Print the seconds of each folder beside its aim, of the dearest modules, and of all."""
    seconds = sum((run.counts for run in runs), Counts()).seconds
    folders: Counter[str] = Counter()
    for module, took in seconds.items():
        # A module is named as ``tests.core.test_tape``.
        folders["/".join(module.split(".")[:2])] += took
    for name, took in folders.most_common():
        print(line(name, took, aims.get(name, aims.get(ANY_OTHER))))
    for name, took in seconds.most_common(DEAREST):
        print(line(name, took))
    print(line(IN_ALL, sum(run.processor_seconds for run in runs), aims.get(IN_ALL)))


def line(name: str, took: float, aim: int | None = None) -> str:
    beside = "" if aim is None else f", may take {aim} s"
    return f"{took:7.0f} s  {name}{beside}" + (": TOO MUCH" if aim and took > aim else "")
