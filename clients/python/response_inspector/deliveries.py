"""The deliveries of this process: one for each server, key and spool, ended with the program."""

from __future__ import annotations

import atexit
import os
import threading
from functools import reduce
from operator import add
from pathlib import Path

from response_inspector import delivery
from response_inspector.delivery import Delivery
from response_inspector.ledger import Counts
from response_inspector.spool import Spool

_Place = tuple[str, str, str]
_deliveries: dict[_Place, Delivery] = {}
_lock = threading.Lock()


def delivery_to(url: str, key: str, spool: str = "") -> Delivery:
    """Raise ``ValueError`` for an address that is none."""
    place = (url, key, spool)
    with _lock:
        if place not in _deliveries:
            _deliveries[place] = Delivery(url, key, Spool(Path(spool)) if spool else None)
        return _deliveries[place]


def counts() -> Counts:
    """Return counts of what became of the calls of this process."""
    return reduce(add, (each.counts() for each in list(_deliveries.values())), Counts())


def flush(timeout: float = 5.0) -> bool:
    """Wait until everything that has ended is sent, spooled or dropped.

    False where some of it still waits after ``timeout`` seconds, for each server. For programs
    that end without running their exit handlers, such as a function that is frozen between calls.
    """
    return all([each.flush(timeout) for each in list(_deliveries.values())])


def close(timeout: float | None = None) -> None:
    for each in list(_deliveries.values()):
        each.close(delivery.EXIT_SECONDS if timeout is None else timeout)


def _begin_anew() -> None:
    global _lock
    _lock = threading.Lock()
    for each in list(_deliveries.values()):
        each.begin_anew()


atexit.register(close)
if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_begin_anew)
