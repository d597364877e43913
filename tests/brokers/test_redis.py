"""A worker counts by itself alone what it may still take: Redis may be gone by then."""

from types import SimpleNamespace
from typing import Any

import pytest
from kombu import Connection

from inspector.brokers import redis


@pytest.fixture
def qos() -> Any:
    """Return the settings of a channel that reaches no Redis at all."""
    return redis.QoS(SimpleNamespace(do_restore=False), prefetch_count=1)


@pytest.mark.parametrize("finish", ["ack", "reject"])
def test_what_was_taken_and_finished_makes_room_without_asking_redis(qos: Any, finish: str) -> None:
    assert qos.can_consume()
    qos.append("a ring", "tag")
    assert not qos.can_consume()
    getattr(qos, finish)("tag")
    assert qos.can_consume()
    qos.restore_visible()


@pytest.mark.parametrize("scheme", redis.SCHEMES)
def test_it_stands_behind_the_addresses_of_redis(scheme: str) -> None:
    redis.register()
    assert Connection(f"{scheme}://host").get_transport_cls() is redis.Transport
