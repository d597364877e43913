"""An installation as its commands see it: questions to its REST interface, and answers. A
connection is kept between them; one that broke is made again by the next question.
"""

from __future__ import annotations

import http.client
import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any
from urllib.parse import urlencode, urlsplit

TIMEOUT_SECONDS = 60.0
JSON_TYPE = "application/json"
PIECE_BYTES = 1 << 18


class RemoteError(Exception):
    """Raised where a command cannot go on; the message is a sentence for people, without keys."""


@dataclass(frozen=True, slots=True, repr=False)
class Target:
    """Where an installation is, and the key to use there. Without ``repr``: it would print that."""

    url: str
    key: str


@dataclass(frozen=True, slots=True)
class RemoteAnswer:
    """``status`` is 0 where no answer came; ``body`` is then the reason."""

    status: int
    body: bytes
    retry_after_seconds: float | None = None

    @property
    def is_good(self) -> bool:
        return 200 <= self.status < 300

    def value(self) -> Any:
        return json.loads(self.body)

    def reason(self) -> str:
        """What the server says of a refusal, else its status; never what was sent."""
        if not self.status:
            return self.body.decode("utf-8", "replace")
        try:
            return str(self.value()["error"]["message"])
        except (ValueError, KeyError, TypeError):
            return f"the server answered with status {self.status}"


@dataclass(slots=True)
class StreamedAnswer:
    """A good answer whose body is taken as it comes. ``broken`` is why it ended early, else empty.
    Use it in ``with``: the connection takes no other question until it is over.
    """

    status: int
    _wire: http.client.HTTPConnection
    _answer: http.client.HTTPResponse
    broken: bytes = b""

    def __enter__(self) -> StreamedAnswer:
        return self

    def __exit__(self, *_: object) -> None:
        if not self._answer.isclosed():
            self._wire.close()

    def pieces(self) -> Iterator[bytes]:
        try:
            while piece := self._answer.read(PIECE_BYTES):
                yield piece
            # ``read`` with a length does not tell of a body that ended early.
            if self._answer.length:
                self.broken = b"the answer ended early"
        except (OSError, http.client.HTTPException) as error:
            self.broken = _reason(error)
        if self.broken:
            self._wire.close()


class ServerConnection:
    """Usable by one thread. ``close`` it, or use it in ``with``."""

    def __init__(self, target: Target, timeout_seconds: float = TIMEOUT_SECONDS) -> None:
        parts = urlsplit(target.url)
        self._base = parts.path.rstrip("/")
        self._authorization = f"Bearer {target.key}"
        is_tls = parts.scheme == "https"
        kind = http.client.HTTPSConnection if is_tls else http.client.HTTPConnection
        self._wire = kind(parts.hostname or "", parts.port, timeout=timeout_seconds)

    def __enter__(self) -> ServerConnection:
        return self

    def __exit__(self, *_: object) -> None:
        self._wire.close()

    def get(self, path: str, query: Mapping[str, Any] | None = None) -> RemoteAnswer:
        return self._ask("GET", path, query)

    def post(
        self,
        path: str,
        body: bytes,
        content_type: str,
        query: Mapping[str, Any] | None = None,
        idempotency_key: str | None = None,
    ) -> RemoteAnswer:
        headers = {"Content-Type": content_type}
        if idempotency_key is not None:
            headers["Idempotency-Key"] = idempotency_key
        return self._ask("POST", path, query, body, headers)

    def stream(self, path: str, headers: Mapping[str, str]) -> StreamedAnswer | RemoteAnswer:
        """A ``RemoteAnswer`` where there is no good one."""
        sent = {"Authorization": self._authorization, "Accept": "*/*", **headers}
        try:
            # A connection that was kept may be closed on the other side, which reads as trouble.
            self._wire.close()
            self._wire.request("GET", f"{self._base}{path}", None, sent)
            answer = self._wire.getresponse()
            if 200 <= answer.status < 300:
                return StreamedAnswer(answer.status, self._wire, answer)
            return RemoteAnswer(answer.status, answer.read(), _retry_after_seconds(answer))
        except (OSError, http.client.HTTPException) as error:
            self._wire.close()
            return RemoteAnswer(0, _reason(error))

    def _ask(
        self,
        method: str,
        path: str,
        query: Mapping[str, Any] | None,
        body: bytes | None = None,
        headers: Mapping[str, str] | None = None,
    ) -> RemoteAnswer:
        address = f"{self._base}{path}" + (f"?{urlencode(query, doseq=True)}" if query else "")
        sent = {"Authorization": self._authorization, "Accept": "*/*", **(headers or {})}
        is_kept = self._wire.sock is not None
        try:
            return self._exchanged(method, address, body, sent)
        except (http.client.RemoteDisconnected, ConnectionResetError, BrokenPipeError) as error:
            self._wire.close()
            # A server may close a connection that was idle; a new one is no sign of trouble.
            if is_kept and method == "GET":
                return self._ask(method, path, query, body, headers)
            return RemoteAnswer(0, _reason(error))
        except (OSError, http.client.HTTPException) as error:
            self._wire.close()
            return RemoteAnswer(0, _reason(error))

    def _exchanged(
        self, method: str, address: str, body: bytes | None, headers: Mapping[str, str]
    ) -> RemoteAnswer:
        self._wire.request(method, address, body, dict(headers))
        answer = self._wire.getresponse()
        return RemoteAnswer(answer.status, answer.read(), _retry_after_seconds(answer))


def _retry_after_seconds(answer: http.client.HTTPResponse) -> float | None:
    wait = answer.headers.get("Retry-After", "")
    return float(wait) if wait.isascii() and wait.isdigit() else None


def _reason(error: Exception) -> bytes:
    text = getattr(error, "strerror", None) or str(error) or type(error).__name__
    return f"no answer from the server ({text})".encode()
