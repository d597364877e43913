"""How many captures are deleted in one transaction, and how long nobody deletes after it.

SQLite has one writer, and who waits for it asks again every few milliseconds, up to a tenth of a
second: a transaction that follows at once would always come first, and intake never.
"""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import contextmanager

TRANSACTION_SECONDS = 0.15
"""What a transaction is to take, about."""
REST_SHARE = 1.0
MIN_REST_SECONDS = 0.02
FIRST, FEWEST, MOST = 50, 25, 500
"""Captures. Of very few most of the time goes into statements that are the same for any number."""


class DeletionPace:
    """Learns from each transaction how many captures the next one may delete."""

    def __init__(self) -> None:
        self._size = FIRST
        self._taken = 0.0

    def size(self, most: int = MOST) -> int:
        return min(self._size, most)

    @contextmanager
    def transaction(self, captures: int) -> Iterator[None]:
        """Measures what is done in it; the time of one that fails teaches nothing."""
        began = time.monotonic()
        yield
        self.learn(captures, time.monotonic() - began)

    def learn(self, captures: int, seconds: float) -> None:
        self._taken = seconds
        if captures:
            fitting = int(captures * TRANSACTION_SECONDS / max(seconds, 0.001))
            # Of few captures little is learnt about many.
            self._size = max(FEWEST, min(fitting, 2 * captures, MOST))

    @property
    def rest_seconds(self) -> float:
        return max(MIN_REST_SECONDS, self._taken * REST_SHARE)

    def rest(self) -> None:
        time.sleep(self.rest_seconds)
