"""A call that is watched, and the ways by which its reads come: the spool file of this host, what
another host's viewer publishes, or what the database has.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from uuid import UUID

from inspector.proxy.recorder.record_stream import RecordStream
from inspector.proxy.viewer.followed_file import FollowedFile, follow
from inspector.proxy.viewer.live_archive import FetchStored, StoredFetched
from inspector.proxy.viewer.live_reading import LiveReading, Strand
from inspector.proxy.viewer.relay import CallPublished, Relay
from inspector.proxy.viewer.watcher import Watcher

READ_BYTES = 1 << 20
"""Of a file at a time: other calls have their turn in between."""
ASK_SECONDS = 2.0
"""Between two looks for a call that is recorded elsewhere."""
FIRST_ANSWER_SECONDS = 1.0
"""How long another host is waited for before the database is asked."""
SILENT_SECONDS = 5.0
"""Another host that says nothing for so long is gone, or Redis is."""


class WatchedCall:
    def __init__(
        self,
        call: UUID,
        root: Path,
        monotonic: Callable[[], float],
        wall: Callable[[], float],
    ) -> None:
        self.id = call
        self.reading = LiveReading(wall)
        self.watchers: dict[int, Watcher] = {}
        self.has_more = False
        """There is more in the file than was read at once."""
        self._root = root
        self._clock = monotonic
        self._wall = wall
        self._file: FollowedFile | None = None
        self._records, self._strand = RecordStream(), Strand()
        self._published, self._published_strand = RecordStream(), Strand()
        self._stored_strand, self._segment = Strand(), 0
        self._looked_at: float | None = None
        self._heard_at = monotonic() - SILENT_SECONDS + FIRST_ANSWER_SECONDS
        self._fetched_at: float | None = None
        self._is_fetching = False

    @property
    def is_here(self) -> bool:
        """This host has its file."""
        return self._file is not None

    @property
    def is_ended(self) -> bool:
        return self.reading.is_ended and not self.has_more

    def close(self) -> None:
        if self._file is not None:
            self._file.close()
            self._file = None

    # -- what comes -------------------------------------------------------------------------------

    def poll(self, relay: Relay | None, ask: Callable[[FetchStored], None]) -> None:
        """Reads what is new on this host, or asks for what is not here."""
        if self._file is None and self._is_due(self._looked_at):
            self._look(relay)
        if self._file is not None:
            self._read(self._file)
        elif self._needs_archive(relay) and self._is_due(self._fetched_at):
            self._is_fetching, self._fetched_at = True, self._clock()
            ask(FetchStored(next(iter(self.watchers.values())).permit, self._segment))

    def ask_others(self, relay: Relay) -> None:
        relay.want(self.id, self._published.end)

    def take_published(self, published: CallPublished, relay: Relay) -> None:
        self._heard_at = self._clock()
        had = self._published.end - published.start
        if had < 0:
            # Something was lost on the way.
            self.ask_others(relay)
            return
        if data := published.data[had:]:
            written_at = self._wall() - published.age_us / 1e6
            self.reading.add(self._published_strand, self._published.feed(data), written_at)

    def take_stored(self, stored: StoredFetched) -> None:
        self._is_fetching = False
        if stored.is_recording is False:
            self.reading.is_ended = True
        if stored.found is not None:
            found, self._segment = stored.found, stored.found.next_segment
            began_at = found.started_at.timestamp() if found.started_at else None
            self.reading.add_stored(self._stored_strand, found.about, began_at, found.reads)

    # -- ways -------------------------------------------------------------------------------------

    def _is_due(self, last: float | None) -> bool:
        return last is None or self._clock() - last >= ASK_SECONDS

    def _look(self, relay: Relay | None) -> None:
        self._looked_at = self._clock()
        self._file = follow(self._root, self.id)
        if self._file is None and relay is not None:
            self.ask_others(relay)

    def _needs_archive(self, relay: Relay | None) -> bool:
        is_silent = self._clock() - self._heard_at > SILENT_SECONDS
        return not self._is_fetching and (relay is None or is_silent)

    def _read(self, file: FollowedFile) -> None:
        # Before: what is removed may have been added to until then.
        is_removed, written_at = file.is_removed, file.written_at
        data = file.read(self._records.end, READ_BYTES)
        self.has_more = len(data) == READ_BYTES
        if data:
            self.reading.add(self._strand, self._records.feed(data), written_at)
        elif is_removed:
            # Its recorder had no time to say how it ended, or gave it up.
            self.reading.is_ended = True
