"""Asking again, as ``docs/api`` tells senders to: after ``Retry-After`` where the server names a
time, else after a random time that grows.
"""

from __future__ import annotations

import random
import time
from argparse import ArgumentParser
from collections.abc import Callable
from dataclasses import dataclass

from inspector.operations.remote.connection import RemoteAnswer

AGAIN = frozenset((0, 408, 429, 500, 502, 503, 504))
"""0: no answer came."""
LONGEST_WAIT_SECONDS = 30.0
FIRST_WAIT_SECONDS = 0.5


def add_patience_option(parser: ArgumentParser, seconds: float) -> None:
    """``--patience``, by default so many seconds."""
    parser.add_argument(
        "--patience",
        type=float,
        default=seconds,
        metavar="SECONDS",
        help="to wait in all for a server that is away or busy; default: %(default)g",
    )


@dataclass
class Patience:
    """How long a command goes on asking in all; what it waited is taken from it."""

    seconds: float

    def asked(self, ask: Callable[[], RemoteAnswer]) -> RemoteAnswer:
        """The first answer that is final, or the last one before patience ended."""
        step = FIRST_WAIT_SECONDS
        while True:
            answer = ask()
            if answer.status not in AGAIN:
                return answer
            if not self.waited(self._wait(answer, step)):
                return answer
            step = min(step * 2, LONGEST_WAIT_SECONDS)

    def waited(self, seconds: float) -> bool:
        """False where that is longer than what is left; nothing is waited then."""
        if seconds > self.seconds:
            return False
        self.seconds -= seconds
        pause(seconds)
        return True

    def _wait(self, answer: RemoteAnswer, step: float) -> float:
        if answer.retry_after_seconds is not None:
            return answer.retry_after_seconds
        # Never 0: a server that refuses at once would be asked as fast as the machine can.
        return step * (0.1 + 0.9 * random.random())


def pause(seconds: float) -> None:
    time.sleep(seconds)
