"""Every row of the proxy has one shape: calls go through it, one thing breaks, everything settles,
and then what callers and upstream know is compared with the archive, call by call.
"""

import time
from collections.abc import Callable
from contextlib import AbstractContextManager
from dataclasses import asdict

import pytest

from tests.faults.form import Form
from tests.faults.proxied.checking import check
from tests.faults.proxied.rows import ProxyRow
from tests.faults.proxied.stack import ProxyStack
from tests.faults.report import PROPERTY, Run
from tests.faults.stacks import wait_until


def test_no_call_suffers_and_every_one_is_accounted_for(
    proxy_row: ProxyRow,
    stack_name: str,
    open_proxy: Callable[[str], AbstractContextManager[ProxyStack]],
    form: Form,
    request: pytest.FixtureRequest,
) -> None:
    with open_proxy(stack_name) as stack:
        called = len(stack.calls.expected)
        assert stack.make_call("before").is_whole
        # What ended a moment ago may not have been told to the recorder yet.
        wait_until(stack.is_settled, "it is recorded")
        broke_at = time.monotonic()
        proxy_row.strike(stack)
        assert stack.make_call("after").is_whole
        wait_until(stack.is_settled, "every call is recorded", form.settled_within_seconds)
        wait_until(lambda: stack.pending() == 0, "everything settles", form.settled_within_seconds)
        recovery_seconds = time.monotonic() - broke_at
        outcome = check(stack)
        wait_until(lambda: stack.sockets() <= stack.idle_sockets, "no socket is left behind")
        called = len(stack.calls.expected) - called
        run = Run(
            proxy_row.name, stack.name, called, outcome.lost, outcome.doubled, recovery_seconds
        )
        request.node.user_properties.append((PROPERTY, asdict(run)))
        assert not outcome.complaints
