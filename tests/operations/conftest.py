"""Fixtures of tests of whole installations."""

import signal
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.operations.installation import Installation, wait_until


@pytest.fixture
def installation(tmp_path: Path) -> Iterator[Installation]:
    """On a free port and an empty directory; every process of it has ended afterwards."""
    installation = Installation(tmp_path / "data")
    yield installation
    if installation.process is not None and installation.process.poll() is None:
        installation.signal(signal.SIGKILL)
    wait_until(lambda: not installation.running())
