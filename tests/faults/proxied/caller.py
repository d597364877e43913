"""A caller of the proxy that may go at any moment, by FIN or by RST."""

import http.client
import json
import socket
from dataclasses import dataclass, field

from tests.faults.proxied.upstream import BOUND_SECONDS, RESETS

ASKED = json.dumps(
    {"model": "m", "stream": True, "messages": [{"role": "user", "content": "Tea?"}]}
)
PATH = "/v1/chat/completions"


@dataclass(slots=True)
class Heard:
    """Response that came back. ``is_whole`` is False where its connection ended before it did."""

    status: int
    headers: list[tuple[str, str]]
    body: bytes
    is_whole: bool = True
    reason: str = ""
    """The phrase behind the status."""

    def header(self, name: str) -> str | None:
        return next((value for each, value in self.headers if each.lower() == name.lower()), None)


@dataclass(slots=True)
class OutgoingCall:
    """Sent when made; the response is read as far as the row wants it."""

    port: int
    path: str
    body: bytes = ASKED.encode()
    headers: dict[str, str] = field(default_factory=dict)
    method: str = "POST"
    heard: bytearray = field(default_factory=bytearray)
    _connection: http.client.HTTPConnection = field(init=False)
    _socket: socket.socket = field(init=False)
    _response: http.client.HTTPResponse | None = None

    def __post_init__(self) -> None:
        self._connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=BOUND_SECONDS)
        self._connection.connect()
        self._socket = self._connection.sock
        headers = {"Content-Type": "application/json", **self.headers}
        try:
            self._connection.request(self.method, self.path, self.body, headers)
        except OSError:
            self.leave()
            raise

    @property
    def response(self) -> http.client.HTTPResponse:
        """Waits for the head of it."""
        if self._response is None:
            self._response = self._connection.getresponse()
        return self._response

    def read(self, count: int) -> bytes:
        """Waits until so many more bytes are there, or the end."""
        data = self.response.read(count)
        self.heard += data
        return data

    def read_all(self) -> Heard:
        """Raises what an HTTP client raises where not even a head comes."""
        try:
            response, whole = self.response, self._read_body()
        finally:
            # Also where the proxy was killed before it answered: nobody else closes the socket.
            self.leave()
        headers = response.getheaders()
        return Heard(response.status, headers, bytes(self.heard), whole, response.reason)

    def _read_body(self) -> bool:
        """Tells whether all of it came."""
        try:
            while data := self.response.read1(65536):
                self.heard += data
        except (http.client.IncompleteRead, OSError):
            return False
        return not self.response.length

    def leave(self) -> None:
        if self._response is not None:
            self._response.close()
        self._connection.close()

    def reset(self) -> None:
        self._socket.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, RESETS)
        self.leave()
