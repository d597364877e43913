"""A provider on this machine."""

from collections.abc import Iterator

import pytest

from tests.archive.samples import STREAM
from tests.http_server import provider_of


@pytest.fixture
def stream() -> bytes:
    return STREAM


@pytest.fixture
def upstream() -> Iterator[str]:
    """Answers each call with ``STREAM``."""
    with provider_of(STREAM) as url:
        yield url
