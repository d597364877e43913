"""How many captures are deleted in one transaction, and how long nobody deletes after it.

SQLite has one writer, and who waits for it asks again every few milliseconds, up to a tenth of a
second: a transaction that follows at once would always come first, and intake never. PostgreSQL
locks the rows that go, for which intake does not wait; only what is counted of the same team does.
"""

import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import NamedTuple

from inspector.database.portability import has_one_writer

MIN_REST_SECONDS = 0.02
"""Some of the looks of whoever waits for the lock come within it."""
MOST = 500
"""Captures in one transaction."""


class PaceBounds(NamedTuple):
    transaction_seconds: float
    """Time that a transaction is to take, about."""
    rest_share: float
    """Rest between transactions, as a share of the time that the last one took."""
    first: int
    fewest: int
    """Captures. Of very few, most of the time goes into statements that are the same for any."""


# Everybody waits: a third of the time is for deleting.
ONE_WRITER = PaceBounds(transaction_seconds=0.05, rest_share=2.0, first=15, fewest=10)
# Those alone wait who change the same rows.
ROW_LOCKS = PaceBounds(transaction_seconds=0.3, rest_share=0.3, first=50, fewest=25)


class DeletionPace:
    """Learns from each transaction how many captures the next one may delete."""

    def __init__(self) -> None:
        self._fitting: int | None = None
        self._taken = 0.0

    @property
    def bounds(self) -> PaceBounds:
        return ONE_WRITER if has_one_writer() else ROW_LOCKS

    def size(self, most: int = MOST) -> int:
        return min(self._fitting or self.bounds.first, most)

    @contextmanager
    def transaction(self, captures: int) -> Iterator[None]:
        """Measure what is done in it; the time of one that fails teaches nothing."""
        began = time.monotonic()
        yield
        self.learn(captures, time.monotonic() - began)

    def learn(self, captures: int, seconds: float) -> None:
        self._taken = seconds
        if captures:
            fitting = int(captures * self.bounds.transaction_seconds / max(seconds, 0.001))
            # Of few captures little is learnt about many.
            self._fitting = max(self.bounds.fewest, min(fitting, 2 * captures, MOST))

    @property
    def rest_seconds(self) -> float:
        return max(MIN_REST_SECONDS, self._taken * self.bounds.rest_share)

    def rest(self) -> None:
        time.sleep(self.rest_seconds)
