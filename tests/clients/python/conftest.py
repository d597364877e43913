from __future__ import annotations

from collections.abc import Iterator

import pytest
from response_inspector import connection, deliveries, delivery

from tests.clients.python.taking_server import TakingServer, taking_server


@pytest.fixture(autouse=True)
def _own_deliveries(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Each test has its own, which do not linger, and are ended with it."""
    monkeypatch.setattr(deliveries, "_deliveries", {})
    monkeypatch.setattr(delivery, "LINGER_SECONDS", 0.0)
    monkeypatch.setattr(delivery, "FIRST_PAUSE_SECONDS", 0.001)
    # Of a machine that is slow no answer is late.
    monkeypatch.setattr(connection, "TIMEOUT_SECONDS", 600.0)
    for name in ("INSPECTOR_URL", "INSPECTOR_KEY", "INSPECTOR_SPOOL", "INSPECTOR_SAMPLE"):
        monkeypatch.delenv(name, raising=False)
    yield
    deliveries.close(0.0)


@pytest.fixture
def server() -> Iterator[TakingServer]:
    with taking_server() as taking:
        yield taking
