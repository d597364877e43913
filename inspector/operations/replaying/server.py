"""Serves answers from files until a signal comes, or whoever started it is gone."""

from __future__ import annotations

import asyncio
import os
import signal
import socket
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial

import uvicorn
from uvicorn.loops.auto import auto_loop_factory

from inspector.operations.replaying.app import FileReplayApp
from inspector.proxy.caller_connection import CallerConnection

STANDARD_INPUT = 0
_SIGNALS = (signal.SIGTERM, signal.SIGINT)


class FileReplayServer(uvicorn.Server):
    """Ends at once: a test that is over waits for no stream."""

    def __init__(self, app: FileReplayApp) -> None:
        config = uvicorn.Config(
            app,
            http=CallerConnection,
            ws="none",
            lifespan="off",
            interface="asgi3",
            log_config=None,
            access_log=False,
            proxy_headers=False,
            server_header=False,
            date_header=False,
        )
        super().__init__(config)

    @contextmanager
    def capture_signals(self) -> Iterator[None]:
        """Unlike uvicorn's does not raise the signal again: a server that was ended ends with 0."""
        loop = asyncio.get_running_loop()
        for each in _SIGNALS:
            loop.add_signal_handler(each, self.stop)
        try:
            yield
        finally:
            for each in _SIGNALS:
                loop.remove_signal_handler(each)

    def stop(self) -> None:
        self.should_exit = True

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        for server in self.servers:
            server.close()
        for connection in list(self.server_state.connections):
            connection.transport.abort()


def serve(
    app: FileReplayApp,
    listener: socket.socket,
    *,
    until_input_ends: bool,
    ready: Callable[[], None],
) -> None:
    """``ready`` is called when requests are answered. ``until_input_ends``: a pipe to standard
    input that its holder need not write to; it ends however that process does.
    """
    with asyncio.Runner(loop_factory=auto_loop_factory()) as runner:
        runner.run(_serve(app, listener, until_input_ends, ready))


async def _serve(
    app: FileReplayApp, listener: socket.socket, until_input_ends: bool, ready: Callable[[], None]
) -> None:
    server = FileReplayServer(app)
    if until_input_ends:
        stop = partial(asyncio.get_running_loop().call_soon_threadsafe, server.stop)
        threading.Thread(target=_call_at_end_of_input, args=(stop,), daemon=True).start()
    # The listener takes connections from now on, and answers them as soon as the loop turns.
    ready()
    await server.serve(sockets=[listener])


def _call_at_end_of_input(stop: Callable[[], object]) -> None:
    while os.read(STANDARD_INPUT, 4096):
        pass
    stop()
