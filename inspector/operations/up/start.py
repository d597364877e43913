"""Runs ``up``: prepares the data directory, starts all programs, and shuts them down."""

import os
import sqlite3
import time
import webbrowser
from collections.abc import Callable, Collection, Iterator
from contextlib import contextmanager, suppress
from functools import partial
from pathlib import Path
from typing import TypeVar

import django
from django.conf import settings

from inspector.loading import loading
from inspector.logs.line_format import line_of
from inspector.operations import data_dir
from inspector.operations.operator_error import OperatorError
from inspector.operations.up import last_start, programs
from inspector.operations.up.address import ListenAddress, UpAddresses
from inspector.operations.up.apart import apart
from inspector.operations.up.supervisor import Supervisor, open_log
from inspector.operations.up.welcome import FirstStart, welcome_text

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

    def prepare(step: Say) -> FirstStart | None:
        return apart(partial(first_preparation, step, with_proxy=proxy is not None))

    with started(addresses, prepare, say) as (supervisor, first):
        if supervisor.is_ending:
            return
        say(welcome_text(addresses, first))
        if opens and (path := apart(sign_in_path)):
            webbrowser.open(web.near_url + path)
        supervisor.run()
        say("Ending; what is begun is finished first. Ctrl-C again ends at once.")


@contextmanager
def started(
    addresses: UpAddresses,
    prepare: Callable[[Say], Begun],
    say: Say,
    awaited: Collection[str] = ("web", "proxy"),
) -> Iterator[tuple[Supervisor, Begun | None]]:
    """Within the block all programs run and the ``awaited`` ones answer, unless the end was
    requested meanwhile. ``prepare`` makes what they need, unless it is
    there from the last time.
    """
    if data_dir.prepare():
        say(f"{settings.DATA_DIR} was open to others; now it is its owner's alone (mode 700).")
    lock = data_dir.lock_data_dir(addresses.origin)
    addresses.require_free()
    say("Starting Response Inspector …")
    step = steps(say)
    write_files(addresses)
    as_it_was = settings.IS_EMBEDDED and last_start.still_stands()
    begun = None if as_it_was else prepare(step)
    close_archive()
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
    if settings.IS_EMBEDDED:
        with suppress(sqlite3.Error), last_start.opened_archive() as archive:
            archive.execute("PRAGMA wal_checkpoint(TRUNCATE)")


def chosen(origin: str) -> str:
    return os.environ.get(origin, "").strip().rstrip("/")


def write_files(addresses: UpAddresses) -> None:
    data_dir.ensure_secret_key()
    data_dir.write_private(Path(settings.DATA_DIR) / "origin", addresses.origin)
    data_dir.write_private(Path(settings.DATA_DIR) / "proxy_origin", addresses.proxy_origin)


def first_preparation(step: Say, *, with_proxy: bool) -> FirstStart | None:
    with loading():
        django.setup()
        from inspector.operations.up.preparation import first_start, prepare

    return prepare(partial(first_start, with_proxy=with_proxy), step)


def sign_in_path() -> str:
    with loading():
        django.setup()
        from inspector.operations.up.preparation import new_sign_in_path

    return new_sign_in_path()


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
