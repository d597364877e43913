"""Answers programs that want a stored answer again: who asks, which answer, and its plan.

Threads look up and plan; the proxy plays. Of each answer only a few messages are ahead of what the
proxy has played, so that no process holds more of a slow caller's answer than it must.
"""

from __future__ import annotations

import logging
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import partial
from itertools import islice
from queue import SimpleQueue
from threading import BoundedSemaphore, Lock, Thread
from urllib.parse import parse_qsl

import msgspec
from django.conf import settings
from django.db import DatabaseError, InterfaceError, connection

from inspector.archive.listing.stored_answer import StoredAnswer
from inspector.database.portability import StatementTimeout, time_limit
from inspector.proxy.outbox import Outbox
from inspector.proxy.viewer.answer_search import (
    AnswerSearch,
    FoundAnswer,
    NoAnswer,
)
from inspector.proxy.viewer_messages import (
    MAX_STEPS,
    MAX_STEPS_BYTES,
    STEP_MESSAGES,
    AnswerAsked,
    AnswerBegun,
    AnswerEnded,
    AnswerRefusal,
    AnswerRefused,
    AnswerSteps,
    AnswerTaken,
    ViewerMessage,
)
from inspector.replay.body_layout import BodyLayout, layout_of
from inspector.replay.options import (
    InvalidOption,
    ReplayOptions,
    parse_options,
)
from inspector.replay.plan import Plan, Step, plan
from inspector.replay.recorded_answer import RecordedAnswer, answer_of
from inspector.replay.request_numbers import RequestNumbers
from inspector.teams.replay_keys import ReplayGrant, ReplayKeyRefusal, find_replay_grant, may_read
from inspector.web.token_buckets import TokenBuckets

THREADS = 4
MAX_WAITING = 200
"""Questions that are being answered or wait for it."""
MAX_HELD_BYTES = 256 * 1024 * 1024
"""Of all answers that are being played."""
LOOKUP_MILLISECONDS = 5000
BURST_SECONDS = 2.0
MATCH_HEADER = "x-inspector-replay-matched"

_LOGGER = logging.getLogger(__name__)


class NotRead(Exception):
    """No worker has read the capture: what kills its reader must not kill this process."""


@dataclass(slots=True, eq=False)
class OpenAnswer:
    """A question until the proxy says that it is ended."""

    key_id: int | None = None
    held_bytes: int = 0
    steps: Iterator[AnswerSteps] = field(default_factory=lambda: iter(()))


class OpenAnswers:
    """The open answers: of which key each is, and how much memory it holds. May be used from any
    thread.
    """

    def __init__(self) -> None:
        self._lock = Lock()
        self._open: dict[int, OpenAnswer] = {}
        self._of_keys: Counter[int] = Counter()
        self._held_bytes = 0

    def begin(self, number: int) -> None:
        with self._lock:
            self._open[number] = OpenAnswer()

    def get(self, number: int) -> OpenAnswer | None:
        return self._open.get(number)

    def count_key(self, number: int, key_id: int, most: int) -> bool:
        """False where so many of the key are open already."""
        with self._lock:
            answer = self._open.get(number)
            if answer is None or self._of_keys[key_id] >= most:
                return False
            answer.key_id = key_id
            self._of_keys[key_id] += 1
            return True

    def hold(self, number: int, size: int) -> bool:
        """False where too much is held already. One answer alone may be of any size."""
        with self._lock:
            answer = self._open.get(number)
            is_full = self._held_bytes and self._held_bytes + size > MAX_HELD_BYTES
            if answer is None or is_full:
                return False
            answer.held_bytes = size
            self._held_bytes += size
            return True

    def end(self, number: int) -> None:
        with self._lock:
            answer = self._open.pop(number, None)
            if answer is None:
                return
            self._held_bytes -= answer.held_bytes
            if answer.key_id is not None:
                self._of_keys[answer.key_id] -= 1
                if not self._of_keys[answer.key_id]:
                    del self._of_keys[answer.key_id]


