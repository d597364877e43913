"""A child process of the proxy, at the other end of a socket: started, and started again.

It may be slow, hang or die at any time. Nothing that is forwarded waits for it.
"""

import asyncio
import logging
import socket
from asyncio.subprocess import DEVNULL, Process
from collections.abc import Sequence
from contextlib import suppress
from typing import Protocol, cast

import msgspec

from inspector.logs.line_format import fields
from inspector.proxy.frames import PayloadSplitter
from inspector.proxy.limits import MIB

_LOGGER = logging.getLogger(__name__)

IN_TRANSIT_BYTES = 2 * MIB
"""So much may be given to the socket beyond what it has taken."""
FIRST_WAIT_SECONDS = 0.5
"""Doubled with each failure: calls are spooled or missed meanwhile, so not for long."""
LONGEST_WAIT_SECONDS = 30.0
STEADY_SECONDS = 60.0
"""A child that lived so long is replaced as fast as the first."""
EXIT_SECONDS = 5.0
"""How long a child that has closed its end may live on: another adopts only what it let go."""


class ChildUser(Protocol):
    """The user of a child process. All methods are called in the event loop and return at once."""

    def child_connected(self) -> None: ...

    def child_sent(self, payload: bytes) -> None:
        """Raise ``ValueError`` or ``MsgspecError`` for what is no message: the child is ended."""

    def child_has_room(self) -> None:
        """Go on: called when messages that had to wait may be written."""

    def child_lost(self) -> None: ...


class ChildProcess:
    """``name`` stands in the log: "recorder"."""

    def __init__(self, name: str, command: Sequence[str], user: ChildUser) -> None:
        self._name = name
        self._command = command
        self._user = user
        self._wire: ChildWire | None = None
        self._stop_asked = asyncio.Event()
        self._running: asyncio.Task[None] | None = None
        self.starts = 0

    @property
    def is_stopping(self) -> bool:
        return self._stop_asked.is_set()

    @property
    def has_room(self) -> bool:
        """False where there is no child, or it has not taken what it was sent."""
        return self._wire is not None and self._wire.has_room

    def write(self, data: bytes) -> None:
        """Write to the child; does nothing if there is none."""
        if self._wire is not None:
            self._wire.write(data)

    def start(self) -> None:
        self._running = asyncio.create_task(self._run())

    def ask_to_stop(self) -> None:
        """No other child is started from now on."""
        self._stop_asked.set()

    async def stop(self, seconds: float) -> None:
        """Wait for the child to end by itself, and ends it when the time is over."""
        assert self._running is not None
        self._stop_asked.set()
        with suppress(TimeoutError):
            await asyncio.wait_for(asyncio.shield(self._running), seconds)
            return
        self._running.cancel()
        with suppress(asyncio.CancelledError):
            await self._running

    async def _run(self) -> None:
        loop = asyncio.get_running_loop()
        wait = FIRST_WAIT_SECONDS
        while not self.is_stopping:
            began = loop.time()
            try:
                await self._live_with_one()
            except OSError as error:
                _LOGGER.error(f"the {self._name} does not start", exc_info=error)
            if loop.time() - began > STEADY_SECONDS:
                wait = FIRST_WAIT_SECONDS
            with suppress(TimeoutError):
                await asyncio.wait_for(self._stop_asked.wait(), wait)
            wait = min(wait * 2, LONGEST_WAIT_SECONDS)

    async def _live_with_one(self) -> None:
        """Start a child and follow it until it ends."""
        ours, theirs = socket.socketpair()
        with theirs:
            process = await asyncio.create_subprocess_exec(
                *self._command,
                "--fd",
                str(theirs.fileno()),
                pass_fds=(theirs.fileno(),),
                stdin=DEVNULL,
                # Ctrl-C and a supervisor's signal to the group are for the proxy: it drains first.
                start_new_session=True,
            )
        self.starts += 1
        try:
            await self._converse(ours)
        finally:
            await _end(process, EXIT_SECONDS)
            if not self.is_stopping:
                _LOGGER.error(f"the {self._name} ended", extra=fields(code=process.returncode))

    async def _converse(self, ours: socket.socket) -> None:
        # Known before it is connected: what the child said before that is answered at once.
        wire = self._wire = ChildWire(self._name, self._user)
        try:
            await asyncio.get_running_loop().create_unix_connection(lambda: wire, sock=ours)
            await wire.lost
        finally:
            wire.abort()
            self._wire = None
            self._user.child_lost()


class ChildWire(asyncio.Protocol):
    """One socket to one child."""

    def __init__(self, name: str, user: ChildUser) -> None:
        self._name = name
        self._user = user
        self._splitter = PayloadSplitter()
        self._transport: asyncio.Transport | None = None
        self.has_room = True
        self.lost: asyncio.Future[None] = asyncio.get_running_loop().create_future()

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        # Of uvloop's transports none is an instance of it.
        self._transport = cast(asyncio.Transport, transport)
        self._transport.set_write_buffer_limits(IN_TRANSIT_BYTES)
        self._user.child_connected()

    def connection_lost(self, error: Exception | None) -> None:
        self.has_room = False
        if not self.lost.done():
            self.lost.set_result(None)

    def data_received(self, data: bytes) -> None:
        try:
            for payload in self._splitter.feed(data):
                self._user.child_sent(payload)
        except (ValueError, msgspec.MsgspecError) as error:
            _LOGGER.error(f"the {self._name} sent what is no message", exc_info=error)
            self.abort()

    def pause_writing(self) -> None:
        self.has_room = False

    def resume_writing(self) -> None:
        self.has_room = True
        self._user.child_has_room()

    def write(self, data: bytes) -> None:
        if self._transport is not None and not self._transport.is_closing():
            self._transport.write(data)

    def abort(self) -> None:
        if self._transport is not None:
            self._transport.abort()


async def _end(process: Process, seconds: float) -> None:
    """Wait for a process to end, and ends it."""
    try:
        await asyncio.wait_for(process.wait(), seconds)
    finally:
        if process.returncode is None:
            with suppress(ProcessLookupError):
                process.kill()
            await process.wait()
