"""Somebody who watches a running answer, and what they still have to be sent.

One message is on its way at a time; who takes slowly gets more with the next one, and nothing is
kept for them but how far they have come.
"""

from __future__ import annotations

from collections.abc import Callable
from enum import StrEnum

from inspector.archive.watch_token import WatchPermit
from inspector.proxy.outbox import Outbox
from inspector.proxy.viewer.live_reading import LiveReading, WatchPosition
from inspector.proxy.viewer_messages import MAX_DATA_BYTES, ViewerMessage, WatchData

KEEP_ALIVE_SECONDS = 10.0
"""Below what proxies on the way take for a dead connection."""
KEEP_ALIVE = b":\n\n"
END = b"event: end\ndata: {}\n\n"


class LostReason(StrEnum):
    """Why a live view ends before the recording does."""

    NO_ACCESS = "no-access"
    """The session or the membership has ended, or the capture was deleted."""
    UNCONFIRMED = "unconfirmed"
    """The database has not said for too long whether there still is access."""
    TOO_MUCH = "too-much"
    """More is being watched than this viewer may hold in memory."""
    FAILED = "failed"
    """The viewer could not read it."""
    VIEWER_ENDED = "viewer-ended"
    STOPPING = "stopping"
    """The proxy is asked to end."""


def lost_event(reason: LostReason) -> bytes:
    return b'event: lost\ndata: {"reason":"%b"}\n\n' % reason.encode()


class Watcher:
    def __init__(
        self,
        number: int,
        permit: WatchPermit,
        outbox: Outbox[ViewerMessage],
        clock: Callable[[], float],
    ) -> None:
        """``clock`` is monotonic, in seconds."""
        self.number = number
        self.permit = permit
        self.confirmed_at = self.checked_at = clock()
        """When access was there, and when it was last asked for."""
        self.is_done = False
        """The last message is sent."""
        self._outbox = outbox
        self._clock = clock
        self._position: WatchPosition | None = None
        self._unsent = memoryview(b"")
        self._is_waiting = False
        """For the word that what was sent is taken."""
        self._sent_at = clock()
        self._ending: bytes | None = None
        self._is_lost = False
        self._is_at_end = False

    def take(self) -> None:
        """Notes that the message that was sent has been taken."""
        self._is_waiting = False

    def end(self) -> None:
        """The recording has ended: what there is of it is the last."""
        self._ending = self._ending or END

    def lose(self, reason: LostReason) -> None:
        """Ends the stream with the rest of the event that was begun, and the reason."""
        self._is_lost = True
        self._ending = lost_event(reason)

    def send(self, live: LiveReading) -> None:
        """Sends what there is, if what was sent before is taken."""
        if self._is_waiting or self.is_done:
            return
        if not self._unsent:
            self._unsent = memoryview(self._next(live))
        if not self._unsent and self._clock() - self._sent_at >= KEEP_ALIVE_SECONDS:
            self._unsent = memoryview(KEEP_ALIVE)
        if self._unsent:
            self._send_piece()

    def _next(self, live: LiveReading) -> bytes:
        found = None if self._is_lost else live.since(self._position)
        if found is not None:
            self._position, body = found
            return b'event: append\ndata: {"now_us":%d,%b\n\n' % (live.now_us, body[1:])
        if self._ending is None:
            return b""
        self._is_at_end = True
        return self._ending

    def _send_piece(self) -> None:
        piece, self._unsent = self._unsent[:MAX_DATA_BYTES], self._unsent[MAX_DATA_BYTES:]
        self.is_done = self._is_at_end and not self._unsent
        self._outbox.send(WatchData(self.number, bytes(piece), self.is_done))
        self._is_waiting = True
        self._sent_at = self._clock()
