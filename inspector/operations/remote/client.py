"""An installation as its commands see it: where it is, the key to use there, what is asked again,
and errors as sentences. Every question has a connection of its own.
"""

from __future__ import annotations

import http.client
import json
import os
import random
import time
from argparse import ArgumentParser, Namespace
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import IO, Any
from urllib.parse import SplitResult, urlencode, urlsplit

CAPTURES_PATH = "/api/v1/captures/"
URL_VARIABLE, KEY_VARIABLE = "INSPECTOR_URL", "INSPECTOR_KEY"
TIMEOUT_SECONDS = 60.0
"""nginx's own; a question that takes longer was cut off on the way."""
AGAIN = frozenset((0, 408, 429, 500, 502, 503, 504))
"""0: no answer came."""
FIRST_WAIT_SECONDS, LONGEST_WAIT_SECONDS = 0.5, 30.0
"""Doubled with each failure: a restart is over in seconds, an outage is not asked all the time."""
MOST_ROWS = 100
"""Rows of one page of captures."""
PIECE_BYTES = 1 << 18
"""In memory of a download of any size."""

Row = dict[str, Any]
Query = Mapping[str, Any]


class RemoteError(Exception):
    """Raised where a command cannot go on; the message is a sentence for people, without keys.
    ``status`` is that of the server's answer, 0 where none came.
    """

    def __init__(self, message: str, status: int = 0) -> None:
        super().__init__(message)
        self.status = status


def add_client_options(parser: ArgumentParser, patience: float = 0.0) -> None:
    """``patience``: how many seconds the command waits by default."""
    group = parser.add_argument_group("installation")
    group.add_argument("--url", help=f"its address; default: {URL_VARIABLE}")
    # Not the key itself: the arguments of a process are for everybody on the machine to read.
    group.add_argument(
        "--key-file",
        metavar="FILE",
        help=f"a file that holds the key and nothing else; default: {KEY_VARIABLE}",
    )
    group.add_argument(
        "--patience",
        type=float,
        default=patience,
        metavar="SECONDS",
        help="to wait for an answer while it is away or busy; default: %(default)g",
    )


def client_of(options: Namespace, timeout_seconds: float = TIMEOUT_SECONDS) -> Client:
    """Raise ``RemoteError``; no message has the key."""
    url = options.url or os.environ.get(URL_VARIABLE, "")
    if not url:
        raise RemoteError(f"no installation is named: set {URL_VARIABLE}, or give --url")
    return Client(url, _key(options.key_file), options.patience, timeout_seconds)


@dataclass(frozen=True, slots=True)
class RemoteAnswer:
    """``status`` is 0 where no answer came; ``body`` is then the reason."""

    status: int
    body: bytes
    retry_after: float | None = None
    """Seconds."""

    def require_good(self) -> bytes:
        """Return the body. Raises ``RemoteError`` with what the server says of a refusal."""
        if 200 <= self.status < 300:
            return self.body
        raise RemoteError(self._reason(), self.status)

    def _reason(self) -> str:
        """Never what was sent."""
        if not self.status:
            return self.body.decode("utf-8", "replace")
        try:
            return str(json.loads(self.body)["error"]["message"])
        except (ValueError, KeyError, TypeError):
            return f"the server answered with status {self.status}"


