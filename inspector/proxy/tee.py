"""Keeps what the recorder is to learn of each call until it is sent. Never waits, never blocks.

What waits here is bounded: beyond the bound the largest call of the team that holds most is missed
as a whole, what waited of it is let go, and its bytes pass on as before.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable
from dataclasses import dataclass, field
from uuid import UUID

from inspector.core.wire.exchange import Headers, TransportFault, TransportOutcome
from inspector.proxy.balance import Balance
from inspector.proxy.limits import KIB, ProxyLimits
from inspector.proxy.messages import (
    CallBegun,
    CallEnded,
    CallMissed,
    CallsPassed,
    ProxyMessage,
    ReadsForwarded,
    RequestSent,
    ResponseBegun,
)

FLUSH_BYTES = 256 * KIB
"""So much news is sent at once instead of soon."""
READS_BYTES = 512 * KIB
"""So much goes into one message of reads, and one read more."""
OVERHEAD_BYTES = 128
"""Bytes that a message takes beside those in it, roughly; so does a read."""
MAX_MISSED_MESSAGES = 10_000
"""While no recorder takes them, further ones are only counted."""


class CallTee:
    """One call's news. Once the call is missed, nothing more is taken."""

    __slots__ = (
        "_at_us",
        "_data",
        "_kept_bytes",
        "_limits",
        "_messages",
        "_reads_bytes",
        "_request",
        "_request_bytes",
        "_stated_bytes",
        "_tee",
        "byte_length",
        "call",
        "is_ended",
        "is_known",
        "is_stopped",
        "team_id",
        "waiting_bytes",
    )

    def __init__(self, tee: Tee, call: UUID, team_id: int, limits: ProxyLimits) -> None:
        self._tee = tee
        self._limits = limits
        self._messages: deque[tuple[int, ProxyMessage]] = deque()
        self._request: list[bytes] | None = []
        self._request_bytes = 0
        self._stated_bytes = 0
        self._at_us: list[int] = []
        self._data: list[bytes] = []
        self._reads_bytes = 0
        self._kept_bytes = 0
        self.call = call
        self.team_id = team_id
        self.waiting_bytes = 0
        self.byte_length = 0
        """Length of the response's body, kept or not."""
        self.is_known = False
        """Some of it was sent to the recorder."""
        self.is_ended = False
        self.is_stopped = False
        """Missed, or of a recorder that is gone: no more is sent."""

    def begin(self, begun: CallBegun) -> None:
        stated = (int(value) for name, value in begun.headers if name == "content-length")
        self._stated_bytes = next(stated, 0)
        self._say(begun, 0)

    def send(self, data: bytes) -> None:
        """Take a piece of the request's body."""
        room = self._limits.request_bytes - self._request_bytes
        self._request_bytes += len(data)
        if self._request is not None and room > 0 and not self.is_stopped:
            self._request.append(data[:room])
            self._tee.wait(self, min(room, len(data)))

    def end_request(self) -> None:
        """Note that the request's body is sent, or as much as ever will be."""
        if self._request is None:
            return
        data, self._request = b"".join(self._request), None
        # Of a body that breaks off in chunks nobody knows how long it would have been.
        byte_length = max(self._request_bytes, self._stated_bytes)
        self._say(RequestSent(self.call, data, byte_length), len(data), held=len(data))

    def begin_response(self, at_us: int, status: int, headers: Headers) -> None:
        self._say(ResponseBegun(self.call, at_us, status, headers), 0)

    def read(self, at_us: int, data: bytes) -> None:
        """Take a read that is about to be forwarded."""
        self.byte_length += len(data)
        room = self._limits.capture_bytes - self._kept_bytes
        if self.is_stopped or room <= 0:
            return
        kept = data[:room]
        self._kept_bytes += len(kept)
        self._at_us.append(at_us)
        self._data.append(kept)
        self._reads_bytes += len(kept) + OVERHEAD_BYTES
        if self._reads_bytes >= READS_BYTES:
            self._close_reads()
        self._tee.wait(self, len(kept) + OVERHEAD_BYTES)

    def end(self, at_us: int, outcome: TransportOutcome, fault: TransportFault | None) -> None:
        # A request whose body nobody began to read is not known; that is not an empty one.
        if self._request_bytes:
            self.end_request()
        self._request = None
        self.is_ended = True
        if outcome is TransportOutcome.ENDED and self._kept_bytes < self.byte_length:
            outcome = TransportOutcome.CAPPED
        ended = CallEnded(
            call=self.call, at_us=at_us, outcome=outcome, fault=fault, byte_length=self.byte_length
        )
        self._say(ended, 0)

    def stop(self) -> None:
        """Let go what waits, and take no more."""
        self.is_stopped = True
        self._tee.let_go(self, self.waiting_bytes)
        self._reads_bytes = 0
        self._request = None
        self._messages.clear()
        self._at_us, self._data = [], []

    def take(self) -> tuple[int, ProxyMessage] | None:
        """Return the next message and how many bytes it is; None if nothing waits."""
        if not self._messages:
            self._close_reads()
        if not self._messages:
            return None
        size, message = self._messages.popleft()
        self._tee.let_go(self, size)
        self.is_known = True
        return size, message

    def _say(self, message: ProxyMessage, size: int, held: int = 0) -> None:
        """``held``: how much of the size was counted before."""
        if self.is_stopped:
            return
        self._close_reads()
        self._messages.append((size + OVERHEAD_BYTES, message))
        self._tee.wait(self, size + OVERHEAD_BYTES - held)

    def _close_reads(self) -> None:
        if self._data:
            message = ReadsForwarded(self.call, self._at_us, self._data)
            self._messages.append((self._reads_bytes, message))
            self._at_us, self._data, self._reads_bytes = [], [], 0


