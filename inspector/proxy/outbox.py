"""Messages of a child to the proxy, from whichever thread has some."""

import socket
from threading import Lock
from typing import Generic, TypeVar

import msgspec

from inspector.proxy.frames import frame

Message = TypeVar("Message", bound=msgspec.Struct)


class Outbox(Generic[Message]):
    def __init__(self, connection: socket.socket) -> None:
        self._connection = connection
        # Several threads of a child have messages: frames must not mix.
        self._sending = Lock()

    def send(self, *messages: Message) -> None:
        """Send nothing to a proxy that is gone: it needs no word of anything."""
        if not messages:
            return
        data = frame(messages)
        try:
            # Two frames must not mix. The proxy reads whatever it does else.
            with self._sending:
                self._connection.sendall(data)
        except OSError:
            return
