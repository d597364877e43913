"""An upstream that does what a row says, call by call. Which call is which stands in its path."""

import hashlib
import re
import socket
import ssl
import struct
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, field
from threading import Event, Lock, Thread

BOUND_SECONDS = 180.0
KEY_IN_PATH = re.compile(r"/calls/([^/]+)/")
RESETS = struct.pack("ii", 1, 0)
"""``SO_LINGER``: what closes the socket sends RST."""
CRLF = b"\r\n"
JSON, EVENTS = "application/json", "text/event-stream"


class CallerGone(Exception):
    """The other side closed its connection; nobody waits for the rest."""


@dataclass(slots=True)
class UpstreamCall:
    """One call as the upstream had it. ``sent`` is the body of its response, coding undone."""

    key: str
    request_line: str
    headers: list[tuple[str, str]]
    body: bytes
    connection: socket.socket
    sent: bytearray = field(default_factory=bytearray)
    is_chunked: bool = False

    # -- what a play may do -------------------------------------------------------------------

    def head(self, status: str = "200 OK", *headers: str, chunked: bool = True) -> None:
        self.is_chunked = chunked
        lines = [f"HTTP/1.1 {status}", *headers, "Connection: close"]
        if chunked:
            lines.append("Transfer-Encoding: chunked")
        self.raw("\r\n".join([*lines, "", ""]).encode())

    def say(self, data: bytes) -> None:
        self.sent += data
        self.raw(b"%x\r\n%b\r\n" % (len(data), data) if self.is_chunked else data)

    def finish(self) -> None:
        if self.is_chunked:
            self.raw(b"0\r\n\r\n")

    def raw(self, data: bytes) -> None:
        try:
            self.connection.sendall(data)
        except OSError as error:
            raise CallerGone from error

    def reset(self) -> None:
        self.connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, RESETS)
        self.connection.close()

    def wait_until_left(self) -> None:
        """The other side has closed; whatever it still sends is no matter."""
        with suppress(OSError):
            while self.connection.recv(4096):
                pass

    @property
    def sha256(self) -> str:
        return hashlib.sha256(self.sent).hexdigest()


Play = Callable[[UpstreamCall], None]


def events(key: str, said: int = 3) -> list[bytes]:
    """A stream that is like no other, event by event, and ends as it should."""
    head = f'"id":"{key}","object":"chat.completion.chunk","created":1,"model":"m"'
    words = [
        f'"delta":{{"content":"Tee {n} ist fertig ☕ "}},"finish_reason":null' for n in range(said)
    ]
    parts = [*words, '"delta":{},"finish_reason":"stop"']
    told = [f'data: {{{head},"choices":[{{"index":0,{part}}}]}}\r\n\r\n' for part in parts]
    return [event.encode() for event in (*told, "data: [DONE]\r\n\r\n")]


def whole_stream(call: UpstreamCall) -> None:
    call.head("200 OK", f"Content-Type: {EVENTS}")
    for event in events(call.key):
        call.say(event)
    call.finish()


class ScriptedUpstream:
    """``plan`` a play for a key before it is called; an unplanned call gets a whole stream."""

    def __init__(self, tls: ssl.SSLContext | None = None, name: str = "127.0.0.1") -> None:
        self.calls: dict[str, list[UpstreamCall]] = {}
        self.left = 0
        """Connections that are closed again, of ``taken``."""
        self.taken = 0
        self._plays: dict[str, Play] = {}
        self._tls = tls
        self._lock = Lock()
        self._arrived: dict[str, Event] = {}
        self._server = socket.create_server(("127.0.0.1", 0), backlog=512)
        self.port: int = self._server.getsockname()[1]
        self.url = f"{'https' if tls else 'http'}://{name}:{self.port}"
        Thread(target=self._accept, name="upstream", daemon=True).start()

    def plan(self, key: str, play: Play) -> None:
        with self._lock:
            self._plays[key] = play

    def call(self, key: str) -> UpstreamCall:
        """Waits until it has arrived."""
        assert self._arrival(key).wait(BOUND_SECONDS), f"{key} did not reach the upstream"
        return self.calls[key][-1]

    def close(self) -> None:
        # Wakes the thread that waits in accept, which closing alone does not.
        with suppress(OSError):
            self._server.shutdown(socket.SHUT_RDWR)
        self._server.close()

    def _arrival(self, key: str) -> Event:
        with self._lock:
            return self._arrived.setdefault(key, Event())

    def _accept(self) -> None:
        with suppress(OSError):
            while True:
                connection, _ = self._server.accept()
                connection.settimeout(BOUND_SECONDS)
                with self._lock:
                    self.taken += 1
                Thread(target=self._serve, args=[connection], daemon=True).start()

    def _serve(self, connection: socket.socket) -> None:
        try:
            with suppress(OSError, CallerGone, ValueError):
                secured = self._tls.wrap_socket(connection, True) if self._tls else connection
                with secured:
                    self._play(secured)
        finally:
            connection.close()
            with self._lock:
                self.left += 1

    def _play(self, connection: socket.socket) -> None:
        call = _read_call(connection)
        with self._lock:
            self.calls.setdefault(call.key, []).append(call)
            play = self._plays.get(call.key, whole_stream)
        self._arrival(call.key).set()
        play(call)


def _read_call(connection: socket.socket) -> UpstreamCall:
    with connection.makefile("rb") as file:
        request_line = file.readline().decode("latin-1").strip()
        headers = []
        while line := file.readline().strip():
            name, _, value = line.decode("latin-1").partition(":")
            headers.append((name, value.strip()))
        named = {name.lower(): value for name, value in headers}
        if named.get("transfer-encoding") == "chunked":
            body = b"".join(iter(lambda: _chunk(file), b""))
        else:
            length = int(named.get("content-length", "0"))
            body = file.read(length)
            if len(body) < length:
                raise ValueError("a request that was cut is no call")
    found = KEY_IN_PATH.search(request_line)
    if found is None:
        raise ValueError(request_line)
    return UpstreamCall(found[1], request_line, headers, body, connection)


def _chunk(file: object) -> bytes:
    size = int(file.readline(), 16)  # type: ignore[attr-defined]
    data: bytes = file.read(size)  # type: ignore[attr-defined]
    file.readline()  # type: ignore[attr-defined]
    return data
