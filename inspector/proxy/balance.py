"""The balance of calls that were to be recorded: none is lost without being counted.

``proxied = open + spooled + recorded + missed + omitted``, where ``open`` and ``spooled`` are ids,
the others counts. An id moves on at most once into each state, whatever is repeated or
comes late.
"""

import time
from collections.abc import Collection, Iterable
from dataclasses import dataclass, field
from uuid import UUID


@dataclass(slots=True)
class Balance:
    proxied: int = 0
    recorded: int = 0
    missed: int = 0
    omitted: int = 0
    other: int = 0
    """Calls that are no completions, outside of the sum, as those of paused keys."""
    paused: int = 0
    open: set[UUID] = field(default_factory=set)
    spooled: dict[UUID, float] = field(default_factory=dict)
    """With the moment since when, the oldest first."""
    lost: set[UUID] = field(default_factory=set)
    """Those of ``open`` that an earlier recorder was to spool: the next says whether it did."""

    @property
    def oldest_spooled_seconds(self) -> float:
        since = next(iter(self.spooled.values()), None)
        return 0.0 if since is None else time.monotonic() - since

    def begin(self, call: UUID) -> None:
        self.proxied += 1
        self.open.add(call)

    def spool(self, calls: Iterable[UUID]) -> None:
        for call in calls:
            if call in self.open:
                self._leave(call)
                self.spooled[call] = time.monotonic()

    def record(self, calls: Iterable[UUID]) -> None:
        self.recorded += sum(self._leave(call) for call in calls)

    def omit(self, calls: Iterable[UUID]) -> None:
        self.omitted += sum(self._leave(call) for call in calls)

    def miss(self, calls: Iterable[UUID]) -> None:
        self.missed += sum(self._leave(call) for call in calls)

    def lose_recorder(self, untold: Collection[UUID]) -> None:
        """Note that the recorder is gone. It knew of all open calls but the untold ones."""
        self.lost |= self.open.difference(untold)

    def adopt(self, calls: Collection[UUID]) -> None:
        """Take over the calls that the next recorder found in the spool. A spooled call that it
        did not find was stored; a lost one is missed.
        """
        missing = self.spooled.keys() - calls
        lost, self.lost = self.lost, set()
        self.spool(lost.intersection(calls))
        self.miss(lost.difference(calls))
        self.record(missing)

    def _leave(self, call: UUID) -> bool:
        """Return True if the call was still on its way."""
        was_here = call in self.open or call in self.spooled
        self.open.discard(call)
        self.spooled.pop(call, None)
        self.lost.discard(call)
        return was_here
