"""Limits how many of the threads that serve requests work at a time. More would slow all of them
down, since they share the processors and the GIL. The other threads only wait for their clients and
cost little, so a client that announces a body and does not send it blocks only one of them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from threading import Semaphore, local
from typing import Any

Application = Callable[[dict[str, Any], Callable[..., Any]], Iterable[bytes]]


# A liveness probe kills the process where the answer is late, so it never waits for a turn.
WITHOUT_TURN = "/livez"


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
def turn_released() -> Iterator[None]:
    """Releases this thread's turn, if it has one, while it waits."""
    turn: Semaphore | None = getattr(_mine, "turn", None)
    if turn is None:
        yield
        return
    turn.release()
    try:
        yield
    finally:
        # Waits again, behind those that came meanwhile: as many work at a time as before.
        turn.acquire()


_mine = local()
