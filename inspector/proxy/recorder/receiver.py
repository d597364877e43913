"""Takes what the proxy says of calls: cleans it, writes it to the spool, and tells both sides.

It does nothing that may wait for anything but the disk.
"""

import logging
import zlib
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from queue import SimpleQueue
from typing import Any, NamedTuple
from uuid import UUID

from inspector.core.credentials.cleaning import Keyed
from inspector.logs.json_log import fields
from inspector.proxy.messages import (
    CallBegun,
    CallEnded,
    CallMissed,
    CallsPassed,
    Dropped,
    Lookup,
    Omitted,
    ProxyMessage,
    ReadsForwarded,
    RecorderMessage,
    RequestSent,
    ResponseBegun,
    Spooled,
    SpoolState,
    TrySpool,
)
from inspector.proxy.outbox import Outbox
from inspector.proxy.recorder.call_spool import CallRecord, CallWriter
from inspector.proxy.recorder.cleaning import CallCleaner
from inspector.proxy.recorder.passed_calls import PassedCalls
from inspector.proxy.recorder.spool import Spool
from inspector.proxy.recorder.spooled_call import is_failed

_LOGGER = logging.getLogger(__name__)


class CallOpened(NamedTuple):
    """Tells the drain of a call that is kept and goes on."""

    call: UUID
    path: Path


class CallClosed(NamedTuple):
    """Tells the drain that nothing more of a call will come."""

    call: UUID
    path: Path
    team_id: int
    started_at: float


class CallLost(NamedTuple):
    """Tells the drain of a call that could not be written to its end. It is counted as missed, and
    stored as far as it goes only if it has been begun.
    """

    closed: CallClosed


News = CallOpened | CallClosed | CallLost


@dataclass(slots=True)
class OpenCall:
    cleaner: CallCleaner
    writer: CallWriter
    is_kept: bool
    """In the sample, or known to have failed."""
    status: int | None = None
    is_told: bool = False
    """The drain knows it."""

    @property
    def closed(self) -> CallClosed:
        head = self.cleaner.head
        return CallClosed(head.call, self.writer.path, head.team_id, head.started_at)


@dataclass(slots=True)
class _Round:
    """The consequences of one frame, told once all of it is written."""

    written: dict[UUID, OpenCall] = field(default_factory=dict)
    ended: dict[UUID, OpenCall] = field(default_factory=dict)
    omitted: dict[UUID, OpenCall] = field(default_factory=dict)
    dropped: list[UUID] = field(default_factory=list)
    error: OSError | None = None
    """Why something could not be written."""


