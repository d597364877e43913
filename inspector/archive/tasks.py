"""What workers and sweep do: claim, read outside any transaction, store."""

from __future__ import annotations

import logging
import time
from collections.abc import Callable
from datetime import timedelta
from typing import Any

from django.conf import settings

from inspector.archive import claims, evidence, inspection, room
from inspector.archive.doorbell import DRAIN, doorbell
from inspector.archive.memory import bounded
from inspector.archive.models import Capture
from inspector.celery import app
from inspector.core.analysis import Analysis
from inspector.core.exchange import Exchange
from inspector.core.reading import analyze
from inspector.logs import fields

_LOGGER = logging.getLogger(__name__)


@app.task(name=DRAIN)
def drain() -> None:
    """Answer a ring: inspect what is due, and ring again where time ran out."""
    end = time.monotonic() + settings.DRAIN_SECONDS
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
    """Under a lease. Whatever goes wrong is this row's alone, is counted and gets a reason; only a
    full disk is no fault of it.
    """
    began = time.monotonic()
    try:
        exchange = evidence.unpack(capture, capture.evidence)
        analysis = (read or _analyze)(exchange)
        stored = inspection.store(capture, exchange, analysis)
    except Exception as error:
        _LOGGER.exception("an attempt to inspect failed", extra=fields(**_told(capture, began)))
        if room.is_lacking(error):
            claims.put_off(capture)
        else:
            claims.give_back(capture, f"{type(error).__name__}: {error}")
        return
    event = "inspected" if stored else "inspected too late, the lease was another's"
    _LOGGER.info(event, extra=fields(**_told(capture, began), verdict=str(analysis.verdict)))


def _analyze(exchange: Exchange) -> Analysis:
    with bounded(settings.WORK_MEMORY_BYTES):
        return analyze(exchange)


def _told(capture: Capture, began: float) -> dict[str, Any]:
    return {
        "capture": str(capture.pk),
        "team": capture.team_id,
        "attempt": capture.attempt,
        "bytes": capture.byte_length,
        "ms": round((time.monotonic() - began) * 1000, 1),
    }
