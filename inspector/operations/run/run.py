"""One run: its key, its command, what came of it."""

import os
import socket
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from datetime import timedelta
from functools import partial
from urllib.parse import urlencode, urlsplit

from django.conf import settings
from django.db import DatabaseError, connections
from django.urls import reverse
from django.utils import timezone

from inspector.configuration.archive_command import archive_command
from inspector.operations import data_dir
from inspector.operations.operator_error import OperatorError
from inspector.operations.run.captured_calls import CapturedCalls
from inspector.operations.run.child import run_child
from inspector.operations.run.routes import Routes
from inspector.operations.run.variables import changed_variables, direct_hosts, with_options
from inspector.operations.up.address import ListenAddress, UpAddresses
from inspector.operations.up.preparation import OWNER, new_sign_in_path, prepare
from inspector.operations.up.start import started
from inspector.teams import keys, team_upstreams
from inspector.teams.access import CAPTURE, Principal, for_team
from inspector.teams.accounts import any_team, create_owner, find_team

HOST = "127.0.0.1"
PORTS = {"http": 80, "https": 443}
Say = Callable[[str], None]
KEY_LIFE = timedelta(days=30)
"""Life of the key of a run that nobody could end."""
PAUSE_SECONDS = 0.2
"""Between two looks whether the last calls are inspected: the shell waits for it."""


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
    with started(addresses, partial(prepare, _begin), say, awaited=("proxy",)) as (supervisor, _):
        if supervisor.is_ending:
            raise KeyboardInterrupt
        yield RunArchive(
            addresses.origin, addresses.proxy_origin, True, supervisor.look_after_children
        )
        supervisor.heed_signals()
        connections.close_all()


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


def run(
    team: str, name: str, command: Sequence[str], *, is_live: bool, is_kept: bool, say: Say
) -> int:
    """Return the command's exit code, below 0 for a signal. Raises ``OperatorError``, only before
    the command starts.
    """
    with run_archive(say) as archive:
        principal = for_team(team)
        if principal is None:
            raise OperatorError(f"There is no team {team}.")
        calls = CapturedCalls(principal, name)
        tell_new = partial(calls.tell_new, say if is_live else lambda line: None)
        with _key_of_run(principal, team, name) as key:
            routes = Routes(archive.proxy_origin, key, team_upstreams.for_principal(principal), say)
            environ = {**os.environ, **_changes(routes)}
            started = with_options(command, os.environ, routes.through)
            say(f"Calls are captured: {_link(archive, team, name)}")
            code = run_child(started, environ, partial(_meanwhile, archive, tell_new))
        with _said(say):
            calls.settle(lambda: time.sleep(PAUSE_SECONDS))
            tell_new(at_once=True)
            say(calls.summary())
            if archive.is_own and is_kept:
                say(f"Kept in {settings.DATA_DIR}: {archive_command('up')} shows it.")
    return code


def _meanwhile(archive: RunArchive, tell_new: Callable[[], None]) -> None:
    archive.look_after()
    with suppress(DatabaseError):
        tell_new()
    connections.close_all()


@contextmanager
def _said(say: Say) -> Iterator[None]:
    """Say what goes wrong after the command's end, for it is not its exit code."""
    try:
        yield
    except DatabaseError as error:
        say(f"The archive does not answer: {error}.")
    except KeyboardInterrupt:
        pass


@contextmanager
def _key_of_run(principal: Principal, team: str, name: str) -> Iterator[str]:
    """Yield a key that works within the block."""
    found, access = find_team(team), principal.team(team)
    assert found is not None and access is not None
    expires_at = timezone.now() + KEY_LIFE
    plain = keys.create_api_key(found, name, (CAPTURE,), expires_at, session=name)
    number = keys.id_of(plain)
    connections.close_all()
    try:
        yield plain
    finally:
        with suppress(DatabaseError):
            keys.revoke_by_id(principal, access, number)


def _changes(routes: Routes) -> Mapping[str, str]:
    return {
        **dict(changed_variables(os.environ, routes.through)),
        **dict(direct_hosts(os.environ, routes.proxy_origin)),
    }


def _link(archive: RunArchive, team: str, name: str) -> str:
    """Return the link to the run's session; into an archive of its own it signs in."""
    path = f"{reverse('dashboard:archive', args=[team])}?{urlencode({'q': f'session:{name}'})}"
    if not archive.is_own:
        return f"{archive.origin}{path}"
    return f"{archive.origin}{new_sign_in_path()}?{urlencode({'next': path})}"