class Receiver:
    def __init__(
        self,
        spool: Spool,
        outbox: Outbox[RecorderMessage],
        news: SimpleQueue[News],
        passed: PassedCalls,
        look_up: Callable[[Lookup], None],
        keyed: Keyed,
    ) -> None:
        self._spool = spool
        self._outbox = outbox
        self._news = news
        self._passed = passed
        self._keyed = keyed
        self._open: dict[UUID, OpenCall] = {}
        self._round = _Round()
        self._is_full = False
        self._handlers: dict[type[ProxyMessage], Callable[[Any], None]] = {
            Lookup: look_up,
            CallBegun: self._begin,
            RequestSent: self._add_request_body,
            ResponseBegun: self._begin_response,
            ReadsForwarded: self._add_reads,
            CallEnded: self._end,
            CallMissed: self._miss,
            CallsPassed: self._count_passed,
            TrySpool: self._try_spool,
        }

    def take(self, messages: Sequence[ProxyMessage]) -> None:
        """Return when all of it is written, as far as the disk takes it."""
        for message in messages:
            handler = self._handlers.get(type(message))
            if handler is not None:
                self._handle(handler, message)
        self._settle()

    def stop(self) -> None:
        """End the calls that are open: nothing comes any more."""
        for call in list(self._open.values()):
            self._close(call, list(call.cleaner.stop()))
        self._settle()

    def _handle(self, handler: Callable[[Any], None], message: ProxyMessage) -> None:
        try:
            handler(message)
        except Exception:
            # Of one call; the others go on.
            _LOGGER.exception("a message of the proxy could not be taken")
            call_id: UUID | None = getattr(message, "call", None)
            if call_id in self._open:
                self._drop(self._open[call_id])

    # -- one message ------------------------------------------------------------------------------

    def _begin(self, begun: CallBegun) -> None:
        is_kept = is_in_sample(begun.call, begun.sample_percent)
        cleaner = CallCleaner(begun, self._keyed, is_in_sample=is_kept)
        try:
            writer = self._spool.new_call(begun.call, begun.started_at)
        except OSError as error:
            self._round.error = error
            self._passed.count(begun.team_id, "missed", at=begun.started_at)
            self._round.dropped.append(begun.call)
            return
        call = self._open[begun.call] = OpenCall(cleaner, writer, is_kept)
        self._add(call, cleaner.head)

    def _add_request_body(self, sent: RequestSent) -> None:
        call = self._open.get(sent.call)
        if call is not None:
            self._add(call, call.cleaner.request_body(sent))

    def _begin_response(self, begun: ResponseBegun) -> None:
        call = self._open.get(begun.call)
        if call is not None:
            call.status = begun.status
            call.is_kept = call.is_kept or is_failed(begun.status, None, None)
            self._add(call, call.cleaner.response_head(begun))

    def _add_reads(self, forwarded: ReadsForwarded) -> None:
        call = self._open.get(forwarded.call)
        if call is not None:
            record = call.cleaner.reads(forwarded)
            if record is not None:
                self._add(call, record)

    def _end(self, ended: CallEnded) -> None:
        call = self._open.get(ended.call)
        if call is not None:
            call.is_kept = call.is_kept or is_failed(call.status, ended.outcome, ended.fault)
            records = call.cleaner.end(ended)
            self._close(call, list(records))

    def _miss(self, missed: CallMissed) -> None:
        call = self._open.get(missed.call)
        if call is None:
            self._passed.count(missed.team_id, "missed")
        else:
            self._lose(call)

    def _count_passed(self, passed: CallsPassed) -> None:
        self._passed.count(passed.team_id, "other", passed.other)
        self._passed.count(passed.team_id, "paused", passed.paused)

    def _try_spool(self, _: TrySpool) -> None:
        try:
            self._spool.attempt()
        except OSError as error:
            self._tell_full(error)
        else:
            self._tell_full(None)

    # -- what becomes of a call -------------------------------------------------------------------

    def _add(self, call: OpenCall, record: CallRecord) -> None:
        call.writer.add(record)
        self._round.written[call.cleaner.head.call] = call

    def _close(self, call: OpenCall, records: Sequence[CallRecord]) -> None:
        call_id = call.cleaner.head.call
        del self._open[call_id]
        if not call.is_kept:
            self._round.written.pop(call_id, None)
            self._round.omitted[call_id] = call
            return
        for record in records:
            self._add(call, record)
        self._round.ended[call_id] = call

    def _drop(self, call: OpenCall) -> None:
        """Give a call up that cannot be written."""
        self._round.dropped.append(call.cleaner.head.call)
        self._lose(call)

    def _lose(self, call: OpenCall) -> None:
        head = call.cleaner.head
        self._passed.count(head.team_id, "missed", at=head.started_at)
        for calls in (self._open, self._round.written, self._round.ended):
            calls.pop(head.call, None)
        call.writer.close()
        self._news.put(CallLost(call.closed))

    # -- the end of a frame -----------------------------------------------------------------------

    def _settle(self) -> None:
        done, self._round = self._round, _Round()
        for call in list(done.written.values()):
            self._write(call, done)
        self._tell(done)
        if done.error is not None or done.written:
            self._tell_full(done.error)
        for call in done.omitted.values():
            self._omit(call)
        for call in done.ended.values():
            call.writer.close()
            self._news.put(call.closed)

    def _write(self, call: OpenCall, done: _Round) -> None:
        try:
            self._spool.write(call.writer)
        except OSError as error:
            done.error = error
            done.ended.pop(call.cleaner.head.call, None)
            done.dropped.append(call.cleaner.head.call)
            self._lose(call)
            return
        if call.is_kept and not call.is_told:
            call.is_told = True
            self._news.put(CallOpened(call.cleaner.head.call, call.writer.path))

    def _tell(self, done: _Round) -> None:
        # What the drain says of these calls must come later.
        messages: list[RecorderMessage] = []
        if done.ended:
            messages.append(Spooled(list(done.ended)))
        if done.omitted:
            messages.append(Omitted(list(done.omitted)))
        if done.dropped:
            messages.append(Dropped(done.dropped))
        self._outbox.send(*messages)

    def _omit(self, call: OpenCall) -> None:
        head = call.cleaner.head
        self._passed.count(head.team_id, "omitted", at=head.started_at)
        call.writer.close()
        self._spool.remove(call.writer.path)

    def _tell_full(self, error: OSError | None) -> None:
        """Tell the first of many errors, and their end."""
        if self._is_full is (error is not None):
            return
        self._is_full = not self._is_full
        if error is not None:
            _LOGGER.error("calls are missed", extra=fields(error=error.strerror))
        self._outbox.send(SpoolState(takes=error is None))


def is_in_sample(call: UUID, percent: int) -> bool:
    """Return the same for a call whoever asks."""
    return zlib.crc32(call.bytes) % 100 < percent
