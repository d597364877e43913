"""The recorder as the proxy knows it: a child that may be slow, hang or die at any time.

What is to be sent to it waits in the tee, which is bounded.
"""

import asyncio
from collections.abc import Callable, Sequence

from inspector.proxy.balance import Balance
from inspector.proxy.child_process import ChildProcess
from inspector.proxy.frames import frame
from inspector.proxy.limits import KIB
from inspector.proxy.messages import (
    Adopted,
    Dropped,
    Found,
    Lookup,
    Omitted,
    Recorded,
    RecorderMessage,
    Spooled,
    SpoolState,
    Stopping,
    StoreState,
    TrySpool,
    recorder_messages,
)
from inspector.proxy.tee import Tee

FLUSH_SECONDS = 0.1
"""So long the first message waits for others to be sent with it."""
TRY_SECONDS = 1.0
"""Between two questions to a recorder whose spool takes nothing: calls may not come any more."""
FRAME_BYTES = 512 * KIB
"""Taken from the tee at a time: what waits there is counted and bounded, what is sent is not."""


class RecorderLink:
    def __init__(
        self,
        command: Sequence[str],
        tee: Tee,
        balance: Balance,
        on_found: Callable[[Found], None],
        on_connected: Callable[[], None],
    ) -> None:
        self._child = ChildProcess("recorder", command, self)
        self._tee = tee
        self._balance = balance
        self._on_found = on_found
        self._on_connected = on_connected
        self._has_said_so = False
        self._flushing: asyncio.TimerHandle | None = None
        self._trying: asyncio.TimerHandle | None = None
        self._takes = True
        self.is_ready = False
        """A recorder is there and has named the calls that it found."""
        self.store = StoreState()
        """As the recorder told it last."""
        tee.on_news = self._flush_soon
        tee.on_much_news = self.flush

    @property
    def is_recording(self) -> bool:
        """A call that came now would be recorded."""
        return self.is_ready and self._takes

    @property
    def starts(self) -> int:
        return self._child.starts

    def start(self) -> None:
        self._child.start()

    async def stop(self, seconds: float) -> None:
        """Send what waits, and waits for the recorder to store it and end. What an ended one has
        spooled is adopted by the next.
        """
        self._child.ask_to_stop()
        self.flush()
        await self._child.stop(seconds)

    def ask(self, lookup: Lookup) -> None:
        self._child.write(frame([lookup]))

    def _flush_soon(self) -> None:
        if self._flushing is None:
            loop = asyncio.get_running_loop()
            self._flushing = loop.call_later(FLUSH_SECONDS, self._flush_now)

    def _flush_now(self) -> None:
        self._flushing = None
        self.flush()

    def flush(self) -> None:
        """Send what waits, as far as the recorder takes it."""
        if not self.is_ready:
            return
        while self._child.has_room:
            messages = self._tee.take(FRAME_BYTES)
            if not messages:
                self._say_stopping()
                return
            self._child.write(frame(messages))

    def _say_stopping(self) -> None:
        if self._child.is_stopping and not self._has_said_so:
            self._has_said_so = True
            self._child.write(frame([Stopping()]))

    # -- what the child does ----------------------------------------------------------------------

    def child_connected(self) -> None:
        self._takes = True
        self._on_connected()

    def child_sent(self, payload: bytes) -> None:
        for message in recorder_messages(payload):
            self._receive(message)

    def child_has_room(self) -> None:
        self.flush()

    def child_lost(self) -> None:
        self._try_no_more()
        self.is_ready = False
        self._tee.lose_recorder()

    def _receive(self, message: RecorderMessage) -> None:
        match message:
            case Found():
                self._on_found(message)
            case Adopted(calls):
                self._balance.adopt(frozenset(calls))
                self.is_ready = True
                self._child.write(frame([TrySpool()]))
                self.flush()
            case SpoolState(takes):
                self._takes = takes
                self._try_no_more()
                if not takes:
                    self._try_later()
            case StoreState():
                self.store = message
            case _:
                self._move(message)

    def _move(self, message: Spooled | Recorded | Omitted | Dropped) -> None:
        match message:
            case Spooled(calls):
                self._balance.spool(calls)
            case Recorded(calls):
                self._balance.record(calls)
            case Omitted(calls):
                self._balance.omit(calls)
            case Dropped(calls):
                self._balance.miss(calls)

    def _try_later(self) -> None:
        self._trying = asyncio.get_running_loop().call_later(TRY_SECONDS, self._try_spool)

    def _try_spool(self) -> None:
        self._child.write(frame([TrySpool()]))
        self._try_later()

    def _try_no_more(self) -> None:
        if self._trying is not None:
            self._trying.cancel()
