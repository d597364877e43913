"""Runs ``up``: prepares the data directory, starts all programs, and shuts them down."""

import os
import time
import webbrowser
from collections.abc import Callable, Collection, Iterator
from contextlib import contextmanager, suppress
from functools import partial
from pathlib import Path
from typing import TypeVar

from django.conf import settings
from django.core.management import call_command
from django.db import DatabaseError, connections

from inspector.database.portability import truncate_wal
from inspector.logs.line_format import line_of
from inspector.operations import data_dir
from inspector.operations.command_errors import OperatorError
from inspector.operations.up import programs, welcome
from inspector.operations.up.address import ListenAddress, UpAddresses
from inspector.operations.up.supervisor import Supervisor, open_log
from inspector.operations.up.welcome import first_start

WAITING_SAID_EVERY_SECONDS = 10.0
"""Somebody looks at a terminal on which nothing else happens."""
FAILURES_TO_GIVE_UP = 3
"""A port in use or a broken setting fails each time; one failure may be chance."""
LOG_LINES_SHOWN = 12
"""The end of a traceback, with its message."""

Say = Callable[[str], None]
Begun = TypeVar("Begun")


def up(web: ListenAddress, proxy: ListenAddress | None, say: Say, *, opens: bool) -> None:
    """Prepare the data directory, start everything, and block until asked to end. ``opens``: a
    browser of this machine at a sign-in link, once all answers.
    """
    addresses = UpAddresses(
        web=web,
        origin=chosen("INSPECTOR_ORIGIN") or web.url,
        proxy=proxy,
        proxy_origin=(chosen("INSPECTOR_PROXY_ORIGIN") or proxy.url) if proxy else "",
    )
    begin = partial(first_start, with_proxy=proxy is not None)
    with started(addresses, begin, say) as (supervisor, first):
        if supervisor.is_ending:
            return
        say(welcome.welcome_text(addresses, first))
        if opens and (path := welcome.new_sign_in_path()):
            connections.close_all()
            webbrowser.open(web.near_url + path)
        supervisor.run()
        say("Ending; what is begun is finished first. Ctrl-C again ends at once.")


@contextmanager
def started(
    addresses: UpAddresses,
    begin: Callable[[], Begun],
    say: Say,
    awaited: Collection[str] = ("web", "proxy"),
) -> Iterator[tuple[Supervisor, Begun]]:
    """Within the block all programs run and the ``awaited`` ones answer, unless the end was
    requested meanwhile. ``begin`` puts into a new archive what it needs.
    """
    if data_dir.prepare():
        say(f"{settings.DATA_DIR} was open to others; now it is its owner's alone (mode 700).")
    lock = data_dir.lock_data_dir(addresses.origin)
    addresses.require_free()
    say("Starting Response Inspector …")
    step = steps(say)
    begun = prepare(addresses, begin, step)
    connections.close_all()
    supervisor = Supervisor(programs.embedded(addresses), logged(say), inherited=[lock])
    supervisor.heed_signals()
    try:
        step("programs")
        supervisor.start()
        wait_until_ready(supervisor, addresses, awaited, step)
        yield supervisor, begun
    finally:
        supervisor.end()
        close_archive()


def steps(say: Say) -> Say:
    """Say the name of each step as it begins, behind the seconds since now."""
    started = time.monotonic()
    return lambda name: say(f"{time.monotonic() - started:6.1f} s  {name} …")


def logged(say: Say) -> Say:
    """Events of the programs stand among their logs, too."""

    def say_and_log(line: str) -> None:
        with suppress(OSError), open_log(data_dir.logs() / "supervisor.log") as log:
            log.write(f"{line_of('supervisor', 'warning', line)}\n".encode())
        say(line)

    return say_and_log


def close_archive() -> None:
    """Truncate the log of an archive that nobody has open, so that no deleted data stays in it.

    Errors are ignored, because the next start does the same.
    """
    with suppress(DatabaseError):
        truncate_wal()
    connections.close_all()


def chosen(origin: str) -> str:
    return os.environ.get(origin, "").strip().rstrip("/")


def prepare(addresses: UpAddresses, begin: Callable[[], Begun], step: Say) -> Begun:
    data_dir.ensure_secret_key()
    data_dir.write_private(Path(settings.DATA_DIR) / "origin", addresses.origin)
    data_dir.write_private(Path(settings.DATA_DIR) / "proxy_origin", addresses.proxy_origin)
    step("static files")
    # Assets of pages that this installation does not serve.
    call_command(
        "collectstatic", interactive=False, verbosity=0, ignore_patterns=["rest_framework", "redoc"]
    )
    try:
        step("tables of the archive")
        call_command("migrate", interactive=False, verbosity=0)
        truncate_wal()
        step("team, keys and samples")
        return begin()
    except DatabaseError as error:
        raise OperatorError(f"Cannot use the archive in {settings.DATA_DIR}: {error}.") from error


def wait_until_ready(
    supervisor: Supervisor, addresses: UpAddresses, awaited: Collection[str], step: Say
) -> None:
    """Wait for programs, however slow the machine is, or until the end is requested. What is
    waited for is said now and then.
    """
    said = time.monotonic()
    while late := addresses.not_ready(awaited):
        supervisor.look_after_children()
        if supervisor.is_ending:
            return
        give_up_on_failures(supervisor)
        if time.monotonic() - said > WAITING_SAID_EVERY_SECONDS:
            step(f"still waiting for {' and '.join(late)}, logs in {data_dir.logs()}")
            said = time.monotonic()


def give_up_on_failures(supervisor: Supervisor) -> None:
    for child in supervisor.children:
        if child.failures >= FAILURES_TO_GIVE_UP:
            log = child.program.log
            lines = log.read_text(errors="replace").splitlines()[-LOG_LINES_SHOWN:]
            tail = "\n".join(f"  {line}" for line in lines)
            raise OperatorError(f"{child.program.name} does not start; the end of {log}:\n{tail}")
