"""Answers what a key may do at an upstream.

While the database does not answer, neither does it: the proxy remembers what it heard last, and for
how long. In a thread of its own: no call is written later because of it.
"""

import dataclasses
import logging
import time
from collections import OrderedDict
from collections.abc import Callable
from dataclasses import dataclass
from queue import SimpleQueue

from django.conf import settings
from django.db import DatabaseError, InterfaceError, connection

from inspector.database.portability import StatementTimeout, time_limit
from inspector.proxy.messages import Found, Grant, Lookup, RecorderMessage, Refusal
from inspector.proxy.outbox import Outbox
from inspector.teams import upstreams
from inspector.teams.upstreams import CaptureRefusal

FRESH_SECONDS = 5.0
"""How long a key that was revoked may still call."""
REST_SECONDS = 1.0
"""After a failure; what is asked meanwhile is answered without the database."""
LOOKUP_MILLISECONDS = 1500
"""A call waits for the answer."""
MAX_ANSWERS = 10_000
"""Pairs of a key and a name: strangers make up both."""

Pair = tuple[str, str]
"""The hash of a key and the name of an upstream."""

_LOGGER = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Answer:
    grant: Grant | None
    refusal: Refusal | None
    at: float

    def found(self, number: int) -> Found:
        return Found(number, self.grant, self.refusal)


class Directory:
    def __init__(
        self, outbox: Outbox[RecorderMessage], clock: Callable[[], float] = time.monotonic
    ) -> None:
        self._outbox = outbox
        self._clock = clock
        self._asked: SimpleQueue[Lookup | None] = SimpleQueue()
        self._answers: OrderedDict[Pair, Answer] = OrderedDict()
        self._rests_until: float | None = None

    def ask(self, lookup: Lookup) -> None:
        """May be called from any thread."""
        self._asked.put(lookup)

    def stop(self) -> None:
        self._asked.put(None)

    def run(self) -> None:
        """Look keys up until it is stopped."""
        while (lookup := self._asked.get()) is not None:
            self._outbox.send(self.answer(lookup))

    def answer(self, lookup: Lookup) -> Found:
        pair = (lookup.key_sha256, lookup.upstream)
        known = self._answers.get(pair)
        now = self._clock()
        if known is not None and now - known.at < FRESH_SECONDS:
            return known.found(lookup.number)
        fresh = None if self._is_resting(now) else self._look_up(pair)
        if fresh is not None:
            self._keep(pair, fresh)
            return fresh.found(lookup.number)
        return Found(lookup.number, refusal=Refusal.DIRECTORY_UNAVAILABLE)

    def _is_resting(self, now: float) -> bool:
        return self._rests_until is not None and now < self._rests_until

    def _look_up(self, pair: Pair) -> Answer | None:
        """Return None if the database does not answer."""
        try:
            with time_limit(LOOKUP_MILLISECONDS):
                found = upstreams.find_grant(*pair)
        except (DatabaseError, InterfaceError, StatementTimeout):
            self._rest()
            return None
        if self._rests_until is not None:
            _LOGGER.info("keys and upstreams can be looked up again")
        self._rests_until = None
        if isinstance(found, CaptureRefusal):
            return Answer(None, Refusal(found.value), self._clock())
        grant = Grant(**dataclasses.asdict(found), captures_url=f"{settings.ORIGIN}/captures/")
        return Answer(grant, None, self._clock())

    def _rest(self) -> None:
        if self._rests_until is None:
            _LOGGER.warning("keys and upstreams cannot be looked up", exc_info=True)
        self._rests_until = self._clock() + REST_SECONDS
        if not connection.is_usable():
            connection.close()

    def _keep(self, pair: Pair, answer: Answer) -> None:
        self._answers[pair] = answer
        self._answers.move_to_end(pair)
        if len(self._answers) > MAX_ANSWERS:
            self._answers.popitem(last=False)
