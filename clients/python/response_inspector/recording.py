"""One call while it goes on: what was asked, each read with its time, and how it ended.

Nothing here raises, waits or does more than note what is passing.
"""

from __future__ import annotations

import logging
import threading
import time
import uuid
from collections.abc import Callable, Sequence

from response_inspector.labels import Labels

KEPT_BYTES = 10 * 1024 * 1024
"""Bytes kept of a response; a longer one is kept up to here. A longer request body is left out. In
base64 both fit into what the server takes.
"""
READ_OVERHEAD_BYTES = 100

_OF_CODING = (b"content-encoding", b"content-length")
_LOGGER = logging.getLogger("response_inspector")

RawHeaders = Sequence[tuple[bytes, bytes]]

ENDED = "ended"
CAPPED = "capped"
CLIENT_CANCELLED = "client-cancelled"
UPSTREAM_ERROR = "upstream-error"
UPSTREAM_TIMEOUT = "upstream-timeout"
RECORDER_STOPPED = "recorder-stopped"


class Recording:
    """Times are nanoseconds of one clock that only goes forward."""

    __slots__ = (
        "_is_over",
        "_lock",
        "_take",
        "began_ns",
        "error",
        "id",
        "kept_bytes",
        "labels",
        "method",
        "outcome",
        "reads",
        "request_body",
        "request_headers",
        "response_headers",
        "sent_ns",
        "started_at",
        "status",
        "total_bytes",
        "url",
    )

    def __init__(
        self,
        method: str,
        url: str,
        request_headers: RawHeaders,
        request_body: bytes | None,
        labels: Labels,
        take: Callable[[Recording], None],
    ) -> None:
        self.id = uuid.uuid4().hex
        self.method = method
        self.url = url
        self.request_headers = request_headers
        self.request_body = request_body
        self.labels = labels
        self.status: int | None = None
        self.response_headers: RawHeaders | None = None
        self.reads: list[tuple[int, bytes]] = []
        self.kept_bytes = 0
        self.total_bytes = 0
        self.outcome = ""
        self.error: str | None = None
        """Name of the exception that the caller got from its transport."""
        self._take = take
        self._is_over = False
        # A thread that closes an answer may meet the one that reads it, and the end of the program.
        self._lock = threading.RLock()
        self.started_at = time.time()
        self.began_ns = time.perf_counter_ns()
        self.sent_ns: int | None = None
        """When the last byte of the request was sent; None where the transport does not tell."""

    @property
    def size(self) -> int:
        """Bytes that it holds in memory, about."""
        reads = self.kept_bytes + READ_OVERHEAD_BYTES * len(self.reads)
        return reads + len(self.request_body or b"") + 2_000

    def request_sent(self) -> None:
        self.sent_ns = time.perf_counter_ns()

    def answered(self, status: int, headers: RawHeaders) -> None:
        self.status = status
        self.response_headers = headers

    def read(self, data: bytes) -> None:
        now = time.perf_counter_ns()
        self.total_bytes += len(data)
        if self.kept_bytes < KEPT_BYTES:
            kept = data[: KEPT_BYTES - self.kept_bytes]
            self.kept_bytes += len(kept)
            self.reads.append((now, kept))

    def read_whole(self, body: bytes) -> None:
        """Note that the answer came at once, and without the coding that its headers may
        tell of.
        """
        headers = self.response_headers or ()
        self.response_headers = [each for each in headers if each[0].lower() not in _OF_CODING]
        self.read(body)
        self.ended()

    # -- its end -----------------------------------------------------------------------------------

    def ended(self) -> None:
        """Note that, as the transport says, the answer is whole."""
        self._end(ENDED)

    def closed(self) -> None:
        """Note that the caller wants no more of it."""
        self._end(ENDED if self._is_whole() else CLIENT_CANCELLED)

    def failed(self, error: BaseException) -> None:
        """Note that the caller gets this exception from its transport."""
        outcome = outcome_of(error)
        if outcome is not CLIENT_CANCELLED:
            self.error = self.error or type(error).__name__
        self._end(outcome)

    def stopped(self) -> None:
        """End it as the program does, while the answer is still coming."""
        self._end(RECORDER_STOPPED)

    def _end(self, outcome: str) -> None:
        with self._lock:
            if self._is_over:
                return
            self._is_over = True
            is_capped = self.total_bytes > self.kept_bytes and outcome == ENDED
            self.outcome = CAPPED if is_capped else outcome
        try:
            self._take(self)
        except Exception:
            # The caller is in the middle of its answer.
            _LOGGER.debug("a call could not be taken", exc_info=True)

    def _is_whole(self) -> bool:
        """All bytes came that were announced, though the transport was not asked for its end."""
        for name, value in self.response_headers or ():
            if name.lower() == b"content-length":
                return value.isdigit() and int(value) == self.total_bytes
        return False


_TIMEOUTS = ("TimeoutException", "TimeoutError", "timeout")


def outcome_of(error: BaseException) -> str:
    if not isinstance(error, Exception):
        # Tasks that are cancelled, generators that are closed, an interrupt from the keyboard.
        return CLIENT_CANCELLED
    # httpx is not imported: whose timeout it is, of which release, its name tells.
    names = {each.__name__ for each in type(error).__mro__}
    return UPSTREAM_ERROR if names.isdisjoint(_TIMEOUTS) else UPSTREAM_TIMEOUT
