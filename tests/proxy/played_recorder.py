"""The recorder as a test plays it: what the proxy says is kept, and answered as the test wants."""

from __future__ import annotations

import contextlib
import socket
import sys
import threading
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Self, TypeVar
from uuid import UUID

from inspector.proxy.frames import PayloadSplitter, frame
from inspector.proxy.messages import (
    Adopted,
    CallBegun,
    CallEnded,
    Found,
    Grant,
    Lookup,
    ProxyMessage,
    ReadsForwarded,
    Recorded,
    RecorderMessage,
    Refusal,
    RequestSent,
    ResponseBegun,
    Spooled,
    Stopping,
    proxy_messages,
)
from inspector.proxy.route import _sha256
from tests.proxy.scripted_upstream import WAIT_SECONDS

if TYPE_CHECKING:
    from tests.proxy.started_proxy import StartedProxy

RELAY = Path(__file__).with_name("relay.py")
Kind = TypeVar("Kind")


class PlayedRecorder:
    """``grants`` answers lookups by key and upstream; what it lacks is an unknown key.

    ``stores``: every call that ended is spooled and recorded at once, as it should be.
    ``takes``: cleared, nothing more is read of what the proxy sends.
    ``greets``: cleared, a recorder that is started says nothing.
    ``knows``: cleared, it has no answers to lookups yet.
    ``stops``: it ends when the proxy says that it stops.
    """

    def __init__(self) -> None:
        self._listener = socket.create_server(("127.0.0.1", 0))
        self._changed = threading.Condition()
        self._wire: socket.socket | None = None
        self.grants: dict[tuple[str, str], Grant | Refusal] = {}
        self.stores = True
        self.takes = threading.Event()
        self.takes.set()
        self.greets = threading.Event()
        self.greets.set()
        self.knows = threading.Event()
        self.knows.set()
        self.stops = True
        self.is_alone = False
        """The proxy's end of the connection is closed."""
        self.adopts: list[UUID] = []
        self.messages: list[ProxyMessage] = []
        self._asked = 0
        self.lives = 0
        """How many recorders were started."""

    @property
    def command(self) -> str:
        return f"{sys.executable} {RELAY} {self._listener.getsockname()[1]}"

    def grant(self, key: str, upstream: str, found: Grant | Refusal) -> None:
        self.grants[_sha256(key), upstream] = found

    def __enter__(self) -> Self:
        threading.Thread(target=self._live, daemon=True).start()
        return self

    def __exit__(self, *_: object) -> None:
        self.takes.set()
        self.greets.set()
        self.knows.set()
        self._listener.close()
        self.die()

    def die(self) -> None:
        """As if it were killed: its end of the connection closes."""
        if self._wire is not None:
            with contextlib.suppress(OSError):
                self._wire.shutdown(socket.SHUT_RDWR)

    def say(self, *messages: RecorderMessage) -> None:
        self.say_raw(frame(messages))

    def say_raw(self, data: bytes) -> None:
        assert self._wire is not None
        self._wire.sendall(data)

    def until_heard(self, proxy: StartedProxy) -> None:
        """Waits until the proxy has taken all that was said: it is asked for a later answer."""
        self._asked += 1
        path = f"/proxy/ri_nobody/unknown-{self._asked}/x"
        assert proxy.ask("GET", path).error == Refusal.UNKNOWN_KEY

    def wait(self, is_so: Callable[[], Kind | None | bool]) -> Kind:
        """Waits until a question about what came has an answer, and returns it."""
        with self._changed:
            assert self._changed.wait_for(lambda: bool(is_so()), WAIT_SECONDS), self.messages
            return is_so()  # type: ignore[return-value]

    def of(self, kind: type[Kind]) -> list[Kind]:
        return [each for each in list(self.messages) if isinstance(each, kind)]

    def kinds(self, call: UUID) -> list[type]:
        """In which order the messages of a call came; reads that follow each other once."""
        kinds = [
            type(each)
            for each in self.messages
            if isinstance(
                each, CallBegun | RequestSent | ResponseBegun | ReadsForwarded | CallEnded
            )
            and each.call == call
        ]
        return [kind for at, kind in enumerate(kinds) if not at or kinds[at - 1] is not kind]

    def _live(self) -> None:
        while True:
            try:
                self._wire, _ = self._listener.accept()
            except OSError:
                return
            self._wire.settimeout(None)
            with suppress(OSError), self._wire:
                self._greet()
                self._read(self._wire, PayloadSplitter())
            with self._changed:
                self.is_alone = True
                self._changed.notify_all()

    def _greet(self) -> None:
        self.greets.wait()
        self.say(Adopted(self.adopts))
        with self._changed:
            self.lives += 1
            self._changed.notify_all()

    def _read(self, wire: socket.socket, splitter: PayloadSplitter) -> None:
        while self.takes.wait() and (data := wire.recv(1 << 16)):
            for payload in splitter.feed(data):
                for message in proxy_messages(payload):
                    self._take(message)

    def _take(self, message: ProxyMessage) -> None:
        with self._changed:
            self.messages.append(message)
            self._changed.notify_all()
        match message:
            case Lookup():
                self.knows.wait()
                found = self.grants.get((message.key_sha256, message.upstream), Refusal.UNKNOWN_KEY)
                if isinstance(found, Grant):
                    self.say(Found(message.number, grant=found))
                else:
                    self.say(Found(message.number, refusal=found))
            case CallEnded() if self.stores:
                self.say(Spooled([message.call]), Recorded([message.call]))
        if isinstance(message, Stopping) and self.stops:
            self.die()
