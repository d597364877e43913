"""Lifts the time limits of statements: what a list leaves out where they take longer is never left
out of what a test asks for, however busy the machine is.

Folders that ask lists import the fixture into their conftest.py. In that of all tests it would make
every test depend on every page.
"""

import pytest

from inspector.archive.listing import (
    adjacent,
    completion,
    facet_counts,
    near_values,
    search_part,
    values_like,
)
from inspector.dashboard.archive import view_tabs

TIME_LIMITS = (
    (search_part, "WHOLE_MILLISECONDS"),
    (search_part, "PART_MILLISECONDS"),
    (near_values, "LIMIT_MILLISECONDS"),
    (adjacent, "LIMIT_MILLISECONDS"),
    (facet_counts, "LIMIT_MILLISECONDS"),
    (completion, "LIMIT_MILLISECONDS"),
    (values_like, "LIMIT_MILLISECONDS"),
    (view_tabs, "COUNTING_MS"),
)


@pytest.fixture(autouse=True)
def patient(monkeypatch: pytest.MonkeyPatch) -> None:
    for module, name in TIME_LIMITS:
        monkeypatch.setattr(module, name, 60_000)
