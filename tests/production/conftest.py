"""Real programs on real servers; none of this means anything on the embedded stack."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from development import servers
from development.servers import Programs
from tests.people import Person
from tests.production.installation import Installation


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