class Client:
    """Raises ``RemoteError`` where the server refuses, or is away longer than ``patience`` s."""

    def __init__(
        self, url: str, key: str, patience: float = 0.0, timeout_seconds: float = TIMEOUT_SECONDS
    ) -> None:
        self.url, self.patience = url, patience
        self._parts = _checked(url)
        self._authorization = f"Bearer {key}"
        self._timeout = timeout_seconds

    def get(self, path: str, query: Query | None = None) -> bytes:
        return self._patiently(lambda: self.asked("GET", path, query)).require_good()

    def value(self, path: str, query: Query | None = None) -> Any:
        return json.loads(self.get(path, query))

    def post(self, path: str, value: object, query: Query | None = None) -> Any:
        """Asked once: where an answer is lost, what was asked for may have begun."""
        body, headers = json.dumps(value).encode(), {"Content-Type": "application/json"}
        answer = self.asked("POST", path, query, body, headers)
        return json.loads(answer.require_good())

    def post_again(
        self, path: str, body: bytes, content_type: str, query: Query, key: str | None = None
    ) -> bytes:
        """Asked again while the server is away: the body, or ``key``, says what is the same."""
        headers = {"Content-Type": content_type, **({"Idempotency-Key": key} if key else {})}
        return self._patiently(
            lambda: self.asked("POST", path, query, body, headers)
        ).require_good()

    def rows(self, query: str, limit: int, sort: str | None = None) -> Iterator[Row]:
        """Yield captures of a query, a page at a time."""
        asked: dict[str, Any] = {"q": query} if query else {}
        if sort:
            asked["sort"] = sort
        while limit > 0:
            page = self.value(CAPTURES_PATH, {**asked, "limit": min(limit, MOST_ROWS)})
            yield from page["captures"]
            limit -= len(page["captures"])
            if page["next_cursor"] is None:
                return
            asked["cursor"] = page["next_cursor"]

    def fetch(self, path: str, file: IO[bytes]) -> None:
        """Append to the file what it has not yet; one that cannot be sought in is empty at first.
        A body that breaks off is gone on with.
        """
        sink = _Sink(file, file.tell() if file.seekable() else 0)
        self._patiently(lambda: self._went_on(path, sink)).require_good()

    def _patiently(self, ask: Callable[[], RemoteAnswer]) -> RemoteAnswer:
        """Return the first answer that is final, or the last one before patience ended."""
        patience = Patience(self.patience)
        while True:
            answer = ask()
            if answer.status not in AGAIN or not patience.waited(answer.retry_after):
                return answer

    def asked(
        self,
        method: str,
        path: str,
        query: Query | None = None,
        body: bytes | None = None,
        headers: Mapping[str, str] | None = None,
        sink: _Sink | None = None,
    ) -> RemoteAnswer:
        """Once. A good body goes into the sink as it comes, where there is one."""
        target = self._parts.path.rstrip("/") + path
        if query:
            target += f"?{urlencode(query, doseq=True)}"
        wire = self._wire()
        try:
            authorization = {"Authorization": self._authorization}
            wire.request(method, target, body, {**(headers or {}), **authorization})
            answer = wire.getresponse()
            if sink is not None and 200 <= answer.status < 300:
                sink.take(answer)
            wait = answer.headers.get("Retry-After", "")
            seconds = float(wait) if wait.isascii() and wait.isdigit() else None
            return RemoteAnswer(answer.status, answer.read(), seconds)
        except (OSError, http.client.HTTPException) as error:
            text = getattr(error, "strerror", None) or str(error) or type(error).__name__
            return RemoteAnswer(0, f"no answer from the server ({text})".encode())
        finally:
            wire.close()

    def _wire(self) -> http.client.HTTPConnection:
        is_tls = self._parts.scheme == "https"
        kind = http.client.HTTPSConnection if is_tls else http.client.HTTPConnection
        return kind(self._parts.hostname or "", self._parts.port, timeout=self._timeout)

    def _went_on(self, path: str, sink: _Sink) -> RemoteAnswer:
        headers = {"Range": f"bytes={sink.have}-"} if sink.have else {}
        answer = self.asked("GET", path, None, None, headers, sink)
        nothing_left = sink.have and answer.status == http.client.REQUESTED_RANGE_NOT_SATISFIABLE
        return RemoteAnswer(http.client.OK, b"") if nothing_left else answer


@dataclass
class Patience:
    """How long a command goes on asking; what it waited is taken from it. It waits as ``docs/api``
    tells senders to: after ``Retry-After`` where the server names a time, else after a random time
    that grows.
    """

    seconds: float
    step: float = FIRST_WAIT_SECONDS

    def waited(self, seconds: float | None = None) -> bool:
        """Return False where that is longer than what is left; nothing is waited then."""
        if seconds is None:
            # Never 0: a server that refuses at once would be asked as fast as the machine can.
            seconds = self.step * (0.1 + 0.9 * random.random())
        self.step = min(self.step * 2, LONGEST_WAIT_SECONDS)
        if seconds > self.seconds:
            return False
        self.seconds -= seconds
        pause(seconds)
        return True


@dataclass
class _Sink:
    """A file that grows, and how many bytes it has."""

    file: IO[bytes]
    have: int

    def take(self, answer: http.client.HTTPResponse) -> None:
        if self.have and answer.status != http.client.PARTIAL_CONTENT:
            raise RemoteError("the server began anew where the file was to go on")
        while piece := answer.read(PIECE_BYTES):
            try:
                self.file.write(piece)
            except OSError as error:
                raise RemoteError(f"{self.file.name}: {error.strerror or error}") from error
            self.have += len(piece)
        # ``read`` with a length does not tell of a body that ended early.
        if answer.length:
            raise http.client.IncompleteRead(b"", answer.length)


def pause(seconds: float) -> None:
    time.sleep(seconds)


def _checked(url: str) -> SplitResult:
    try:
        parts = urlsplit(url)
        if parts.scheme in ("http", "https") and parts.hostname and parts.port != 0:
            return parts
    except ValueError:
        pass
    raise RemoteError("the address is none: it begins with http:// or https://")


def _key(file: str | None) -> str:
    key = (_content(file) if file else os.environ.get(KEY_VARIABLE, "")).strip()
    if not key:
        raise RemoteError(f"no key is given: set {KEY_VARIABLE}, or give --key-file")
    if not (key.isascii() and key.isprintable()):
        raise RemoteError("the key has characters that no key has")
    return key


def _content(file: str) -> str:
    try:
        with open(file, encoding="ascii", errors="replace") as opened:
            return opened.read(1000)
    except OSError as error:
        raise RemoteError(f"{file}: {error.strerror or error}") from error
