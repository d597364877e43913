"""Calls that go on: what is stored of them meanwhile, so that they can be looked at.

Whatever goes wrong here, the spool has the whole call, and its end replaces what is stored.
"""

import logging
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from uuid import UUID

from inspector.archive.intake import recording
from inspector.archive.intake.recording import Recording, RecordingLease, Segment
from inspector.database.portability import UNAVAILABLE
from inspector.logs.json_log import fields
from inspector.proxy.recorder.call_spool import (
    CallHead,
    CallReads,
    CallRecord,
    CallRequestBody,
    CallResponseHead,
    read_call,
)
from inspector.proxy.recorder.spooled_call import reads_of, spooled_call

BEGIN_SECONDS = 0.5
"""A call that is over by then is stored in one step."""
APPEND_SECONDS = 0.5
"""A page that watches asks as often; more would be a transaction for every chunk."""
RENEW_SECONDS = 20.0
"""A third of a lease."""
BATCH_CALLS = 100
"""In one transaction: on SQLite nobody else writes meanwhile."""
BATCH_BYTES = 4_000_000
"""Bytes of those calls, unless one alone has more."""

_LOGGER = logging.getLogger(__name__)


@dataclass(slots=True)
class LiveCall:
    path: Path
    since: float
    lease: RecordingLease | None = None
    segments: int = 0
    read_to: int = 0
    """Where the records begin that are in no segment."""
    due_at: float = 0.0
    """When it is looked at for more to store."""
    renewed_at: float = 0.0
    is_left: bool = False
    """Stored only at its end: it cannot begin, or was deleted meanwhile."""
    is_silent: bool = False
    """No segment can say how it goes on: from some read on it is decompressed."""


@dataclass(slots=True)
class Growth:
    """The part of a call that is not stored yet."""

    live: LiveCall
    segment: Segment
    read_to: int
    is_silent: bool


class LiveCalls:
    def __init__(self, clock: Callable[[], float]) -> None:
        self._clock = clock
        self._calls: dict[UUID, LiveCall] = {}
        self._unstored: dict[UUID, Growth] = {}
        """Segments that may be stored already: the answer was lost."""

    def __len__(self) -> int:
        return len(self._calls)

    def open(self, call: UUID, path: Path) -> None:
        self._calls[call] = LiveCall(path, since=self._clock())

    def close(self, call: UUID) -> bool:
        """Return whether something of it is stored."""
        self._unstored.pop(call, None)
        live = self._calls.pop(call, None)
        return live is not None and live.lease is not None

    def store(self) -> None:
        """Store what is due. Raises what the database raises, and tries again the next time."""
        now = self._clock()
        self._begin(now)
        self._append(now)
        self._renew(now)

    # -- beginning --------------------------------------------------------------------------------

    def _begin(self, now: float) -> None:
        fresh = [
            (call, live)
            for call, live in self._calls.items()
            if live.lease is None and not live.is_left and now - live.since >= BEGIN_SECONDS
        ]
        for start in range(0, len(fresh), BATCH_CALLS):
            self._begin_batch(dict(fresh[start : start + BATCH_CALLS]), now)

    def _begin_batch(self, batch: Mapping[UUID, LiveCall], now: float) -> None:
        known = [_beginning(live.path) for live in batch.values()]
        with _left_on_failure(batch.values()):
            leases = recording.begin([each for each in known if each is not None])
            for call, live in batch.items():
                live.lease = leases.get(call)
                # It has ended before, or was deleted, or its file cannot be read.
                live.is_left = live.lease is None
                live.renewed_at = live.due_at = now

    # -- growing ----------------------------------------------------------------------------------

    def _append(self, now: float) -> None:
        batch: list[Growth] = []
        byte_length = 0
        for growth in self._due(now):
            batch.append(growth)
            byte_length += sum(len(read.data) for read in growth.segment.reads)
            if len(batch) >= BATCH_CALLS or byte_length >= BATCH_BYTES:
                self._append_batch(batch, now)
                batch, byte_length = [], 0
        if batch:
            self._append_batch(batch, now)

    def _due(self, now: float) -> Iterator[Growth]:
        for call, live in self._calls.items():
            if live.lease is None or live.is_silent or now < live.due_at:
                continue
            # The same segment again, though more has come by now: if it was stored after all, its
            # number tells, and the bytes must be those.
            growth = self._unstored.get(call) or _growth(live, live.lease)
            if growth is None:
                live.due_at = now + APPEND_SECONDS
            else:
                self._unstored[call] = growth
                yield growth

    def _append_batch(self, batch: Sequence[Growth], now: float) -> None:
        with _left_on_failure([growth.live for growth in batch]):
            held = recording.append([growth.segment for growth in batch])
            for growth in batch:
                live, call = growth.live, growth.segment.lease.id
                del self._unstored[call]
                live.segments += 1
                live.read_to, live.is_silent = growth.read_to, growth.is_silent
                live.renewed_at, live.due_at = now, now + APPEND_SECONDS
                _keep_if_held(live, call in held)

    def _renew(self, now: float) -> None:
        old = {
            live.lease: live
            for live in self._calls.values()
            if live.lease is not None and now - live.renewed_at >= RENEW_SECONDS
        }
        if not old:
            return
        held = recording.renew(list(old))
        for lease, live in old.items():
            live.renewed_at = now
            _keep_if_held(live, lease.id in held)


