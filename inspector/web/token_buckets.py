"""Token buckets for rate limits."""

import time
from collections import OrderedDict
from collections.abc import Callable
from dataclasses import dataclass, field
from threading import Lock

REMEMBERED = 10_000
"""A few MB of buckets, whatever addresses and keys strangers make up."""


@dataclass(slots=True)
class TokenBuckets:
    """One bucket of tokens per principal, filled steadily; the longest unused is forgotten."""

    burst_seconds: float
    clock: Callable[[], float] = time.monotonic
    _filled: OrderedDict[object, tuple[float, float]] = field(default_factory=OrderedDict)
    _lock: Lock = field(default_factory=Lock)

    def wait(self, who: object, per_second: float, cost: float = 1.0) -> float:
        """Take what something costs. 0: go on; else the seconds until it can be taken.

        What costs more than a bucket holds is taken from a full one, and owed.
        """
        full = max(1.0, per_second * self.burst_seconds)
        with self._lock:
            tokens = self._tokens(who, per_second, full)
            # More than a bucket holds can never be saved up: a full one is enough, the rest owed.
            wait = max(0.0, (min(cost, full) - tokens) / per_second)
            self._keep(who, tokens - cost if wait == 0 else tokens)
        return wait

    def owe(self, who: object, per_second: float, cost: float) -> None:
        """Take it although it may not be there yet."""
        full = max(1.0, per_second * self.burst_seconds)
        with self._lock:
            self._keep(who, self._tokens(who, per_second, full) - cost)

    def _tokens(self, who: object, per_second: float, full: float) -> float:
        now = self.clock()
        # Taken out and put back, so that the order is that of last use.
        tokens, at = self._filled.pop(who, (full, now))
        return min(full, tokens + (now - at) * per_second)

    def _keep(self, who: object, tokens: float) -> None:
        self._filled[who] = (tokens, self.clock())
        # Bounded, for strangers choose the keys. Who is forgotten has a full bucket again.
        if len(self._filled) > REMEMBERED:
            self._filled.popitem(last=False)
