"""All live views of this viewer, looked after by one thread.

Each call is read once, however many watch it; while nobody watches, the thread sleeps.
"""

from __future__ import annotations

import logging
import time
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from queue import Empty, SimpleQueue
from typing import Any
from uuid import UUID

from inspector.proxy.outbox import Outbox
from inspector.proxy.viewer.live_archive import (
    AccessChecked,
    ArchiveNews,
    CheckAccess,
    LiveArchive,
    OpenToken,
    StoredFetched,
    TokenOpened,
    TokenRefused,
)
from inspector.proxy.viewer.published_calls import PublishedCalls
from inspector.proxy.viewer.relay import (
    CallPublished,
    CallWanted,
    ListeningBegun,
    Relay,
    RelayNews,
)
from inspector.proxy.viewer.watched_call import WatchedCall
from inspector.proxy.viewer.watcher import LostReason, Watcher
from inspector.proxy.viewer_messages import (
    ViewerMessage,
    WatchAsked,
    WatchBegun,
    WatchEnded,
    WatchRefusal,
    WatchRefused,
    WatchTaken,
)

POLL_SECONDS = 0.05
CHECK_SECONDS = 15.0
"""Between two looks whether a watcher still has access."""
UNCONFIRMED_SECONDS = 60.0
"""So long a watcher goes on while the database does not say."""
MAX_WATCHERS_OF_USER = 20
MAX_READ_BYTES = 64 * 1024 * 1024
"""Of all answers that are watched: two of the longest. What is made of them takes some times as
much memory.
"""

StreamNews = WatchAsked | WatchTaken | WatchEnded | ArchiveNews | RelayNews

_LOGGER = logging.getLogger(__name__)


