"""Limits how many of the threads that serve requests work at a time, and how many of them work or
wait for one owner of uploads.

More would slow all of them down, since they share the processors and the GIL. The other threads
only wait for their clients and cost little, so a client that announces a body and does not send it
blocks only one of them. A small upload may cost much, as only its sender knows: of the turns and of
the threads, one owner has at most half.
"""

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
"""Then 429: who waits holds a thread, and a sender that waits itself holds none."""


class OverShare(Exception):
    """The owner's other uploads have half of what the process can do."""

    sentence = (
        "other uploads of this team are still worked on; Retry-After says when to send it again"
    )
    retry_seconds = 1


@dataclass(slots=True)
class _Share:
    """The turns that one owner has, while it has an upload here."""

    turns: Semaphore
    requests: int = 0


class _Shares:
    """The shares of all who have an upload here."""

    def __init__(self, turns_of_one: int, threads_of_one: int, wait_seconds: float) -> None:
        self.wait_seconds = wait_seconds
        self._turns_of_one = turns_of_one
        self._threads_of_one = threads_of_one
        self._by_owner: dict[str, _Share] = {}
        # A share goes with its last request: it must not be one that another just entered.
        self._lock = Lock()

    def enter(self, owner: str) -> _Share:
        """Raise ``OverShare`` where the owner has its half of the threads."""
        with self._lock:
            share = self._by_owner.setdefault(owner, _Share(Semaphore(self._turns_of_one)))
            if share.requests >= self._threads_of_one:
                raise OverShare
            share.requests += 1
        return share

    def leave(self, owner: str) -> None:
        with self._lock:
            self._by_owner[owner].requests -= 1
            if not self._by_owner[owner].requests:
                del self._by_owner[owner]


@dataclass(slots=True)
class _Turn:
    """A turn of all, and one of the owner's own once the owner of a costly upload is known."""

    free: Semaphore
    shares: _Shares
    is_costly: bool
    owner: str | None = None
    share: _Share | None = None
    is_held: bool = False
    """False also where the request ended while waiting: no turn is given back twice."""

    def take(self) -> None:
        # First: whoever waits for its own requests keeps no turn from others.
        if self.share is not None:
            self.share.turns.acquire()
        self.free.acquire()
        self.is_held = True

    def release(self) -> None:
        if not self.is_held:
            return
        self.is_held = False
        self.free.release()
        if self.share is not None:
            self.share.turns.release()

    def take_share(self, owner: str) -> None:
        share = self.shares.enter(owner)
        if not (share.turns.acquire(blocking=False) or self._waits_for(share)):
            self.shares.leave(owner)
            raise OverShare
        self.owner, self.share = owner, share

    def end(self) -> None:
        self.release()
        if self.owner is not None:
            self.shares.leave(self.owner)

    def _waits_for(self, share: _Share) -> bool:
        self.is_held = False
        self.free.release()
        try:
            return share.turns.acquire(timeout=self.shares.wait_seconds)
        finally:
            self.free.acquire()
            self.is_held = True


class Turns:
    """A WSGI application that answers so many requests at once; streams need no turn."""

    def __init__(
        self, application: Application, most: int, threads: int, wait_seconds: float = WAIT_SECONDS
    ) -> None:
        self._application = application
        # Of all owners together; the shares below bound each of them.
        self._free = Semaphore(most)
        self._shares = _Shares(max(1, most // 2), max(1, threads // 2), wait_seconds)

    def __call__(
        self, environ: dict[str, Any], start_response: Callable[..., Any]
    ) -> Iterable[bytes]:
        if environ.get("PATH_INFO") == WITHOUT_TURN:
            return self._application(environ, start_response)
        turn = _Turn(self._free, self._shares, is_costly_upload(environ))
        turn.take()
        _mine.turn = turn
        try:
            return self._application(environ, start_response)
        finally:
            _mine.turn = None
            turn.end()


def is_costly_upload(environ: dict[str, Any]) -> bool:
    return (
        environ.get("PATH_INFO") in MANY_IN_ONE
        or "HTTP_CONTENT_ENCODING" in environ
        or "HTTP_TRANSFER_ENCODING" in environ
        or len(length := environ.get("CONTENT_LENGTH") or "") > 9
        or (length.isdecimal() and int(length) > LIGHT_BYTES)
    )


def take_share(owner: str) -> None:
    """From here on this thread's request is the owner's, if it is a costly upload. Waits for the
    owner's others, ``WAIT_SECONDS`` and without a turn; then raises ``OverShare``.

    Called where a credential was found to be good: how it is spelled, and which of several it is,
    makes no other owner, and nothing costly is done for whoever has none.
    """
    turn = _turn_of_this_thread()
    if turn is not None and turn.is_costly and turn.owner is None:
        turn.take_share(owner)


@contextmanager
def turn_released() -> Iterator[None]:
    """Release this thread's turn, if it has one, while it waits."""
    turn = _turn_of_this_thread()
    if turn is None:
        yield
        return
    turn.release()
    try:
        yield
    finally:
        # Waits again, behind those that came meanwhile: as many work at a time as before.
        turn.take()


def _turn_of_this_thread() -> _Turn | None:
    return getattr(_mine, "turn", None)


_mine = local()
