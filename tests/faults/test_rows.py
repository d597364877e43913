"""Every row has one shape: captures come in, one thing breaks, everything settles, and then the
sender's ledger is compared with the archive, id by id.
"""

from __future__ import annotations

import time
from collections.abc import Callable

from tests.faults.checking import check
from tests.faults.form import Form
from tests.faults.report import Report, Run
from tests.faults.rows import Row
from tests.faults.stacks import Stack, wait_until

BEFORE = 3
AFTER = 3


def test_nothing_is_lost_nothing_is_invented(
    row: Row, stack_name: str, open_stack: Callable[[str], Stack], form: Form, report: Report
) -> None:
    stack = open_stack(stack_name)
    sender, ledger = stack.sender, stack.sender.ledger

    def come_in(count: int) -> None:
        until = ledger.acknowledged + count
        wait_until(lambda: ledger.acknowledged >= until, "captures are acknowledged", 120)

    with sender.steadily(form.per_second):
        come_in(BEFORE)
        broke_at = time.monotonic()
        row.strike(stack)
        stack.pay()
        come_in(AFTER)
    # Nothing waits any more, and nobody works on anything.
    wait_until(
        lambda: stack.pending() == 0, "everything settles", seconds=form.settled_within_seconds
    )
    recovery_seconds = time.monotonic() - broke_at
    outcome = check(stack)
    report.add(Run(row.name, stack.name, outcome, recovery_seconds))
    assert not outcome.complaints
