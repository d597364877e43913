"""Notes with each test how much of a processor it took, its processes included, for the report."""

import os
from collections.abc import Generator

import pytest

from development.runs import PROCESSOR_SECONDS

_BEFORE = pytest.StashKey[float]()


@pytest.hookimpl(wrapper=True)
def pytest_runtest_setup(item: pytest.Item) -> Generator[None]:
    item.stash[_BEFORE] = processor_seconds()
    return (yield)


@pytest.hookimpl(wrapper=True)
def pytest_runtest_teardown(item: pytest.Item) -> Generator[None]:
    try:
        return (yield)
    finally:
        took = processor_seconds() - item.stash[_BEFORE]
        item.user_properties.append((PROCESSOR_SECONDS, f"{took:.4f}"))


def processor_seconds() -> float:
    """Return the seconds of this process and of its children that have ended."""
    return sum(os.times()[:4])
