"""Cases of which the first stand for all in the default tier; ``manage.py test --all`` runs each."""

from collections.abc import Iterable
from itertools import islice
from typing import Any

import pytest


def mostly_thorough(cases: Iterable[tuple[Any, ...]], by_default: int = 1) -> list[Any]:
    """For ``pytest.mark.parametrize``: each case is a tuple of its arguments."""
    rest = iter(cases)
    first = [pytest.param(*case) for case in islice(rest, by_default)]
    return first + [pytest.param(*case, marks=pytest.mark.thorough) for case in rest]
