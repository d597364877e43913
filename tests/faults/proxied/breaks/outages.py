"""P and D as far as they touch the proxy: what it stores with is gone, and calls go on."""

import sqlite3
from collections.abc import Iterator
from contextlib import closing, contextmanager

import pytest

from tests.faults.breaks.machine import fill
from tests.faults.proxied.ledger import Expected
from tests.faults.proxied.rows import proxy_row
from tests.faults.proxied.stack import ProxyStack
from tests.faults.proxied.upstream import EVENTS, UpstreamCall, events
from tests.faults.stacks import EMBEDDED, PRODUCTION, wait_until

CALLS = 12
SMALL_SPOOL_BYTES = 128 * 1024
PADDING = b": " + b"z" * 16_380 + b"\r\n"


@contextmanager
def no_database(stack: ProxyStack) -> Iterator[None]:
    """PostgreSQL is down; SQLite is another program's alone."""
    if stack.name == EMBEDDED:
        with closing(sqlite3.connect(stack.sqlite, isolation_level=None)) as other:
            other.execute("BEGIN EXCLUSIVE")
            yield
            other.execute("ROLLBACK")
        return
    stack.postgresql.close()
    try:
        yield
    finally:
        stack.start_postgresql()


def padded_stream(call: UpstreamCall) -> None:
    call.head("200 OK", f"Content-Type: {EVENTS}")
    call.say(PADDING)
    for event in events(call.key):
        call.say(event)
    call.finish()


def calls_of(stack: ProxyStack, name: str) -> list[str]:
    return [each.key for each in stack.captured() if each.key.startswith(f"{name}-")]


@proxy_row("P2-proxy", PRODUCTION, EMBEDDED)
def the_database_is_down_while_calls_go_on(stack: ProxyStack) -> None:
    """They wait on disk, and are stored in their order."""
    with no_database(stack):
        for _ in range(CALLS):
            assert stack.make_call("p2-down").is_whole
        stack.wait_until_spooled(CALLS)
    wait_until(stack.is_settled, "the spool is drained")
    order = [int(key.rpartition("-")[2]) for key in calls_of(stack, "p2-down")]
    assert order == sorted(order) and len(order) % CALLS == 0


@proxy_row("P2-recorder", PRODUCTION, EMBEDDED)
def the_recorder_is_killed_while_the_database_is_down(stack: ProxyStack) -> None:
    with no_database(stack):
        for _ in range(CALLS):
            stack.make_call("p2-recorder")
        stack.wait_until_spooled(CALLS)
        # What is not asked again within its time to live must not be needed to start.
        stack.kill_recorder()
    stack.wait_until_proxy_is_ready()
    wait_until(stack.is_settled, "the spool is drained")


@proxy_row("D2-bound", PRODUCTION, EMBEDDED)
def the_spool_reaches_its_bound(stack: ProxyStack) -> None:
    """Calls pass; those that are not kept are counted."""
    name = "d2-bound"
    with stack.proxy_with(INSPECTOR_PROXY_SPOOL_BYTES=str(SMALL_SPOOL_BYTES)):
        stack.make_call("d2-known")
        with no_database(stack):
            for _ in range(CALLS * 2):
                assert stack.make_call(name, Expected(may_be_missed=True), padded_stream).is_whole
            wait_until(lambda: stack.balance()["missed"], "calls are missed")
        wait_until(stack.is_settled, "the spool is drained")
        counts = stack.balance()
        assert counts["recorded"] and counts["recorded"] + counts["missed"] == CALLS * 2 + 1, counts


@proxy_row("D2-disk", PRODUCTION)
def the_disk_of_the_spool_is_full(stack: ProxyStack) -> None:
    if stack.spool_disk is None:
        pytest.skip("may not mount a file system of its own here")
    ballast = stack.spool_disk / "ballast"
    fill(ballast, left_bytes=0)
    missed = stack.balance()["missed"]
    try:
        for _ in range(CALLS):
            heard = stack.make_call("d2-disk", Expected(may_be_missed=True), padded_stream)
            assert heard.is_whole
        wait_until(lambda: stack.balance()["missed"] > missed, "calls are missed")
    finally:
        ballast.unlink()
    wait_until(stack.is_settled, "the rest is recorded")
    stack.make_call("d2-after")
