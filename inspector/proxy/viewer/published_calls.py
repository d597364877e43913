"""Calls recorded on this host that are watched on others."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from uuid import UUID

from inspector.proxy.viewer.followed_file import FollowedFile, follow
from inspector.proxy.viewer.relay import CallPublished, CallWanted, Relay

WANTED_SECONDS = 6.0
"""So long after it was last asked for a call is published: thrice what is between questions."""
MAX_CALLS = 200
PIECE_BYTES = 512 * 1024
"""Of one message; one a round, so that nobody has to keep much of what a listener takes slowly."""


@dataclass(slots=True)
class _PublishedCall:
    file: FollowedFile
    end: int
    """What is before it is published."""
    wanted_at: float
    is_answered: bool = False
    """Who asked has heard something, if only that there is nothing new."""


class PublishedCalls:
    def __init__(
        self,
        root: Path,
        relay: Relay,
        monotonic: Callable[[], float],
        wall: Callable[[], float],
    ) -> None:
        self._root = root
        self._relay = relay
        self._clock = monotonic
        self._wall = wall
        self._calls: dict[UUID, _PublishedCall] = {}

    def __len__(self) -> int:
        return len(self._calls)

    def take(self, wanted: CallWanted) -> None:
        """Notes that a viewer wants a call: any viewer, this one included, which has the file and
        needs no other source.
        """
        known = self._calls.get(wanted.call)
        if known is None:
            known = self._begin(wanted)
        if known is not None:
            known.wanted_at = self._clock()
            known.end = min(known.end, wanted.start)
            known.is_answered = False

    def publish(self) -> None:
        for call, known in list(self._calls.items()):
            if self._clock() - known.wanted_at > WANTED_SECONDS:
                self._end(call)
            else:
                self._publish(call, known)

    def _begin(self, wanted: CallWanted) -> _PublishedCall | None:
        file = None if len(self._calls) >= MAX_CALLS else follow(self._root, wanted.call)
        if file is None:
            return None
        began = _PublishedCall(file, wanted.start, self._clock())
        self._calls[wanted.call] = began
        return began

    def _publish(self, call: UUID, known: _PublishedCall) -> None:
        # Before the data: what is added in between is told to be older than it is, not newer.
        age_us = max(0, int((self._wall() - known.file.written_at) * 1e6))
        data = known.file.read(known.end, PIECE_BYTES)
        if data or not known.is_answered:
            self._relay.publish(CallPublished(call, known.end, age_us, data))
            known.end += len(data)
            known.is_answered = True

    def _end(self, call: UUID) -> None:
        self._calls.pop(call).file.close()
