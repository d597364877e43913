"""Every row has one shape: captures come in, one thing breaks, everything settles, and then the
sender's ledger is compared with the archive, id by id.
"""

import time
from collections.abc import Callable
from contextlib import AbstractContextManager
from dataclasses import asdict

import pytest

from tests.faults.checking import check
from tests.faults.form import Form
from tests.faults.report import PROPERTY, Run
from tests.faults.rows import Row
from tests.faults.stacks import Stack, wait_until

BEFORE = 3
AFTER = 3


def test_nothing_is_lost_nothing_is_invented(
    row: Row,
    stack_name: str,
    open_stack: Callable[[str], AbstractContextManager[Stack]],
    form: Form,
    request: pytest.FixtureRequest,
) -> None:
    with open_stack(stack_name) as stack:
        acknowledged = stack.sender.ledger.acknowledged
        recovery_seconds = struck(row, stack, form)
        outcome = check(stack)
        acknowledged = stack.sender.ledger.acknowledged - acknowledged
        run = Run(
            row.name, stack.name, acknowledged, outcome.lost, outcome.doubled, recovery_seconds
        )
        # Not by ``record_property``: alone, without other workers, it refuses this kind of report.
        request.node.user_properties.append((PROPERTY, asdict(run)))
        assert not outcome.complaints


def struck(row: Row, stack: Stack, form: Form) -> float:
    """How long it took from the break until nothing waits any more, and nobody works on anything."""
    sender, ledger = stack.sender, stack.sender.ledger

    def come_in(count: int) -> None:
        until = ledger.acknowledged + count
        wait_until(lambda: ledger.acknowledged >= until, "captures are acknowledged")

    with sender.steadily(form.per_second):
        come_in(BEFORE)
        broke_at = time.monotonic()
        row.strike(stack)
        stack.pay()
        come_in(AFTER)
    wait_until(
        lambda: stack.pending() == 0, "everything settles", seconds=form.settled_within_seconds
    )
    return time.monotonic() - broke_at
