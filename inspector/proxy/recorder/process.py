"""The recorder: one thread takes what the proxy says, one stores it, one looks up keys.

It ends when the proxy says so or is gone, with what it can store by then; the rest stays in the
spool for the next recorder.
"""

import logging
import resource
import socket
from collections.abc import Iterator, Sequence
from pathlib import Path
from queue import SimpleQueue
from threading import Event, Thread

from inspector.archive import credentials
from inspector.logs.json_log import fields
from inspector.proxy.frames import PayloadSplitter
from inspector.proxy.messages import (
    Adopted,
    ProxyMessage,
    RecorderMessage,
    Stopping,
    proxy_messages,
)
from inspector.proxy.outbox import Outbox
from inspector.proxy.recorder.call_spool import CallHead
from inspector.proxy.recorder.directory import Directory
from inspector.proxy.recorder.drain import Drain, EndedCall
from inspector.proxy.recorder.passed_calls import PassedCalls
from inspector.proxy.recorder.receiver import News, Receiver
from inspector.proxy.recorder.spool import Spool

STOP_SECONDS = 10.0
"""For storing what is left when nothing comes any more."""

_LOGGER = logging.getLogger(__name__)
RECEIVE_BYTES = 1 << 20
"""Two frames (`recorder_link.FRAME_BYTES`) in one system call."""


def run(connection: socket.socket, root: Path, max_spool_bytes: int) -> None:
    """Return when the proxy has ended and what it said is stored, or time is up."""
    _allow_open_files()
    spool = Spool(root, max_spool_bytes)
    outbox = Outbox[RecorderMessage](connection)
    adopted = spool.adopt()
    outbox.send(Adopted([head.call for _, head in adopted]))
    _LOGGER.info("recorder started", extra=fields(adopted=len(adopted)))

    news: SimpleQueue[News] = SimpleQueue()
    passed = PassedCalls()
    directory = Directory(outbox)
    drain = Drain(spool, outbox, news, passed)
    drain.adopt([_ended(path, head) for path, head in adopted])
    receiver = Receiver(spool, outbox, news, passed, directory.ask, credentials.keyed)

    stopping = Event()
    # Neither may keep the process from ending.
    drains = Thread(target=drain.run, args=(stopping, STOP_SECONDS), name="drain", daemon=True)
    looks_up = Thread(target=directory.run, name="directory", daemon=True)
    drains.start()
    looks_up.start()
    try:
        for messages in _until_stopped(connection):
            receiver.take(messages)
            drain.wake()
    finally:
        receiver.stop()
        stopping.set()
        drain.wake()
        # It may be waiting for the database, and longer than that.
        drains.join(STOP_SECONDS + 1)
        spool.close()
        _LOGGER.info("recorder stopped", extra=fields(left=drain.waiting))


def _ended(path: Path, head: CallHead) -> EndedCall:
    return EndedCall(head.started_at, head.call, head.team_id, path)


def _until_stopped(connection: socket.socket) -> Iterator[Sequence[ProxyMessage]]:
    """Raise what is no message: the proxy starts another recorder, which goes on from here."""
    for payload in payloads(connection):
        messages = proxy_messages(payload)
        yield messages
        if any(isinstance(message, Stopping) for message in messages):
            return


def _allow_open_files() -> None:
    """Every open call is an open file."""
    _, most = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (most, most))


def payloads(connection: socket.socket) -> Iterator[bytes]:
    """Yield payloads until the proxy is gone. Raises ``ValueError`` for what is no frame."""
    splitter = PayloadSplitter()
    while data := _received(connection):
        yield from splitter.feed(data)


def _received(connection: socket.socket) -> bytes:
    """Empty where the proxy is gone."""
    try:
        return connection.recv(RECEIVE_BYTES)
    except OSError:
        return b""