class LiveStreams:
    """``connect_relay`` is given where to tell what it hears; None where there is one host."""

    def __init__(
        self,
        outbox: Outbox[ViewerMessage],
        root: Path,
        connect_relay: Callable[[Callable[[RelayNews], None]], Relay] | None = None,
        clock: Callable[[], float] = time.monotonic,
        wall: Callable[[], float] = time.time,
    ) -> None:
        self._outbox = outbox
        self._root = root
        self._clock = clock
        self._wall = wall
        self._news: SimpleQueue[StreamNews] = SimpleQueue()
        self.archive = LiveArchive(self.tell, clock)
        self._relay = connect_relay(self.tell) if connect_relay is not None else None
        self._publishing = (
            PublishedCalls(root, self._relay, clock, wall) if self._relay is not None else None
        )
        self._asking: set[int] = set()
        """Watchers of whom it is not known yet whether they may watch."""
        self._handlers: dict[type[StreamNews], Callable[[Any], None]] = {
            WatchAsked: self._ask,
            WatchTaken: self._take_taken,
            WatchEnded: self._end,
            TokenOpened: self._begin,
            TokenRefused: self._refuse,
            AccessChecked: self._take_access,
            StoredFetched: self._take_stored,
            CallWanted: self._take_wanted,
            CallPublished: self._take_published,
            ListeningBegun: self._begin_listening,
        }
        self._calls: dict[UUID, WatchedCall] = {}
        self._watchers: dict[int, Watcher] = {}

    def tell(self, news: StreamNews) -> None:
        """May be called from any thread."""
        self._news.put(news)

    def run(self) -> None:
        """Serves all watchers for ever."""
        while True:
            try:
                self._take_news()
                self.tick()
            except Exception:
                # Of one message; the others go on.
                _LOGGER.exception("live views had trouble")

    def _take_news(self) -> None:
        """Waits until something is to be done."""
        try:
            self.take(self._news.get(timeout=self._patience()))
            while True:
                self.take(self._news.get_nowait())
        except Empty:
            return

    def _patience(self) -> float | None:
        if any(call.has_more for call in self._calls.values()):
            return 0.0
        return POLL_SECONDS if self._calls or self._publishing else None

    def tick(self) -> None:
        """Sends everybody what is new."""
        if self._publishing is not None:
            self._publishing.publish()
        self._check_access()
        for call in list(self._calls.values()):
            try:
                self._advance(call)
            except Exception:
                # Of this one; the others go on.
                _LOGGER.exception("a call cannot be watched")
                self._give_up(call, LostReason.FAILED)

    # -- news -------------------------------------------------------------------------------------

    def take(self, news: StreamNews) -> None:
        self._handlers[type(news)](news)

    def _ask(self, asked: WatchAsked) -> None:
        self._asking.add(asked.number)
        self.archive.ask(OpenToken(asked.number, asked.token))

    def _take_taken(self, taken: WatchTaken) -> None:
        if watcher := self._watchers.get(taken.number):
            watcher.take()

    def _end(self, ended: WatchEnded) -> None:
        self._asking.discard(ended.number)
        self._drop(ended.number)

    def _take_stored(self, stored: StoredFetched) -> None:
        if call := self._calls.get(stored.capture_id):
            call.take_stored(stored)

    def _take_wanted(self, wanted: CallWanted) -> None:
        if self._publishing is not None:
            self._publishing.take(wanted)

    def _take_published(self, published: CallPublished) -> None:
        call = self._calls.get(published.call)
        if call is not None and not call.is_here and self._relay is not None:
            call.take_published(published, self._relay)

    def _begin_listening(self, begun: ListeningBegun) -> None:
        call = self._calls.get(begun.call)
        if call is not None and not call.is_here and self._relay is not None:
            call.ask_others(self._relay)

    # -- watchers ---------------------------------------------------------------------------------

    def _begin(self, opened: TokenOpened) -> None:
        permit = opened.permit
        watching = Counter(each.permit.user_id for each in self._watchers.values())
        if opened.number not in self._asking:
            return
        if watching[permit.user_id] >= MAX_WATCHERS_OF_USER:
            self._refuse(TokenRefused(opened.number, WatchRefusal.TOO_MANY_OF_USER))
            return
        self._asking.discard(opened.number)
        watcher = Watcher(opened.number, permit, self._outbox, self._clock)
        call = self._call(permit.capture_id)
        if not opened.is_recording:
            call.reading.is_ended = True
        self._watchers[watcher.number] = call.watchers[watcher.number] = watcher
        self._outbox.send(WatchBegun(watcher.number, permit.origin))

    def _call(self, capture_id: UUID) -> WatchedCall:
        if capture_id not in self._calls:
            self._calls[capture_id] = WatchedCall(capture_id, self._root, self._clock, self._wall)
            self._listen()
        return self._calls[capture_id]

    def _refuse(self, refused: TokenRefused) -> None:
        if refused.number in self._asking:
            self._asking.discard(refused.number)
            self._outbox.send(WatchRefused(refused.number, refused.code))

    def _drop(self, number: int) -> None:
        watcher = self._watchers.pop(number, None)
        if watcher is None:
            return
        call = self._calls[watcher.permit.capture_id]
        del call.watchers[number]
        if not call.watchers:
            call.close()
            del self._calls[call.id]
            self._listen()

    def _listen(self) -> None:
        if self._relay is not None:
            self._relay.listen([each.id for each in self._calls.values() if not each.is_here])

    # -- access -----------------------------------------------------------------------------------

    def _check_access(self) -> None:
        now = self._clock()
        for watcher in self._watchers.values():
            if now - watcher.confirmed_at > UNCONFIRMED_SECONDS:
                watcher.lose(LostReason.UNCONFIRMED)
            elif now - watcher.checked_at >= CHECK_SECONDS:
                watcher.checked_at = now
                self.archive.ask(CheckAccess(watcher.number, watcher.permit))

    def _take_access(self, checked: AccessChecked) -> None:
        watcher = self._watchers.get(checked.number)
        if watcher is None:
            return
        if checked.has_access:
            watcher.confirmed_at = self._clock()
        elif checked.has_access is False:
            watcher.lose(LostReason.NO_ACCESS)

    # -- calls ------------------------------------------------------------------------------------

    def _advance(self, call: WatchedCall) -> None:
        was_here = call.is_here
        call.poll(self._relay, self.archive.ask)
        if call.is_here is not was_here:
            self._listen()
        if self._read_bytes() > MAX_READ_BYTES:
            self._give_up(call, LostReason.TOO_MUCH)
        elif call.is_ended:
            for watcher in call.watchers.values():
                watcher.end()
        self._send(call)

    def _give_up(self, call: WatchedCall, reason: LostReason) -> None:
        for watcher in call.watchers.values():
            watcher.lose(reason)
        self._send(call)

    def _send(self, call: WatchedCall) -> None:
        for watcher in list(call.watchers.values()):
            watcher.send(call.reading)
            if watcher.is_done:
                self._drop(watcher.number)

    def _read_bytes(self) -> int:
        return sum(each.reading.byte_length for each in self._calls.values())
