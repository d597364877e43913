"""Of the threads that hold requests only a few work at a time; the others wait for their clients.

More that work at once would be slower for everybody: they share the processors and one lock. More
that wait cost nothing, and a client that announces what it does not send holds one that waits.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from threading import Semaphore, local
from typing import Any

Application = Callable[[dict[str, Any], Callable[..., Any]], Iterable[bytes]]


WITHOUT_TURN = "/livez"
"""Whoever asks whether a process lives ends it where the answer is late: it waits for no work."""


class Turns:
    """A WSGI application that answers so many requests at once. What it streams is sent without
    a turn.
    """

    def __init__(self, application: Application, most: int) -> None:
        self._application = application
        self._free = Semaphore(most)

    def __call__(
        self, environ: dict[str, Any], start_response: Callable[..., Any]
    ) -> Iterable[bytes]:
        if environ.get("PATH_INFO") == WITHOUT_TURN:
            return self._application(environ, start_response)
        with self._free:
            _mine.turn = self._free
            try:
                return self._application(environ, start_response)
            finally:
                _mine.turn = None


@contextmanager
def lent() -> Iterator[None]:
    """The turn of this thread, if it has one, is another's meanwhile."""
    turn: Semaphore | None = getattr(_mine, "turn", None)
    if turn is None:
        yield
        return
    turn.release()
    try:
        yield
    finally:
        turn.acquire()


_mine = local()
