"""Many calls at once while what stores them is killed again and again: the account stays true."""

import os
import signal
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from http.client import HTTPException
from threading import Event

from tests.faults.proxied.breaks.outages import no_database
from tests.faults.proxied.breaks.stops import CUT_SHORT, HeldCall, kill_both, stopped
from tests.faults.proxied.ledger import ENDED, STOPPED, Expected
from tests.faults.proxied.rows import proxy_row
from tests.faults.proxied.stack import ProxyStack
from tests.faults.stacks import EMBEDDED, PRODUCTION, wait_until

CALLERS = 6
STRIKES = 3
CALLS_BETWEEN = 15
AGAIN_SECONDS = 0.05
WHATEVER = Expected(
    (ENDED, STOPPED), ("complete", *CUT_SHORT), is_exact=False, may_be_missed=True, any_status=True
)


@contextmanager
def calls_without_end(stack: ProxyStack, name: str, expected: Expected) -> Iterator[list[bool]]:
    """Yield a list that grows by each call that is through, and says whether it came whole."""
    stopped, through = Event(), []

    def keep_calling() -> None:
        while not stopped.is_set():
            try:
                through.append(stack.make_call(name, expected).is_whole)
            except (OSError, HTTPException):
                through.append(False)
                stopped.wait(AGAIN_SECONDS)

    with ThreadPoolExecutor(CALLERS) as pool:
        calling = [pool.submit(keep_calling) for _ in range(CALLERS)]
        try:
            yield through
        finally:
            stopped.set()
    for each in calling:
        each.result()


def more_come(through: list[bool]) -> None:
    until = len(through) + CALLS_BETWEEN
    wait_until(lambda: len(through) >= until, "calls go on")


def kept(stack: ProxyStack, name: str) -> int:
    return sum(each.key.startswith(f"{name}-") for each in stack.captured())


@proxy_row("L-recorder", PRODUCTION, EMBEDDED)
def the_recorder_is_killed_again_and_again_under_load(stack: ProxyStack) -> None:
    """No call fails; what is said to be recorded is there, what is not there is said to be missed."""
    before = stack.balance()
    with calls_without_end(stack, "load-recorder", WHATEVER) as through:
        for _ in range(STRIKES):
            more_come(through)
            stack.kill_recorder()
        more_come(through)
    assert all(through)
    wait_until(stack.is_settled, "every call is recorded")
    after = stack.balance()
    recorded, missed = (after[name] - before[name] for name in ("recorded", "missed"))
    # At most the row's own call before it was still on its way when this began.
    assert kept(stack, "load-recorder") <= recorded <= kept(stack, "load-recorder") + 1
    assert recorded + missed >= len(through)


@proxy_row("L-database", PRODUCTION, EMBEDDED)
def the_database_goes_again_and_again_under_load(stack: ProxyStack) -> None:
    """Nothing is missed."""
    missed = stack.balance()["missed"]
    with calls_without_end(stack, "load-database", Expected()) as through:
        for _ in range(STRIKES):
            more_come(through)
            with no_database(stack):
                more_come(through)
        more_come(through)
    assert all(through)
    wait_until(stack.is_settled, "every call is recorded")
    assert stack.balance()["missed"] == missed
    assert kept(stack, "load-database") % len(through) == 0


@proxy_row("L-proxy", PRODUCTION, EMBEDDED)
def the_proxy_is_killed_again_and_again_under_load(stack: ProxyStack) -> None:
    """Calls on their way are cut; of those told by then each is kept once."""
    with calls_without_end(stack, "load-proxy", WHATEVER) as through:
        for _ in range(STRIKES):
            more_come(through)
            os.kill(stack.leader("proxy"), signal.SIGKILL)
            stack.wait_until_proxy_is_ready()
        more_come(through)
    assert any(through)


@proxy_row("L-lease", PRODUCTION, EMBEDDED)
def nobody_records_until_the_lease_is_over(stack: ProxyStack) -> None:
    """The sweep ends the capture; a recorder that comes later and knows more changes nothing twice."""
    held = HeldCall(stack, "lease", stopped(1))
    held.wait_until_segment_is_stored()
    kill_both(stack)
    held.end()
    wait_until(lambda: not is_recording(stack), "the sweep ends what nobody records")
    stack.release("proxy")
    stack.wait_until_proxy_is_ready()


def is_recording(stack: ProxyStack) -> bool:
    return any(each.state == "recording" for each in stack.captured())
