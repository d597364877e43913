"""Rights of keys at upstreams, as the recorder answers, remembered for a short while."""

import asyncio
from collections import OrderedDict
from collections.abc import Callable
from dataclasses import dataclass, field, replace

from inspector.proxy.messages import Found, Grant, Lookup, Refusal
from inspector.proxy.route import CallRoute

FRESH_SECONDS = 5.0
"""So long a revoked key may still call; each call's question would make all wait."""
STALE_SECONDS = 3600.0
"""So old may an answer be while nobody gives a newer one."""
RENEWAL_SECONDS = 0.5
"""How long a call waits for a newer answer where there is an older one."""
MAX_REMEMBERED = 10_000
"""Grants that are remembered, and as many refusals: strangers choose the keys of these, and must
not push out what is known of others.
"""
MAX_LOOKUPS = 1_000
"""Open questions about pairs without a grant, for strangers choose the keys. Renewals of grants are
not among them: they are as many as the grants.
"""

Pair = tuple[str, str]


@dataclass(frozen=True, slots=True)
class _Answer:
    value: Grant | Refusal
    at: float
    holds_until: float


@dataclass(slots=True, eq=False)
class _Question:
    """Kept until answered, though nobody waits: late answers are worth as much."""

    lookup: Lookup
    is_renewal: bool
    answer: asyncio.Future[Grant | Refusal] = field(
        default_factory=lambda: asyncio.get_running_loop().create_future()
    )
    waiting: int = 0

    @property
    def pair(self) -> Pair:
        return self.lookup.key_sha256, self.lookup.upstream


class Grants:
    """``ask`` sends a question at once, or drops it where there is no recorder."""

    def __init__(
        self, ask: Callable[[Lookup], None], clock: Callable[[], float], lookup_seconds: float
    ) -> None:
        self._ask = ask
        self._lookup_seconds = lookup_seconds
        self._clock = clock
        self._granted: OrderedDict[Pair, _Answer] = OrderedDict()
        self._refused: OrderedDict[Pair, _Answer] = OrderedDict()
        self._asked: dict[Pair, _Question] = {}
        self._numbers: dict[int, _Question] = {}
        self._number = 0
        self._lookups = 0
        """Open questions that are no renewals."""

    async def find(self, route: CallRoute) -> Grant | Refusal:
        pair = route.key_sha256, route.upstream
        known = self._known(pair)
        now = self._clock()
        if known is not None and now < known.holds_until:
            self._answers_like(known.value).move_to_end(pair)
            return known.value
        if known is None or now - known.at >= STALE_SECONDS:
            return await self._look_up(pair, self._lookup_seconds)
        found = await self._look_up(pair, min(RENEWAL_SECONDS, self._lookup_seconds))
        return self._prolong(pair, known) if found is Refusal.DIRECTORY_UNAVAILABLE else found

    def answer(self, found: Found) -> None:
        question = self._numbers.get(found.number)
        if question is None:
            return
        self._forget(question)
        value = found.grant or found.refusal or Refusal.DIRECTORY_UNAVAILABLE
        if value is not Refusal.DIRECTORY_UNAVAILABLE:
            self._remember(question.pair, value)
        question.answer.set_result(value)

    def ask_again(self) -> None:
        """Ask again. A new recorder knows nothing of what the one before it was asked."""
        for question in list(self._asked.values()):
            if question.waiting:
                self._ask(question.lookup)
            else:
                self._forget(question)

    async def _look_up(self, pair: Pair, seconds: float) -> Grant | Refusal:
        """All that ask for a pair at the same time wait for one answer."""
        question = self._asked.get(pair) or self._begin(pair)
        if question is None:
            return Refusal.DIRECTORY_UNAVAILABLE
        question.waiting += 1
        try:
            done, _ = await asyncio.wait([question.answer], timeout=seconds)
        finally:
            question.waiting -= 1
        return question.answer.result() if done else Refusal.DIRECTORY_UNAVAILABLE

    def _begin(self, pair: Pair) -> _Question | None:
        """None where too many are open."""
        is_renewal = pair in self._granted
        if not is_renewal and self._lookups >= MAX_LOOKUPS:
            return None
        self._number += 1
        question = _Question(Lookup(self._number, *pair), is_renewal)
        self._asked[pair] = self._numbers[self._number] = question
        self._lookups += not is_renewal
        self._ask(question.lookup)
        return question

    def _forget(self, question: _Question) -> None:
        del self._asked[question.pair]
        del self._numbers[question.lookup.number]
        self._lookups -= not question.is_renewal

    def _prolong(self, pair: Pair, known: _Answer) -> Grant | Refusal:
        # While a recorder hangs, one call in a while waits for it and the others do not.
        until = min(self._clock() + FRESH_SECONDS, known.at + STALE_SECONDS)
        if self._known(pair) is known:
            self._answers_like(known.value)[pair] = replace(known, holds_until=until)
        return known.value

    def _known(self, pair: Pair) -> _Answer | None:
        return self._granted.get(pair) or self._refused.get(pair)

    def _answers_like(self, value: Grant | Refusal) -> OrderedDict[Pair, _Answer]:
        return self._granted if isinstance(value, Grant) else self._refused

    def _remember(self, pair: Pair, value: Grant | Refusal) -> None:
        now = self._clock()
        for answers in (self._granted, self._refused):
            answers.pop(pair, None)
        answers = self._answers_like(value)
        answers[pair] = _Answer(value, now, now + FRESH_SECONDS)
        if len(answers) > MAX_REMEMBERED:
            answers.popitem(last=False)
