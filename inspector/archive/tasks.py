"""What workers and sweep do: claim, read outside any transaction, store."""

from __future__ import annotations

import logging
import time
from collections.abc import Callable
from datetime import timedelta

from inspector.archive import claims, evidence, inspection
from inspector.archive.doorbell import DRAIN, doorbell
from inspector.archive.models import Capture
from inspector.celery import app
from inspector.core.analysis import Analysis
from inspector.core.exchange import Exchange
from inspector.core.reading import analyze

DRAIN_SECONDS = 10
"""No claim is begun after this time, so that a whole lease's work fits the task's time limit."""

_LOGGER = logging.getLogger(__name__)


@app.task(name=DRAIN)
def drain() -> None:
    """Answer a ring: inspect what is due, and ring again where time ran out."""
    end = time.monotonic() + DRAIN_SECONDS
    while inspect_due():
        if time.monotonic() > end:
            doorbell.ring()
            return


def inspect_due(
    older_than: timedelta = claims.AT_ONCE, stop: Callable[[], bool] = lambda: False
) -> int:
    """One claim's worth of captures; how many were claimed."""
    claimed = claims.claim(older_than)
    for position, capture in enumerate(claimed):
        if stop():
            claims.give_back_untouched(claimed[position:])
            break
        inspect(capture)
    return len(claimed)


def inspect(capture: Capture, read: Callable[[Exchange], Analysis] | None = None) -> None:
    """Under a lease. Whatever goes wrong is this row's alone, is counted and gets a reason."""
    try:
        exchange = evidence.unpack(capture, capture.evidence)
        inspection.store(capture, exchange, (read or analyze)(exchange))
    except Exception as error:
        _LOGGER.exception("attempt %d to inspect %s failed", capture.attempt, capture.pk)
        claims.give_back(capture, f"{type(error).__name__}: {error}")
