"""Removes parts of an exchange as long as its finding stays, in steps that can stop anywhere.

Delta debugging as in Zeller and Hildebrandt (Simplifying and Isolating Failure-Inducing Input,
2002), in the form that tries complements only: all parts, then halves, quarters and so on, in the
end each single part; pass by pass (``parts``), from events to characters, until a whole round
removes nothing. Of JSON the levels are taken one after the other (hierarchical delta debugging,
Misherghi and Su, 2006).

Nothing depends on a clock: the same exchange gives the same result, however its steps were cut.
"""

from __future__ import annotations

from collections.abc import Callable
from hashlib import blake2b

import msgspec

from inspector.core.minimisation.parts import (
    FEW_PARTS,
    LEVELLED,
    PASSES,
    MinimisationPass,
    PartList,
    parts_of,
)
from inspector.core.minimisation.target import MinimisationTarget, target_of
from inspector.core.reading import read
from inspector.core.wire.content_encoding import decompressed
from inspector.core.wire.exchange import Exchange

MAX_TRIES = 20_000
MAX_COST_BYTES = 1_000_000_000
"""Limit on what is read in all tries: their bodies, and ``TRY_BYTES`` for each."""
TRY_BYTES = 20_000
"""Reading a short body takes as long as so many bytes of a long one."""
FINE_SIZES = (12, 10, 8, 7, 6, 5, 4, 3, 2, 1)
"""Below 16 parts the halves of halves leave out lengths that a name or a word has."""


class SearchPlace(msgspec.Struct, frozen=True):
    """Where the search is: the pass, its level, how many parts are removed at a time (None: not
    begun), and from which on.
    """

    pass_number: int = 0
    level: int = 0
    size: int | None = None
    first: int = 0


class Minimisation(msgspec.Struct, frozen=True):
    """How far a minimisation is. ``exchange`` has the finding at any time. ``is_exhausted``: it
    ended at a limit, so that something smaller may exist.
    """

    target: MinimisationTarget
    exchange: Exchange
    bytes_before: int
    """Length of the body, its content coding undone."""
    request_bytes_before: int
    tries: int = 0
    cost_bytes: int = 0
    place: SearchPlace = SearchPlace()
    has_changed: bool = False
    """True if this round removed something."""
    is_done: bool = False
    is_exhausted: bool = False

    @property
    def bytes_now(self) -> int:
        return len(self.exchange.body)

    @property
    def request_bytes_now(self) -> int:
        return _request_length(self.exchange)


def begin_minimisation(
    exchange: Exchange, code: str, pointer: str | None = None
) -> Minimisation | None:
    """Returns None if the exchange has no such finding, or if no body can be an example of it."""
    target = target_of(read(exchange).analysis(), code, pointer)
    if target is None:
        return None
    before = len(decompressed(exchange).body)
    return Minimisation(target, exchange, before, _request_length(exchange))


def minimise(exchange: Exchange, code: str, pointer: str | None = None) -> Minimisation | None:
    """Minimises to the end. None as in ``begin_minimisation``."""
    begun = begin_minimisation(exchange, code, pointer)
    return None if begun is None else continue_minimisation(begun)


def continue_minimisation(
    state: Minimisation, stop: Callable[[], bool] = lambda: False
) -> Minimisation:
    """Goes on until the end, or until ``stop`` says so: it is asked between two tries, and after
    the first, so that steps of any length come to the end.
    """
    search = _Search(state)
    while not search.state.is_done:
        search.go_on()
        if stop():
            break
    return search.state


class _Search:
    """Makes tries, and keeps the parts of the exchange between two of them."""

    def __init__(self, state: Minimisation) -> None:
        self.state = state
        self._reading = read(state.exchange)
        self._parts: PartList | None = None
        self._failed = set[bytes]()

    def go_on(self) -> None:
        """One try, or a step to the next size, level or pass."""
        if self._is_at_limit():
            self._set(is_done=True, is_exhausted=True)
            return
        place, parts = self.state.place, self._current_parts()
        if place.size is None:
            self._begin_pass(parts)
        elif place.first >= parts.count or place.size > parts.count:
            self._next_size(parts, place.size)
        else:
            self._try(parts, place.first, place.size)

    def _try(self, parts: PartList, first: int, size: int) -> None:
        last = min(first + size, parts.count)
        candidate = parts.without(first, last)
        self._count(candidate)
        if self._is_met_by(candidate):
            self._parts = None
            self._set(exchange=candidate, has_changed=True)
            return
        few = FEW_PARTS.get(PASSES[self.state.place.pass_number], 0)
        step = 1 if parts.count <= few and size <= FINE_SIZES[0] else size
        self._set(place=msgspec.structs.replace(self.state.place, first=first + step))

    def _is_met_by(self, candidate: Exchange) -> bool:
        # A try that is repeated counts like any other, or where a step was cut would decide when
        # the limit is reached; it only takes no time.
        # A body without a byte would be an example of nothing.
        if candidate == self.state.exchange or not candidate.body:
            return False
        digest = blake2b(msgspec.msgpack.encode(candidate), digest_size=16).digest()
        if digest in self._failed:
            return False
        reading = read(candidate)
        if self.state.target.is_met(reading.analysis()):
            self._reading = reading
            return True
        self._failed.add(digest)
        return False

    def _begin_pass(self, parts: PartList) -> None:
        if parts.count:
            self._set(place=msgspec.structs.replace(self.state.place, size=parts.count, first=0))
        else:
            self._next_pass()

    def _next_size(self, parts: PartList, size: int) -> None:
        place = self.state.place
        kind = PASSES[place.pass_number]
        if smaller := _smaller(min(size, parts.count + 1), kind):
            self._set(place=msgspec.structs.replace(place, size=smaller, first=0))
        elif kind in LEVELLED:
            self._parts = None
            self._set(place=SearchPlace(place.pass_number, place.level + 1))
        else:
            self._next_pass()

    def _next_pass(self) -> None:
        self._parts = None
        following = self.state.place.pass_number + 1
        if following < len(PASSES):
            self._set(place=SearchPlace(following))
        elif self.state.has_changed:
            self._set(place=SearchPlace(), has_changed=False)
        else:
            self._set(is_done=True)

    def _current_parts(self) -> PartList:
        if self._parts is None:
            place, exchange = self.state.place, self.state.exchange
            kind = PASSES[place.pass_number]
            self._parts = parts_of(
                kind,
                exchange,
                self._reading,
                place.level,
                is_broken=self.state.target.is_broken,
            )
        return self._parts

    def _is_at_limit(self) -> bool:
        return self.state.tries >= MAX_TRIES or self.state.cost_bytes >= MAX_COST_BYTES

    def _count(self, candidate: Exchange) -> None:
        length = len(candidate.body) + _request_length(candidate)
        cost = self.state.cost_bytes + length + TRY_BYTES
        self._set(tries=self.state.tries + 1, cost_bytes=cost)

    def _set(self, **changes: object) -> None:
        self.state = msgspec.structs.replace(self.state, **changes)


def _smaller(size: int, kind: MinimisationPass) -> int:
    """The next number of parts to remove at a time; 0 after single ones."""
    if size > 16 or kind not in FEW_PARTS:
        return size // 2
    return next((fine for fine in FINE_SIZES if fine < size), 0)


def _request_length(exchange: Exchange) -> int:
    return len(exchange.request.body or b"") if exchange.request else 0
