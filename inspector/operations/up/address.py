"""Addresses that web and the proxy listen on, and the host names they are reached by."""

import errno
import http.client
import socket
from collections.abc import Collection
from contextlib import suppress
from dataclasses import dataclass

from inspector.operations.operator_error import OperatorError

EVERYWHERE = {"0.0.0.0": "127.0.0.1", "::": "::1"}
"""Wildcard addresses, with the loopback address to reach them by."""
LOOPBACK = ("localhost", "127.0.0.1", "::1")
READY_TIMEOUT_SECONDS = 5.0
"""A program that is busy with its start may accept, and answer later."""


@dataclass(frozen=True, slots=True)
class ListenAddress:
    host: str
    port: int

    @property
    def near_host(self) -> str:
        """Host to reach it from this machine."""
        return EVERYWHERE.get(self.host, self.host)

    @property
    def near_url(self) -> str:
        return url(self.near_host, self.port)

    @property
    def url(self) -> str:
        """Base URL for links, reachable from other machines if the program is."""
        seen_as = outward_address(self.host) if self.host in EVERYWHERE else None
        return url(seen_as or self.near_host, self.port)

    def names(self) -> list[str]:
        """Host names a request may carry, besides loopback ones."""
        if self.host in LOOPBACK:
            return []
        if self.host not in EVERYWHERE:
            return [in_url(self.host)]
        own = {socket.gethostname(), socket.getfqdn(), outward_address(self.host)}
        return sorted(in_url(name) for name in own | set(own_addresses()) if name)

    def require_free(self, remedy: str) -> None:
        """Raise ``OperatorError`` if the port is taken; checked here, because the server would
        share it. ``remedy`` says how to choose another one.
        """
        try:
            found = socket.getaddrinfo(self.host, self.port, type=socket.SOCK_STREAM)
            family, kind, protocol, _, place = found[0]
            with socket.socket(family, kind, protocol) as probe:
                probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
                probe.bind(place)
                probe.listen(1)
        except OSError as error:
            raise OperatorError(self._why_not(error, remedy)) from error

    def _why_not(self, error: OSError, remedy: str) -> str:
        if error.errno == errno.EADDRINUSE:
            return f"Port {self.port} on {self.host} is taken; {remedy}."
        return f"Cannot listen on {self.host}, port {self.port}: {error.strerror}."

    def is_ready(self) -> bool:
        """Return True once the program takes work: ``/readyz`` answers 200 within the timeout."""
        connection = http.client.HTTPConnection(
            self.near_host, self.port, timeout=READY_TIMEOUT_SECONDS
        )
        try:
            connection.request("GET", "/readyz")
            return connection.getresponse().status == 200
        except (OSError, http.client.HTTPException):
            return False
        finally:
            connection.close()


@dataclass(frozen=True, slots=True)
class UpAddresses:
    """The addresses at which an installation listens, and the origins in links to it."""

    web: ListenAddress
    origin: str
    proxy: ListenAddress | None = None
    """None where no proxy is started."""
    proxy_origin: str = ""

    def require_free(self) -> None:
        self.web.require_free("choose another one with --port")
        if self.proxy:
            self.proxy.require_free(
                "choose another one for the capturing proxy with --proxy-port; 0 starts none"
            )

    def not_ready(self, names: Collection[str] = ("web", "proxy")) -> list[str]:
        """Those of the named programs that do not take work yet."""
        asked = {"web": self.web, "proxy": self.proxy}
        return [name for name in names if (at := asked[name]) is not None and not at.is_ready()]


def url(host: str, port: int) -> str:
    return f"http://{in_url(host)}:{port}"


def in_url(host: str) -> str:
    return f"[{host}]" if ":" in host else host


def outward_address(listening: str) -> str | None:
    """Return the machine's address on its network, or None.

    Connecting a datagram socket sends nothing, it only queries the routing table, here for an
    address reserved for documentation.
    """
    six = listening == "::"
    family, far = (socket.AF_INET6, "2001:db8::1") if six else (socket.AF_INET, "192.0.2.1")
    with suppress(OSError), socket.socket(family, socket.SOCK_DGRAM) as probe:
        probe.connect((far, 9))
        return str(probe.getsockname()[0])
    return None


def own_addresses() -> list[str]:
    with suppress(OSError):
        return [str(found[4][0]) for found in socket.getaddrinfo(socket.gethostname(), None)]
    return []