@dataclass(slots=True, eq=False)
class _TeamCalls:
    """The calls of one team in the tee."""

    calls: dict[UUID, CallTee] = field(default_factory=dict)
    waiting_bytes: int = 0


class Tee:
    """All calls of which something waits to be sent."""

    def __init__(self, limits: ProxyLimits, balance: Balance) -> None:
        self._limits = limits
        self._balance = balance
        self._calls: dict[UUID, CallTee] = {}
        """Those that are open, and those that ended and are not yet sent to their end."""
        self._teams: dict[int, _TeamCalls] = {}
        self._news: dict[UUID, CallTee] = {}
        """Those of which something waits, the longest waiting first."""
        self._missed: list[CallMissed] = []
        self._passed: dict[int, list[int]] = {}
        self._flush_at = FLUSH_BYTES
        self.unsent_bytes = 0
        self.on_news: Callable[[], None] = _do_nothing
        """Something waits; said again with each thing more."""
        self.on_much_news: Callable[[], None] = _do_nothing

    def begin(self, begun: CallBegun) -> CallTee:
        call = CallTee(self, begun.call, begun.team_id, self._limits)
        self._balance.begin(begun.call)
        self._calls[begun.call] = call
        self._teams.setdefault(call.team_id, _TeamCalls()).calls[call.call] = call
        call.begin(begun)
        return call

    def pass_other(self, team_id: int) -> None:
        self._balance.other += 1
        self._passed.setdefault(team_id, [0, 0])[0] += 1
        self.on_news()

    def pass_paused(self, team_id: int) -> None:
        self._balance.paused += 1
        self._passed.setdefault(team_id, [0, 0])[1] += 1
        self.on_news()

    def wait(self, call: CallTee, size: int) -> None:
        """``size`` more bytes of a call wait."""
        self._news[call.call] = call
        self._count(call, size)
        self.on_news()
        while self.unsent_bytes > self._limits.unsent_bytes:
            self._miss(self._largest())
        if self.unsent_bytes >= self._flush_at:
            # Until they are sent, there is no use in saying so with each read.
            self._flush_at = self.unsent_bytes + FLUSH_BYTES
            self.on_much_news()

    def let_go(self, call: CallTee, size: int) -> None:
        """``size`` bytes of a call wait no more."""
        self._count(call, -size)

    def take(self, size: int) -> list[ProxyMessage]:
        """Messages of about this size, the oldest first; an empty list if nothing waits."""
        messages = self._take_counts()
        while self._news and size > 0:
            call = next(iter(self._news.values()))
            while size > 0 and (taken := call.take()):
                size -= taken[0]
                messages.append(taken[1])
            if size > 0:
                self._settle(call)
        self._flush_at = self.unsent_bytes + FLUSH_BYTES
        return messages

    def lose_recorder(self) -> None:
        """Note that the recorder is gone: what it knew in part goes no further, the rest is for the
        next.
        """
        for call in [call for call in self._calls.values() if call.is_known]:
            call.stop()
            self._settle(call)
        self._balance.lose_recorder(self._calls.keys())

    def _settle(self, call: CallTee) -> None:
        """Note that nothing of the call waits any more."""
        self._news.pop(call.call, None)
        if call.is_ended or call.is_stopped:
            self._remove(call)

    def _remove(self, call: CallTee) -> None:
        if self._calls.pop(call.call, None) is None:
            return
        team = self._teams[call.team_id]
        del team.calls[call.call]
        if not team.calls:
            del self._teams[call.team_id]

    def _count(self, call: CallTee, size: int) -> None:
        call.waiting_bytes += size
        self._teams[call.team_id].waiting_bytes += size
        self.unsent_bytes += size

    def _largest(self) -> CallTee:
        """Return the largest call, not the last one: one team's flood must not cost others their
        calls.
        """
        team = max(self._teams.values(), key=lambda each: each.waiting_bytes)
        return max(team.calls.values(), key=lambda each: each.waiting_bytes)

    def _take_counts(self) -> list[ProxyMessage]:
        counts = [
            CallsPassed(team_id, other, paused) for team_id, (other, paused) in self._passed.items()
        ]
        missed, self._missed, self._passed = self._missed, [], {}
        return [*missed, *counts]

    def _miss(self, call: CallTee) -> None:
        call.stop()
        self._settle(call)
        self._balance.miss([call.call])
        if len(self._missed) < MAX_MISSED_MESSAGES:
            self._missed.append(CallMissed(call.call, call.team_id))


def _do_nothing() -> None:
    pass
