"""The viewer: one thread takes what the proxy says, and hands it to those who carry it out."""

from __future__ import annotations

import logging
import socket
from collections.abc import Callable, Mapping
from pathlib import Path
from threading import Thread
from typing import Any

from inspector.proxy.inbox import payloads
from inspector.proxy.outbox import Outbox
from inspector.proxy.viewer.live_streams import LiveStreams
from inspector.proxy.viewer.relay import Relay, RelayNews
from inspector.proxy.viewer_messages import (
    ViewerMessage,
    ViewerQuestion,
    ViewerStopping,
    WatchAsked,
    WatchEnded,
    WatchTaken,
    viewer_questions,
)

Handler = Callable[[Any], None]
Handlers = Mapping[type[ViewerQuestion], Handler]
"""What each message leads to. A handler returns at once: who needs longer has a thread."""

_LOGGER = logging.getLogger(__name__)


def run(connection: socket.socket, spool: Path, redis_url: str | None) -> None:
    """Runs until the proxy says so or is gone. ``spool``: the folder of recorders' folders."""
    outbox = Outbox[ViewerMessage](connection)
    _LOGGER.info("viewer started")
    take_until_stopped(connection, start_live_streams(outbox, spool, redis_url))
    _LOGGER.info("viewer stopped")


def take_until_stopped(connection: socket.socket, handlers: Handlers) -> None:
    """Raises what is no message: the proxy starts another viewer."""
    for payload in payloads(connection):
        for message in viewer_questions(payload):
            if isinstance(message, ViewerStopping):
                return
            handler = handlers.get(type(message))
            if handler is not None:
                handler(message)


def start_live_streams(
    outbox: Outbox[ViewerMessage], spool: Path, redis_url: str | None
) -> Handlers:
    def connect(tell: Callable[[RelayNews], None]) -> Relay:
        relay = Relay(redis_url or "", tell)
        relay.start()
        return relay

    streams = LiveStreams(outbox, spool, connect if redis_url else None)
    for run in (streams.run, streams.archive.run):
        # None of them may keep the process from ending: nothing is lost with it.
        Thread(target=run, name=run.__qualname__, daemon=True).start()
    return dict.fromkeys((WatchAsked, WatchTaken, WatchEnded), streams.tell)
