"""The database as live views need it, asked in a thread of its own, one question after the other.

It may take long to answer or not answer at all: what goes on without it goes on.
"""

from __future__ import annotations

import logging
import time
from collections.abc import Callable
from queue import Empty, SimpleQueue
from typing import NamedTuple
from uuid import UUID

from django.db import DatabaseError, InterfaceError, connection

from inspector.archive import queries, watch_token
from inspector.archive.queries import Captures
from inspector.archive.storage.segments import RecordedSince
from inspector.archive.watch_token import WatchPermit
from inspector.database.portability import StatementTimeout, time_limit
from inspector.proxy.viewer_messages import WatchRefusal
from inspector.teams.session_proof import principal_of

QUESTION_MILLISECONDS = 2000
IDLE_SECONDS = 30.0
"""A connection that nobody needs for so long is closed."""
REST_SECONDS = 1.0
"""After a failure; what is asked meanwhile has no answer."""
NO_ANSWER = (DatabaseError, InterfaceError, StatementTimeout)

_LOGGER = logging.getLogger(__name__)


class OpenToken(NamedTuple):
    """Asks whether a token opens a live view."""

    number: int
    token: str


class CheckAccess(NamedTuple):
    """Asks whether a watcher still may see the capture."""

    number: int
    permit: WatchPermit


class FetchStored(NamedTuple):
    """Asks for what is stored of a capture from a segment on."""

    permit: WatchPermit
    """Of one of those who watch it."""
    segment: int


Question = OpenToken | CheckAccess | FetchStored


class TokenOpened(NamedTuple):
    number: int
    permit: WatchPermit
    is_recording: bool


class TokenRefused(NamedTuple):
    number: int
    code: WatchRefusal


class AccessChecked(NamedTuple):
    number: int
    has_access: bool | None
    """None where the database does not answer."""


class StoredFetched(NamedTuple):
    capture_id: UUID
    found: RecordedSince | None
    is_recording: bool | None
    """None where the database does not answer, and ``found`` says nothing."""


ArchiveNews = TokenOpened | TokenRefused | AccessChecked | StoredFetched


class LiveArchive:
    def __init__(
        self, tell: Callable[[ArchiveNews], None], clock: Callable[[], float] = time.monotonic
    ) -> None:
        self._tell = tell
        self._clock = clock
        self._asked: SimpleQueue[Question] = SimpleQueue()
        self._rests_until: float | None = None

    def ask(self, question: Question) -> None:
        """May be called from any thread."""
        self._asked.put(question)

    def run(self) -> None:
        """Answers questions for ever."""
        while True:
            self._tell(self.answer(self._next()))

    def _next(self) -> Question:
        try:
            return self._asked.get(timeout=IDLE_SECONDS)
        except Empty:
            connection.close()
            return self._asked.get()

    def answer(self, question: Question) -> ArchiveNews:
        if self._rests_until is not None and self._clock() < self._rests_until:
            return _no_answer(question)
        try:
            with time_limit(QUESTION_MILLISECONDS):
                answer = _answer(question)
        except NO_ANSWER:
            self._rest()
            return _no_answer(question)
        except Exception:
            # Of this one; the others are answered.
            _LOGGER.exception("a live view's question has no answer")
            return _no_answer(question)
        self._rests_until = None
        return answer

    def _rest(self) -> None:
        if self._rests_until is None:
            _LOGGER.warning("live views get no answer of the database", exc_info=True)
        self._rests_until = self._clock() + REST_SECONDS
        if not connection.is_usable():
            connection.close()


def _answer(question: Question) -> ArchiveNews:
    match question:
        case OpenToken(number, token):
            return _opened(number, token)
        case CheckAccess(number, permit):
            return AccessChecked(number, _is_recording(permit) is not None)
        case FetchStored(permit, segment):
            captures = _captures(permit)
            found = captures.recorded_since(permit.capture_id, segment) if captures else None
            return StoredFetched(permit.capture_id, found, found is not None)


def _opened(number: int, token: str) -> TokenOpened | TokenRefused:
    permit = watch_token.permit_of(token)
    is_recording = _is_recording(permit) if permit else None
    if permit is None or is_recording is None:
        return TokenRefused(number, WatchRefusal.INVALID_TOKEN)
    return TokenOpened(number, permit, is_recording)


def _is_recording(permit: WatchPermit) -> bool | None:
    """Returns None if there is no access, or no capture."""
    captures = _captures(permit)
    return captures.is_recording(permit.capture_id) if captures else None


def _captures(permit: WatchPermit) -> Captures | None:
    principal = principal_of(permit.user_id, permit.session_proof)
    return queries.for_principal(principal) if principal else None


def _no_answer(question: Question) -> ArchiveNews:
    match question:
        case OpenToken(number):
            return TokenRefused(number, WatchRefusal.UNAVAILABLE)
        case CheckAccess(number):
            return AccessChecked(number, None)
        case FetchStored(permit):
            return StoredFetched(permit.capture_id, None, None)