@contextmanager
def _left_on_failure(calls: Collection[LiveCall]) -> Iterator[None]:
    """Leave calls to their ends of which the database says that they are the trouble."""
    try:
        yield
    except UNAVAILABLE:
        raise
    except Exception:
        _LOGGER.exception("calls that go on could not be stored", extra=fields(calls=len(calls)))
        for live in calls:
            live.is_left = live.is_silent = True


def _keep_if_held(live: LiveCall, is_held: bool) -> None:
    if not is_held:
        live.lease, live.is_left = None, True


def _beginning(path: Path) -> Recording | None:
    """Return what is known of a call's request; None if the file cannot be read."""
    try:
        records, _ = read_call(path)
    except OSError:
        return None
    call = spooled_call([each for each in records if isinstance(each, CallHead | CallRequestBody)])
    return None if call is None else call.recording()


def _growth(live: LiveCall, lease: RecordingLease) -> Growth | None:
    """Return None if nothing has come since, or if the file cannot be read."""
    try:
        records, read_to = read_call(live.path, live.read_to)
    except OSError:
        return None
    told, is_silent = _until_decoded(records)
    if not told:
        live.read_to, live.is_silent = read_to, is_silent
        return None
    return Growth(live, _segment(lease, live.segments, told), read_to, is_silent)


Told = CallResponseHead | CallReads
"""Records that segments say again."""


def _until_decoded(records: Sequence[CallRecord]) -> tuple[list[Told], bool]:
    """Return the records before the first decompressed reads, and whether there are such reads."""
    told: list[Told] = []
    for record in records:
        # What is stored so far is compressed: plain reads behind it would make a body that nothing
        # can read. The end of the call replaces all of it.
        if isinstance(record, CallReads) and record.is_decoded:
            return told, True
        if isinstance(record, Told):
            told.append(record)
    return told, False


def _segment(lease: RecordingLease, number: int, records: Sequence[Told]) -> Segment:
    heads = [each for each in records if isinstance(each, CallResponseHead)]
    removals = [each.removal for each in records if each.removal is not None]
    return Segment(
        lease=lease,
        number=number,
        reads=tuple(
            read for each in records if isinstance(each, CallReads) for read in reads_of(each)
        ),
        status_code=heads[-1].status if heads else None,
        headers=heads[-1].headers if heads else None,
        removal=removals[-1] if removals else None,
    )
