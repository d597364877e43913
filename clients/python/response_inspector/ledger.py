"""Counts what became of each call. Nothing is lost without being counted."""

from __future__ import annotations

import threading
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import Enum


@dataclass(frozen=True)
class Counts:
    """At any moment ``called = open + waiting + sent + spooled + dropped``."""

    called: int = 0
    """Calls to be captured that have begun."""
    open: int = 0
    """Their answer is still coming, or nobody has read it to its end or closed it."""
    waiting: int = 0
    """Ended, and to be sent."""
    sent: int = 0
    """Stored, as the server said."""
    spooled: int = 0
    """Written to the folder ``spool``, to be sent later, by this or another process."""
    dropped: int = 0
    """Not captured, for the reasons in ``dropped_because``."""
    skipped: int = 0
    """Not in ``called``: outside the sample, or calls that ask for no completion."""
    sent_from_spool: int = 0
    """Not in ``called``: sent from the folder ``spool``, whoever wrote them there."""
    dropped_because: Mapping[str, int] = field(default_factory=dict)

    def __add__(self, other: Counts) -> Counts:
        return Counts(
            self.called + other.called,
            self.open + other.open,
            self.waiting + other.waiting,
            self.sent + other.sent,
            self.spooled + other.spooled,
            self.dropped + other.dropped,
            self.skipped + other.skipped,
            self.sent_from_spool + other.sent_from_spool,
            Counter(self.dropped_because) + Counter(other.dropped_because),
        )


class Fate(Enum):
    SENT = "sent"
    SPOOLED = "spooled"
    DROPPED = "dropped"


class Reason:
    """Why calls are dropped, as ``Counts.dropped_because`` names them."""

    QUEUE_FULL = "the queue is full"
    SPOOL_FULL = "the spool is full"
    KEY_REFUSED = "the server refuses the key"
    REFUSED = "the server refuses the capture"
    TOO_LARGE = "larger than the server takes"
    NOT_RECORDED = "could not be recorded"
    EXIT = "the program ended first"


NOT_NOW = "the server does not take them now"
"""Calls wait, or go to the spool; told like the reasons."""


class Ledger:
    """The lock may be taken again by the thread that has it: a garbage collection inside may close
    an answer, which ends its call. Between reading a number and writing it back nothing is called,
    so nothing is lost then either.
    """

    def __init__(self, max_calls: int, max_bytes: int) -> None:
        self._max_calls = max_calls
        self._max_bytes = max_bytes
        self._settled = threading.Condition(threading.RLock())
        self._called = self._open = self._waiting = self._waiting_bytes = 0
        self._sent = self._spooled = self._dropped = self._skipped = self._sent_from_spool = 0
        self._dropped_because: dict[str, int] = {}

    # -- by the threads that call ------------------------------------------------------------------

    def skip(self) -> None:
        with self._settled:
            self._skipped += 1

    def begin(self) -> None:
        with self._settled:
            self._called += 1
            self._open += 1

    def arrive(self, size: int) -> bool:
        """Take note that a call has ended, with ``size`` bytes to be kept. False where it had to be
        dropped.
        """
        with self._settled:
            self._open -= 1
            if self._waiting < self._max_calls and self._waiting_bytes + size <= self._max_bytes:
                self._waiting += 1
                self._waiting_bytes += size
                return True
            self._drop(1, Reason.QUEUE_FULL)
            return False

    def abandon(self) -> None:
        """Note that a call that is open could not be recorded."""
        with self._settled:
            self._open -= 1
            self._drop(1, Reason.NOT_RECORDED)

    # -- by the thread that sends ------------------------------------------------------------------

    def settle(self, fate: Fate, calls: int, size: int, reason: str = "") -> None:
        """Count what became of calls that were waiting, ``size`` bytes of them."""
        with self._settled:
            self._waiting -= calls
            self._waiting_bytes -= size
            if fate is Fate.SENT:
                self._sent += calls
            elif fate is Fate.SPOOLED:
                self._spooled += calls
            else:
                self._drop(calls, reason)
            self._settled.notify_all()

    def _drop(self, calls: int, reason: str) -> None:
        self._dropped += calls
        if reason not in self._dropped_because:
            self._dropped_because[reason] = 0
        self._dropped_because[reason] += calls

    def send_from_spool(self, calls: int) -> None:
        with self._settled:
            self._sent_from_spool += calls
            self._settled.notify_all()

    # -- by anybody --------------------------------------------------------------------------------

    def wait_until_settled(self, timeout: float) -> bool:
        """Return False where calls still wait after ``timeout`` seconds."""
        with self._settled:
            return self._settled.wait_for(lambda: self._waiting == 0, timeout)

    def counts(self) -> Counts:
        with self._settled:
            return Counts(
                self._called,
                self._open,
                self._waiting,
                self._sent,
                self._spooled,
                self._dropped,
                self._skipped,
                self._sent_from_spool,
                dict(self._dropped_because),
            )
