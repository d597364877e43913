"""Names of upstreams that take long to resolve."""

import asyncio
import socket
from collections.abc import Iterator
from threading import Event, current_thread
from typing import Any

import aiohttp
import pytest

from inspector.proxy.limits import ProxyLimits
from inspector.proxy.upstream_connector import MAX_RESOLVING, AddressRefused, Upstreams
from tests.proxy.scripted_upstream import WAIT_SECONDS


@pytest.fixture
def resolved(monkeypatch: pytest.MonkeyPatch) -> Iterator[dict[bytes, str]]:
    """Names and the threads that were asked for them. Those that begin with ``slow`` hang."""
    asked: dict[bytes, str] = {}
    ends = Event()

    def getaddrinfo(host: bytes, port: int, *_: object, **__: object) -> list[Any]:
        asked[host] = current_thread().name
        if host.startswith(b"slow"):
            ends.wait(WAIT_SECONDS)
        address = ("127.0.0.1", port)
        return [(socket.AF_INET, socket.SOCK_STREAM, socket.IPPROTO_TCP, "", address)]

    monkeypatch.setattr(socket, "getaddrinfo", getaddrinfo)
    yield asked
    ends.set()


async def ask(upstreams: Upstreams, name: str) -> None:
    await upstreams.session(is_local=False).get(f"http://{name}.example/")


def test_names_that_hang_leave_room_for_others(resolved: dict[bytes, str]) -> None:
    async def ask_for_all() -> None:
        upstreams = Upstreams(ProxyLimits(connect_seconds=WAIT_SECONDS), ())
        names = [f"slow-{number}" for number in range(MAX_RESOLVING - 1)]
        hanging = [asyncio.create_task(ask(upstreams, name)) for name in names]
        await asyncio.sleep(0)
        with pytest.raises(AddressRefused):
            await ask(upstreams, "sound")
        for each in hanging:
            each.cancel()
        await asyncio.gather(*hanging, return_exceptions=True)
        await upstreams.close()

    asyncio.run(ask_for_all())
    assert resolved[b"sound.example"].startswith("resolver")


def test_a_name_that_hangs_has_the_time_of_a_connection(resolved: dict[bytes, str]) -> None:
    async def ask_for_one() -> None:
        upstreams = Upstreams(ProxyLimits(connect_seconds=0.01), ())
        with pytest.raises(aiohttp.ConnectionTimeoutError):
            await ask(upstreams, "slow")
        await upstreams.close()

    asyncio.run(ask_for_one())
