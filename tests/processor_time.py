"""Notes with each test how much of a processor it took, its processes included, for the report."""

import os
from collections.abc import Generator
from contextlib import suppress
from pathlib import Path

import pytest

from development.runs import PROCESSOR_SECONDS
from development.selection import BROWSER_TESTS

_BEFORE = pytest.StashKey[float]()
TICKS = os.sysconf("SC_CLK_TCK")


@pytest.hookimpl(wrapper=True)
def pytest_runtest_setup(item: pytest.Item) -> Generator[None]:
    item.stash[_BEFORE] = seconds_until_now(item)
    return (yield)


@pytest.hookimpl(wrapper=True)
def pytest_runtest_teardown(item: pytest.Item) -> Generator[None]:
    try:
        return (yield)
    finally:
        # With the browser ends what is known of its processes.
        took = max(seconds_until_now(item) - item.stash[_BEFORE], 0)
        item.user_properties.append((PROCESSOR_SECONDS, f"{took:.4f}"))


def seconds_until_now(item: pytest.Item) -> float:
    """Return the seconds of this process and its descendants that have ended; of a page also of
    those that go on, because one browser serves many tests.
    """
    ended = sum(os.times()[:4])
    return ended + going_on(os.getpid()) if item.nodeid.startswith(BROWSER_TESTS) else ended


def going_on(ancestor: int) -> float:
    """Return the seconds of the processes below one, as Linux tells them."""
    parents: dict[int, int] = {}
    seconds: dict[int, float] = {}
    for place in Path("/proc").glob("[0-9]*/stat"):
        # It may have ended meanwhile.
        with suppress(OSError):
            told = place.read_text(errors="replace").rpartition(")")[2].split()
            process = int(place.parent.name)
            parents[process] = int(told[1])
            seconds[process] = sum(map(int, told[11:15])) / TICKS
    return sum(took for process, took in seconds.items() if is_below(process, ancestor, parents))


def is_below(process: int, ancestor: int, parents: dict[int, int]) -> bool:
    while (process := parents.get(process, 0)) not in (0, ancestor):
        pass
    return process == ancestor
