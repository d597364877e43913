"""Connections to upstreams: only to addresses that may be called, checked when they are resolved.

What was checked is what is connected to: the name is not asked for again.
"""

import asyncio
import socket
from collections.abc import Sequence
from concurrent.futures import Executor, ThreadPoolExecutor
from contextvars import ContextVar
from dataclasses import dataclass
from typing import Protocol

import aiohttp
from aiohttp.abc import AbstractResolver, ResolveResult
from aiohttp.client_proto import ResponseHandler
from aiohttp.connector import AddrInfoType as AddrInfo
from aiohttp.connector import Connection
from yarl import URL

from inspector.proxy.limits import KIB, ProxyLimits
from inspector.web.public_address import Network, refusal_of

KEEPALIVE_SECONDS = 15.0
"""Shorter than that of servers: a request must not meet a connection that is being closed."""
DNS_SECONDS = 10
"""A provider that moves is followed within it; a busy proxy asks for no name twice a second."""
MAX_RESOLVING = 32
"""Names at a time. The loop's own threads are few, and names that hang would take them all."""
READ_BUFFER_BYTES = 64 * KIB
"""Buffer of each call; what a slow caller has not taken stays in the upstream's socket."""
MAX_RESPONSE_HEADER_BYTES = 64 * KIB
"""Bytes of one line. aiohttp's 8 kB are too few for some policies and cookies."""
MAX_RESPONSE_HEADERS = 1000
"""As many as an envelope may have (`exchange_envelope`)."""
_AUTOMATIC = ("accept", "accept-encoding", "user-agent", "content-type")


class AddressRefused(Exception):
    """The upstream's name leads to an address that calls may not go to."""


class RequestObserver(Protocol):
    """Is told which connection a request takes, and when it was sent."""

    def connected(self, connection: ResponseHandler) -> None: ...

    def head_sent(self) -> None: ...


observer: ContextVar[RequestObserver] = ContextVar("observer")
"""Observer of the request that the current task makes."""


class ObservedRequest(aiohttp.ClientRequest):
    async def send(self, conn: Connection) -> aiohttp.ClientResponse:
        one = observer.get()
        assert conn.protocol is not None
        one.connected(conn.protocol)
        response = await super().send(conn)
        one.head_sent()
        return response


@dataclass(frozen=True, slots=True)
class AddressPolicy:
    allowed: Sequence[Network]
    is_local: bool

    def check(self, address: str) -> None:
        """Raise ``AddressRefused``."""
        reason = refusal_of(address, self.allowed, self.is_local)
        if reason is not None:
            raise AddressRefused(f"it is {reason}")

    def open_socket(self, info: AddrInfo) -> socket.socket:
        """Refuse what is not public: the last thing before a connection is made, whatever led to
        its address.
        """
        family, kind, protocol, _, address = info
        self.check(str(address[0]))
        return socket.socket(family, kind, protocol)


class CheckingResolver(AbstractResolver):
    """Refuses a name of whose addresses one is bad: the next attempt might take that one.

    The time limit is that of connecting, of which this is a part.
    """

    def __init__(self, policy: AddressPolicy, threads: Executor) -> None:
        self._policy = policy
        self._threads = threads

    async def resolve(
        self, host: str, port: int = 0, family: socket.AddressFamily = socket.AF_INET
    ) -> list[ResolveResult]:
        loop = asyncio.get_running_loop()
        found = await loop.run_in_executor(self._threads, _resolved, host, port, family)
        for each in found:
            self._policy.check(each["host"])
        return found

    async def close(self) -> None:
        """Its threads are not its own."""


class Upstreams:
    """Two pools of connections: addresses that one may call are not those of the other."""

    def __init__(self, limits: ProxyLimits, allowed: Sequence[Network]) -> None:
        self._threads = ThreadPoolExecutor(MAX_RESOLVING, thread_name_prefix="resolver")
        self._public = _session(limits, AddressPolicy(allowed, is_local=False), self._threads)
        self._local = _session(limits, AddressPolicy(allowed, is_local=True), self._threads)

    def session(self, is_local: bool) -> aiohttp.ClientSession:
        return self._local if is_local else self._public

    async def close(self) -> None:
        await asyncio.gather(self._public.close(), self._local.close())
        self._threads.shutdown(wait=False, cancel_futures=True)


def url_of(base_url: str, rest: str, query: str) -> URL:
    """Escapes stay as they came."""
    return URL(f"{base_url}{rest}{'?' if query else ''}{query}", encoded=True)


def _resolved(host: str, port: int, family: socket.AddressFamily) -> list[ResolveResult]:
    # In bytes: the name is encoded already, and IDNA's limits would raise what is no OSError.
    found = socket.getaddrinfo(
        host.encode(), port, family, socket.SOCK_STREAM, flags=socket.AI_ADDRCONFIG
    )
    return [
        ResolveResult(
            hostname=host,
            host=str(address[0]),
            port=port,
            family=kind,
            proto=protocol,
            flags=socket.AI_NUMERICHOST | socket.AI_NUMERICSERV,
        )
        for kind, _, protocol, _, address in found
    ]


def _session(
    limits: ProxyLimits, policy: AddressPolicy, threads: Executor
) -> aiohttp.ClientSession:
    return aiohttp.ClientSession(
        connector=aiohttp.TCPConnector(
            resolver=CheckingResolver(policy, threads),
            socket_factory=policy.open_socket,
            limit=0,
            ttl_dns_cache=DNS_SECONDS,
            keepalive_timeout=KEEPALIVE_SECONDS,
        ),
        cookie_jar=aiohttp.DummyCookieJar(),
        request_class=ObservedRequest,
        auto_decompress=False,
        trust_env=False,
        skip_auto_headers=_AUTOMATIC,
        timeout=aiohttp.ClientTimeout(total=None, connect=limits.connect_seconds),
        read_bufsize=READ_BUFFER_BYTES,
        max_line_size=MAX_RESPONSE_HEADER_BYTES,
        max_field_size=MAX_RESPONSE_HEADER_BYTES,
        max_headers=MAX_RESPONSE_HEADERS,
    )
