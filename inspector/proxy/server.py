"""The server around the application: its signals, its socket, and how it comes to an end."""

import asyncio
import signal
import socket
from collections.abc import Awaitable, Callable, Iterator
from contextlib import contextmanager
from types import FrameType

import uvicorn

from inspector.proxy.app import ProxyApp
from inspector.proxy.caller_connection import CallerConnection

KEEPALIVE_SECONDS = 75
"""Longer than that of clients, so that it is they who close."""
BACKLOG = 2048
"""Callers that connect while the loop is busy; Linux takes 4,096 (`somaxconn`) at most."""
_SIGNALS = (signal.SIGTERM, signal.SIGINT)


class DrainingServer(uvicorn.Server):
    """Stops accepting at the first signal and ends after the open calls; the second ends those."""

    def __init__(self, app: ProxyApp, drain: Callable[[], Awaitable[None]]) -> None:
        class Connection(CallerConnection):
            limits = app.limits

        config = uvicorn.Config(
            app,
            http=Connection,
            ws="none",
            lifespan="off",
            interface="asgi3",
            log_config=None,
            access_log=False,
            proxy_headers=False,
            server_header=False,
            date_header=False,
            timeout_keep_alive=KEEPALIVE_SECONDS,
            backlog=BACKLOG,
        )
        super().__init__(config)
        self._ending = asyncio.Event()
        self._calls = app.calls
        self._drain = drain

    def handle_exit(self, sig: int, frame: FrameType | None) -> None:
        if self.should_exit:
            self._calls.stop()
        self.should_exit = True
        self._ending.set()

    async def main_loop(self) -> None:
        """Unlike uvicorn's does not wake ten times a second: no header here tells the time."""
        if not await self.on_tick(0):
            await self._ending.wait()

    @contextmanager
    def capture_signals(self) -> Iterator[None]:
        """Unlike uvicorn's does not raise the signal again: a drained proxy ends with 0."""
        loop = asyncio.get_running_loop()
        for each in _SIGNALS:
            loop.add_signal_handler(each, self.handle_exit, each, None)
        try:
            yield
        finally:
            for each in _SIGNALS:
                loop.remove_signal_handler(each)

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        for server in self.servers:
            server.close()
        for each in sockets or []:
            each.close()
        for connection in list(self.server_state.connections):
            connection.shutdown()
        await self._drain()
        for connection in list(self.server_state.connections):
            connection.transport.close()
