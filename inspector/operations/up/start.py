"""Runs ``up``: prepares the data directory, starts all programs, and shuts them down."""

from __future__ import annotations

import os
import time
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

from django.conf import settings
from django.core.management import call_command
from django.db import DatabaseError, connections

from inspector.database.portability import truncate_wal
from inspector.operations import data_dir
from inspector.operations.command_errors import OperatorError
from inspector.operations.up import programs, welcome
from inspector.operations.up.address import ListenAddress, UpAddresses
from inspector.operations.up.supervisor import Supervisor
from inspector.operations.up.welcome import FirstStart, first_start

READY_WITHIN_SECONDS = 90.0
FAILURES_TO_GIVE_UP = 3
LOG_LINES_SHOWN = 12

Say = Callable[[str], None]


def up(web: ListenAddress, proxy: ListenAddress | None, say: Say) -> None:
    """Prepares the data directory, starts everything, and blocks until asked to end."""
    addresses = UpAddresses(
        web=web,
        origin=chosen("INSPECTOR_ORIGIN") or web.url,
        proxy=proxy,
        proxy_origin=(chosen("INSPECTOR_PROXY_ORIGIN") or proxy.url) if proxy else "",
    )
    if data_dir.prepare():
        say(f"{settings.DATA_DIR} was open to others; now it is its owner's alone (mode 700).")
    lock = data_dir.lock_data_dir(addresses.origin)
    addresses.require_free()
    say("Starting Response Inspector …")
    first = prepare(addresses)
    supervisor = Supervisor(programs.embedded(addresses), say, inherited=[lock])
    supervisor.heed_signals()
    try:
        supervisor.start()
        if wait_until_ready(supervisor, addresses):
            say(welcome.welcome_text(addresses, first))
            supervisor.run()
            say("Ending; what is begun is finished first. Ctrl-C again ends at once.")
    finally:
        supervisor.end()
        close_archive()


def close_archive() -> None:
    """Truncates the log of an archive that nobody has open, so that no deleted data stays in it.

    Errors are ignored, because the next start does the same.
    """
    with suppress(DatabaseError):
        truncate_wal()
    connections.close_all()


def chosen(origin: str) -> str:
    return os.environ.get(origin, "").strip().rstrip("/")


def prepare(addresses: UpAddresses) -> FirstStart | None:
    data_dir.ensure_secret_key()
    data_dir.write_private(Path(settings.DATA_DIR) / "origin", addresses.origin)
    data_dir.write_private(Path(settings.DATA_DIR) / "proxy_origin", addresses.proxy_origin)
    # Assets of pages that this installation does not serve.
    call_command(
        "collectstatic", interactive=False, verbosity=0, ignore_patterns=["rest_framework", "redoc"]
    )
    try:
        call_command("migrate", interactive=False, verbosity=0)
        truncate_wal()
        return first_start(with_proxy=addresses.proxy is not None)
    except DatabaseError as error:
        raise OperatorError(f"Cannot use the archive in {settings.DATA_DIR}: {error}.") from error
    finally:
        connections.close_all()


def wait_until_ready(supervisor: Supervisor, addresses: UpAddresses) -> bool:
    """Waits for web and the proxy; False if the end was requested meanwhile."""
    deadline = time.monotonic() + READY_WITHIN_SECONDS
    while not addresses.is_ready():
        supervisor.look_after_children()
        if supervisor.is_ending:
            return False
        give_up_on_failures(supervisor)
        if time.monotonic() > deadline:
            raise OperatorError(
                f"Not ready after {READY_WITHIN_SECONDS:g} s; see {data_dir.logs()}."
            )
    return True


def give_up_on_failures(supervisor: Supervisor) -> None:
    for child in supervisor.children:
        if child.failures >= FAILURES_TO_GIVE_UP:
            log = child.program.log
            lines = log.read_text(errors="replace").splitlines()[-LOG_LINES_SHOWN:]
            tail = "\n".join(f"  {line}" for line in lines)
            raise OperatorError(f"{child.program.name} does not start; the end of {log}:\n{tail}")
