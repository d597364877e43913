"""The archive that a run's calls go to: the one that is running, or one of its own."""

import socket
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from urllib.parse import urlsplit

from django.conf import settings

from inspector.operations import data_dir
from inspector.operations.command_errors import OperatorError
from inspector.operations.up.address import ListenAddress, UpAddresses
from inspector.operations.up.start import started
from inspector.operations.up.welcome import OWNER
from inspector.teams.accounts import any_team, create_owner

HOST = "127.0.0.1"
PORTS = {"http": 80, "https": 443}


@dataclass(frozen=True, slots=True)
class RunArchive:
    origin: str
    proxy_origin: str
    is_own: bool = False
    """It ends with the run."""
    look_after: Callable[[], None] = lambda: None
    """Starts programs of its own again that have ended."""


@contextmanager
def run_archive(say: Callable[[str], None]) -> Iterator[RunArchive]:
    """Raise ``OperatorError`` where none can be had, ``KeyboardInterrupt`` where the end is
    requested before it is ready.
    """
    if not settings.IS_EMBEDDED or data_dir.is_locked():
        yield _running()
        return
    addresses = _free_addresses()
    # Its pages may answer later: what the program calls is captured by then.
    with started(addresses, _begin, say, awaited=("proxy",)) as (supervisor, _):
        if supervisor.is_ending:
            raise KeyboardInterrupt
        yield RunArchive(
            addresses.origin, addresses.proxy_origin, True, supervisor.look_after_children
        )
        supervisor.heed_signals()


def _running() -> RunArchive:
    if not settings.PROXY_ORIGIN:
        raise OperatorError(f"No proxy runs beside {settings.ORIGIN}: start it with --proxy-port.")
    parts = urlsplit(settings.PROXY_ORIGIN)
    proxy = ListenAddress(parts.hostname or "", parts.port or PORTS[parts.scheme])
    if parts.scheme == "http" and not proxy.is_ready():
        raise OperatorError(f"The proxy at {settings.PROXY_ORIGIN} is not ready.")
    return RunArchive(settings.ORIGIN, settings.PROXY_ORIGIN)


def _begin() -> None:
    if not any_team():
        create_owner(OWNER)


def _free_addresses() -> UpAddresses:
    with socket.create_server((HOST, 0)) as web, socket.create_server((HOST, 0)) as proxy:
        ports = web.getsockname()[1], proxy.getsockname()[1]
    pages, calls = (ListenAddress(HOST, port) for port in ports)
    return UpAddresses(web=pages, origin=pages.url, proxy=calls, proxy_origin=calls.url)
