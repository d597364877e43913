"""Cases of which the first stand for all in the default tier; ``manage.py test --all`` runs each.

Where a test goes through many examples itself, the default tier goes through fewer.
"""

from collections.abc import Iterable, Sequence
from itertools import islice
from typing import Any

import pytest

is_whole = False
"""Whether this is a run of ``--all``; ``tests.conftest`` says."""


def examples(by_default: int, whole: int) -> int:
    """How many a test goes through. Asked inside a test, when the tier is known."""
    return whole if is_whole else by_default


def some_of(cases: Sequence[Any], one_in: int) -> Sequence[Any]:
    """Return each, or by default one in so many. Asked inside a test, too."""
    return cases if is_whole else cases[::one_in]


def mostly_thorough(cases: Iterable[tuple[Any, ...]], by_default: int = 1) -> list[Any]:
    """For ``pytest.mark.parametrize``: each case is a tuple of its arguments."""
    rest = iter(cases)
    first = [pytest.param(*case) for case in islice(rest, by_default)]
    return first + [pytest.param(*case, marks=pytest.mark.thorough) for case in rest]
