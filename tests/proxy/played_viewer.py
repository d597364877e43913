"""The viewer as a test plays it: what the proxy asks is kept, and answered as the test wants."""

from __future__ import annotations

import socket
import sys
import threading
from collections.abc import Callable
from contextlib import suppress
from typing import Self, TypeVar

from inspector.proxy.frames import PayloadSplitter, frame
from inspector.proxy.viewer_messages import (
    ViewerMessage,
    ViewerQuestion,
    ViewerStopping,
    WatchAsked,
    viewer_questions,
)
from tests.proxy.played_recorder import RELAY
from tests.proxy.scripted_upstream import WAIT_SECONDS

Kind = TypeVar("Kind")


class PlayedViewer:
    def __init__(self) -> None:
        self._listener = socket.create_server(("127.0.0.1", 0))
        self._changed = threading.Condition()
        self._wire: socket.socket | None = None
        self.messages: list[ViewerQuestion] = []
        self.lives = 0
        """How many viewers were started."""

    @property
    def command(self) -> str:
        return f"{sys.executable} {RELAY} {self._listener.getsockname()[1]}"

    def __enter__(self) -> Self:
        threading.Thread(target=self._live, daemon=True).start()
        return self

    def __exit__(self, *_: object) -> None:
        self._listener.close()
        self.die()

    def die(self) -> None:
        """As if it were killed: its end of the connection closes."""
        if self._wire is not None:
            with suppress(OSError):
                self._wire.shutdown(socket.SHUT_RDWR)

    def say(self, *messages: ViewerMessage) -> None:
        assert self._wire is not None
        self._wire.sendall(frame(messages))

    def of(self, kind: type[Kind]) -> list[Kind]:
        return [each for each in list(self.messages) if isinstance(each, kind)]

    def asked(self, number: int = 1) -> WatchAsked:
        """Waits for so many watchers, and returns what the last of them asked."""
        self.wait(lambda: len(self.of(WatchAsked)) >= number)
        return self.of(WatchAsked)[number - 1]

    def wait(self, is_so: Callable[[], bool]) -> None:
        with self._changed:
            assert self._changed.wait_for(is_so, WAIT_SECONDS), self.messages

    def _live(self) -> None:
        while True:
            try:
                self._wire, _ = self._listener.accept()
            except OSError:
                return
            with self._changed:
                self.lives += 1
                self._changed.notify_all()
            with suppress(OSError), self._wire:
                self._read(self._wire, PayloadSplitter())

    def _read(self, wire: socket.socket, splitter: PayloadSplitter) -> None:
        while data := wire.recv(1 << 16):
            for payload in splitter.feed(data):
                for message in viewer_questions(payload):
                    with self._changed:
                        self.messages.append(message)
                        self._changed.notify_all()
                    if isinstance(message, ViewerStopping):
                        return
