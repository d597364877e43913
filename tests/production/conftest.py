"""Real programs on real servers; none of this means anything on the embedded stack."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from inspector.operations import servers
from inspector.operations.servers import Programs
from tests.people import Person
from tests.production.installation import Installation

HERE = Path(__file__).parent


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    for item in items:
        if item.path.is_relative_to(HERE):
            item.add_marker(pytest.mark.production)


@pytest.fixture(scope="session")
def programs() -> Programs:
    found = servers.find()
    assert found, servers.HOW_TO_GET_THEM
    return found


@pytest.fixture
def installation(transactional_db: None, owner: Person, tmp_path: Path) -> Iterator[Installation]:
    """Ended before the rows of the test are."""
    installation = Installation(owner.key, tmp_path)
    yield installation
    installation.end()
