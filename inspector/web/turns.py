"""Limits how many of the threads that serve requests work at a time, and how many of them work or
wait for one sender of uploads.

More would slow all of them down, since they share the processors and the GIL. The other threads
only wait for their clients and cost little, so a client that announces a body and does not send it
blocks only one of them. A small upload may cost much, as only its sender knows: of the turns and of
the threads, one sender has at most half.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from threading import Lock, Semaphore, local
from typing import Any

Application = Callable[[dict[str, Any], Callable[..., Any]], Iterable[bytes]]

# A liveness probe kills the process where the answer is late, so it never waits for a turn.
WITHOUT_TURN = "/livez"
MANY_IN_ONE = ("/v1/traces", "/api/v1/captures/file/", "/api/v1/captures/batch/")
"""Paths of which a request of any length may store a thousand captures."""
LIGHT_BYTES = 64 * 1024
"""A body of more may be costly, and one in a coding: of ten bytes it makes ten thousand."""
WAIT_SECONDS = 5.0
OVER_SHARE = "inspector.over_share"
"""Set in the environ of a request that is to be refused because its sender has its half."""


@dataclass(slots=True)
class _Share:
    """What one sender has of the turns, while it has a request here."""

    turns: Semaphore
    requests: int = 0


@dataclass(frozen=True, slots=True)
class _Turn:
    """A turn of all, and one of the sender's own where it has only so many."""

    free: Semaphore
    own: Semaphore | None = None

    def take(self, seconds: float | None = None) -> bool:
        """False where the sender's own others did not end by then."""
        # First: whoever waits for its own requests keeps no turn from others.
        if self.own is not None and not self.own.acquire(timeout=seconds):
            return False
        self.free.acquire()
        return True

    def release(self) -> None:
        self.free.release()
        if self.own is not None:
            self.own.release()


class Turns:
    """A WSGI application that answers so many requests at once, in so many threads. What it streams
    is sent without a turn.
    """

    def __init__(
        self, application: Application, most: int, threads: int, wait_seconds: float = WAIT_SECONDS
    ) -> None:
        self._application = application
        self._free = Semaphore(most)
        self._turns_of_one = max(1, most // 2)
        self._threads_of_one = max(1, threads // 2)
        self._wait_seconds = wait_seconds
        self._shares: dict[str, _Share] = {}
        self._lock = Lock()

    def __call__(
        self, environ: dict[str, Any], start_response: Callable[..., Any]
    ) -> Iterable[bytes]:
        if environ.get("PATH_INFO") == WITHOUT_TURN:
            return self._application(environ, start_response)
        sender = sender_of_upload(environ)
        if sender is None:
            return self._in_turn(_Turn(self._free), environ, start_response)
        with self._share(sender) as own:
            if own is None:
                environ[OVER_SHARE] = True
                return self._application(environ, start_response)
            return self._in_turn(_Turn(self._free, own), environ, start_response)

    def _in_turn(
        self, turn: _Turn, environ: dict[str, Any], start_response: Callable[..., Any]
    ) -> Iterable[bytes]:
        if not turn.take(self._wait_seconds):
            environ[OVER_SHARE] = True
            return self._application(environ, start_response)
        _mine.turn = turn
        try:
            return self._application(environ, start_response)
        finally:
            _mine.turn = None
            turn.release()

    @contextmanager
    def _share(self, sender: str) -> Iterator[Semaphore | None]:
        """The sender's own turns; None where it has its half of the threads."""
        with self._lock:
            share = self._shares.setdefault(sender, _Share(Semaphore(self._turns_of_one)))
            share.requests += 1
            is_within = share.requests <= self._threads_of_one
        try:
            yield share.turns if is_within else None
        finally:
            with self._lock:
                share.requests -= 1
                if not share.requests:
                    del self._shares[sender]


def sender_of_upload(environ: dict[str, Any]) -> str | None:
    """Whose upload it is, by key or session; None for what is no costly upload of anybody."""
    sender: str | None = environ.get("HTTP_AUTHORIZATION") or environ.get("HTTP_COOKIE")
    is_costly = (
        environ.get("PATH_INFO") in MANY_IN_ONE
        or "HTTP_CONTENT_ENCODING" in environ
        or "HTTP_TRANSFER_ENCODING" in environ
        or len(length := environ.get("CONTENT_LENGTH") or "") > 9
        or (length.isdecimal() and int(length) > LIGHT_BYTES)
    )
    return sender if is_costly else None


@contextmanager
def turn_released() -> Iterator[None]:
    """Releases this thread's turn, if it has one, while it waits."""
    turn: _Turn | None = getattr(_mine, "turn", None)
    if turn is None:
        yield
        return
    turn.release()
    try:
        yield
    finally:
        # Waits again, behind those that came meanwhile: as many work at a time as before.
        turn.take()


_mine = local()