class StoredAnswers:
    """The three handlers, ``ask``, ``take`` and ``end``, return at once."""

    def __init__(self, outbox: Outbox[ViewerMessage]) -> None:
        self._outbox = outbox
        self._open = OpenAnswers()
        self._search = AnswerSearch()
        self._numbers = RequestNumbers()
        self._rates = TokenBuckets(BURST_SECONDS)
        self._waiting = BoundedSemaphore(MAX_WAITING)
        self._asked: SimpleQueue[AnswerAsked] = SimpleQueue()

    def start(self) -> None:
        for _ in range(THREADS):
            # None of them may keep the process from ending: nothing is lost with it.
            Thread(target=self._run, name="stored answers", daemon=True).start()

    def ask(self, asked: AnswerAsked) -> None:
        if self._waiting.acquire(blocking=False):
            self._open.begin(asked.number)
            self._asked.put(asked)
        else:
            self._outbox.send(AnswerRefused(number=asked.number, code=AnswerRefusal.BUSY))

    def take(self, taken: AnswerTaken) -> None:
        answer = self._open.get(taken.number)
        if answer is not None:
            self._outbox.send(*islice(answer.steps, 1))

    def end(self, ended: AnswerEnded) -> None:
        self._open.end(ended.number)

    # -- in a thread ------------------------------------------------------------------------------

    def _run(self) -> None:
        while True:
            self.answer(self._asked.get())
            self._waiting.release()

    def answer(self, asked: AnswerAsked) -> None:
        """Says all that comes before the proxy has taken something. Never raises."""
        try:
            with _unavailable_database(self._outbox, asked.number):
                self._outbox.send(*self._messages(asked))
        except Exception:
            _LOGGER.exception("an answer could not be planned")
            refusal = AnswerRefused(number=asked.number, code=AnswerRefusal.UNAVAILABLE)
            self._outbox.send(refusal)

    def _messages(self, asked: AnswerAsked) -> list[ViewerMessage]:
        grant = find_replay_grant(asked.key_sha256)
        if isinstance(grant, ReplayKeyRefusal):
            return [AnswerRefused(number=asked.number, code=AnswerRefusal(grant.value))]
        origin = asked.origin if asked.origin and may_read(grant, asked.origin) else None
        found = self._planned(asked, grant)
        if isinstance(found, NoAnswer):
            refused = AnswerRefused(
                number=asked.number, code=found.code, detail=found.detail, origin=origin
            )
            return [refused]
        stored, planned = found
        answer = self._open.get(asked.number)
        if answer is None:
            return []
        answer.steps = step_messages(asked.number, planned)
        begun = AnswerBegun(
            number=asked.number, capture=stored.capture, head=planned.head, origin=origin
        )
        return [begun, *islice(answer.steps, STEP_MESSAGES)]

    def _planned(
        self, asked: AnswerAsked, grant: ReplayGrant
    ) -> tuple[StoredAnswer, Plan] | NoAnswer:
        if not self._open.count_key(asked.number, grant.key_id, grant.max_streams):
            return NoAnswer(AnswerRefusal.TOO_MANY_STREAMS)
        per_second = settings.REQUESTS_PER_SECOND
        if per_second is not None and self._rates.wait(grant.key_id, per_second):
            return NoAnswer(AnswerRefusal.TOO_MANY_REQUESTS)
        options = options_of(asked)
        if isinstance(options, InvalidOption):
            return NoAnswer(AnswerRefusal.INVALID_OPTION, options.message)
        found = self._search.find(grant, asked.target, asked.path, asked.body)
        if isinstance(found, NoAnswer):
            return found
        return self._plan(asked, grant, found, options)

    def _plan(
        self, asked: AnswerAsked, grant: ReplayGrant, found: FoundAnswer, options: ReplayOptions
    ) -> tuple[StoredAnswer, Plan] | NoAnswer:
        stored = found.stored
        if not self._open.hold(asked.number, stored.byte_length):
            return NoAnswer(AnswerRefusal.BUSY)
        answer = answer_of(stored.exchange, str(stored.capture), stored.dialect)
        if answer is None:
            return NoAnswer(AnswerRefusal.NOTHING_TO_REPLAY)
        number = self._numbers.next((grant.key_id, stored.capture, options))
        try:
            planned = plan(answer, options, number, partial(_layout, stored, answer))
        except NotRead:
            return NoAnswer(AnswerRefusal.NOT_READ)
        if isinstance(planned, InvalidOption):
            return NoAnswer(AnswerRefusal.INVALID_OPTION, planned.message)
        return stored, _with_match(planned, found)


def options_of(asked: AnswerAsked) -> ReplayOptions | InvalidOption:
    """Returns the options of path, query and headers."""
    in_query = parse_qsl(asked.query, keep_blank_values=True)
    return parse_options(in_query, asked.headers, asked.options)


def step_messages(number: int, planned: Plan) -> Iterator[AnswerSteps]:
    """The steps in messages of bounded size; of none one message, too."""
    at_us: list[int] = []
    data: list[bytes] = []
    size = 0
    for step in _small_steps(planned.steps):
        if at_us and (len(at_us) == MAX_STEPS or size + len(step.data) > MAX_STEPS_BYTES):
            yield AnswerSteps(number, at_us, data)
            at_us, data, size = [], [], 0
        at_us.append(step.at_us)
        data.append(step.data)
        size += len(step.data)
    yield AnswerSteps(number, at_us, data, is_last=True)


def _small_steps(steps: tuple[Step, ...]) -> Iterator[Step]:
    for step in steps:
        if len(step.data) <= MAX_STEPS_BYTES:
            yield step
        else:
            for start in range(0, len(step.data), MAX_STEPS_BYTES):
                yield Step(step.at_us, step.data[start : start + MAX_STEPS_BYTES])


def _layout(stored: StoredAnswer, answer: RecordedAnswer) -> BodyLayout:
    if not stored.is_survived:
        raise NotRead
    return layout_of(answer)


def _with_match(planned: Plan, found: FoundAnswer) -> Plan:
    if found.match is None:
        return planned
    headers = (*planned.head.headers, (MATCH_HEADER, found.match.value))
    head = msgspec.structs.replace(planned.head, headers=headers)
    return msgspec.structs.replace(planned, head=head)


@contextmanager
def _unavailable_database(outbox: Outbox[ViewerMessage], number: int) -> Iterator[None]:
    """Says so to whoever asked, and forgets a connection that is of no use any more."""
    try:
        with time_limit(LOOKUP_MILLISECONDS):
            yield
    except (DatabaseError, InterfaceError, StatementTimeout) as error:
        _LOGGER.warning("an answer could not be looked up", exc_info=error)
        outbox.send(AnswerRefused(number=number, code=AnswerRefusal.UNAVAILABLE))
        if not connection.is_usable():
            connection.close()
