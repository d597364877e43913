"""Sends batches to the REST interface over one connection that is kept open."""

from __future__ import annotations

import json
import socket
import time
from collections.abc import Sequence
from dataclasses import dataclass
from email.utils import parsedate_to_datetime
from http.client import HTTPConnection, HTTPException, HTTPResponse, HTTPSConnection
from typing import Any
from urllib.parse import urlsplit

from response_inspector.envelope import Line

TIMEOUT_SECONDS = 10.0
PATH = "/api/v1/captures/batch/"
ANSWER_BYTES = 64 * 1024 * 1024


@dataclass(frozen=True)
class Answer:
    """``status`` is None where none came; ``statuses`` are those of the lines, as far as told."""

    status: int | None
    statuses: tuple[int, ...] = ()
    retry_after_seconds: float = 0.0
    trouble: str = ""


class Connection:
    """A connection of one thread. Nothing here raises; what happened is the answer."""

    def __init__(self, url: str, key: str) -> None:
        parts = urlsplit(url)
        if parts.scheme not in ("http", "https") or not parts.hostname:
            raise ValueError("the address of Response Inspector begins with http:// or https://")
        self._is_secure = parts.scheme == "https"
        self._host = parts.hostname
        self._port = parts.port
        self._path = parts.path.rstrip("/") + PATH
        self._key = key
        self._open: HTTPConnection | None = None

    def post(self, lines: Sequence[Line]) -> Answer:
        body = b"".join([line.text for line in lines])
        is_kept = self._open is not None
        try:
            return self._post(body)
        except (OSError, HTTPException, ValueError) as error:
            self.close()
            if is_kept and not isinstance(error, socket.timeout):
                # The server may have closed it meanwhile, as servers do.
                return self.post(lines)
            return Answer(None, trouble=f"{type(error).__name__}: {error}")

    def _post(self, body: bytes) -> Answer:
        if self._open is None:
            self._open = self._connect()
        headers = {"Authorization": f"Bearer {self._key}", "Content-Type": "application/x-ndjson"}
        self._open.request("POST", self._path, body, headers)
        response = self._open.getresponse()
        content = response.read(ANSWER_BYTES)
        if response.will_close:
            self.close()
        return _answer(response, content)

    def _connect(self) -> HTTPConnection:
        kind = HTTPSConnection if self._is_secure else HTTPConnection
        return kind(self._host, self._port, timeout=TIMEOUT_SECONDS)

    def close(self) -> None:
        opened, self._open = self._open, None
        if opened is not None:
            opened.close()

    def forget(self) -> None:
        """After a fork: the socket is the parent's."""
        self._open = None


def _answer(response: HTTPResponse, content: bytes) -> Answer:
    if response.status != 200:
        after = retry_after_seconds(response.getheader("Retry-After", ""))
        return Answer(response.status, (), after, _message(content))
    results = [json.loads(line) for line in content.splitlines() if line.strip()]
    return Answer(200, tuple(int(each["status"]) for each in results), 0.0, _first_message(results))


def _first_message(results: Sequence[Any]) -> str:
    return next((str(each["error"].get("message")) for each in results if each.get("error")), "")


def _message(content: bytes) -> str:
    try:
        return str(json.loads(content)["error"]["message"])
    except (ValueError, KeyError, TypeError):
        return ""


def retry_after_seconds(value: str) -> float:
    """Return the header's seconds, stated as such or as a date; 0 where it says neither."""
    if value.strip().isdigit():
        return float(value)
    try:
        return max(0.0, parsedate_to_datetime(value).timestamp() - time.time())
    except (TypeError, ValueError, IndexError):
        return 0.0
