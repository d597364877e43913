"""What a list is narrowed by as a query string says it: known names, values checked where known.

A page and the API read the same string alike, so the address of one filters as the other's does.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any
from urllib.parse import urlencode

from inspector.archive.costs import costs
from inspector.archive.filters import Filters, lackable
from inspector.archive.models import DELETED, State
from inspector.archive.moments import FORMS, moment_of
from inspector.archive.projection import MODEL_CHARACTERS
from inspector.core.analysis import Verdict
from inspector.core.dialects import dialects
from inspector.core.findings import Severity
from inspector.core.rules import codes

MAX_VALUES = 20
VALUE_CHARACTERS = MODEL_CHARACTERS
"""As long as the longest name that a capture has here: whatever lists show can be asked for."""
SHOWN_CHARACTERS = 80

TIMES = ("since", "until")
ONCE = (*TIMES, "q")
MANY = (
    "state",
    "verdict",
    "model",
    "request_model",
    "dialect",
    "vendor",
    "finish_reason",
    "finding",
    "cost",
    "price_table",
    "service_tier",
    "fingerprint",
    "lacks",
    "tag",
    "key",
)
NAMES = (*MANY, *ONCE)


@dataclass(frozen=True, slots=True)
class Condition:
    """One name and one value as they were written: ``since`` may be an age such as ``7d``."""

    name: str
    value: str


@dataclass(frozen=True, slots=True)
class Mistake:
    """What is wrong with what stands under a name; nothing of it is in the filters."""

    name: str
    what: str


@dataclass(frozen=True, slots=True)
class Conditions:
    """``all`` in the order in which they were asked, each once; ``filters`` mean the same."""

    all: tuple[Condition, ...] = ()
    filters: Filters = Filters()
    mistakes: tuple[Mistake, ...] = ()

    def of(self, *names: str) -> tuple[Condition, ...]:
        return tuple(condition for condition in self.all if condition.name in names)

    def without(self, *conditions: Condition) -> tuple[Condition, ...]:
        return tuple(condition for condition in self.all if condition not in conditions)

    def __str__(self) -> str:
        return written(self.all)


def written(conditions: Iterable[Condition]) -> str:
    """As a query string, which ``conditions_of`` reads."""
    return urlencode([(condition.name, condition.value) for condition in conditions])


def conditions_of(values: Mapping[str, Sequence[str]], now: datetime) -> Conditions:
    """``now`` is what ages are counted from."""
    mistakes = dict(_mistakes(values, now))
    taken = {name: tuple(dict.fromkeys(v)) for name, v in values.items() if name not in mistakes}
    once = {name: taken[name][0] for name in ONCE if taken.get(name)}
    meant: dict[str, Any] = {name: taken.get(name, ()) for name in MANY}
    meant |= {name: moment_of(once[name], now) for name in TIMES if name in once}
    filters = Filters(**meant, q=once.get("q", ""))
    every = tuple(Condition(name, value) for name, found in taken.items() for value in found)
    return Conditions(every, filters, tuple(Mistake(*mistake) for mistake in mistakes.items()))


def vocabulary(name: str) -> Collection[str] | None:
    """All values there are; None where senders and providers are free to make new ones."""
    known: dict[str, Collection[str]] = {
        "state": [state for state in State if state not in DELETED],
        "verdict": list(Verdict),
        "dialect": list(dialects()),
        "finding": [*Severity, *codes()],
        "cost": costs().vocabulary,
        "lacks": lackable(),
    }
    return known.get(name)


def shown(text: str) -> str:
    return ascii(text if len(text) <= SHOWN_CHARACTERS else text[:SHOWN_CHARACTERS] + "…")


def _mistakes(values: Mapping[str, Sequence[str]], now: datetime) -> Iterator[tuple[str, str]]:
    """The first of each name."""
    for name in (*(name for name in values if name not in NAMES), *NAMES):
        found = values.get(name, ())
        if what := next(_problems(name, found, now), None):
            yield name, what


def _problems(name: str, values: Sequence[str], now: datetime) -> Iterator[str]:
    if name not in NAMES:
        yield "is no filter"
    if name in ONCE and len(values) > 1:
        yield "stands more than once"
    if len(values) > MAX_VALUES:
        yield f"stands more than {MAX_VALUES} times"
    for value in values:
        yield from _problems_of_one(name, value, now)


def _problems_of_one(name: str, value: str, now: datetime) -> Iterator[str]:
    if not value or len(value) > VALUE_CHARACTERS:
        yield f"has 1 to {VALUE_CHARACTERS} characters"
    # PostgreSQL can neither store nor compare it.
    if "\0" in value:
        yield "holds a NUL, which no text here does"
    known = vocabulary(name)
    if known is not None and value not in known:
        yield f"has no value {shown(value)}; there are {', '.join(known)}"
    if name in TIMES and moment_of(value, now) is None:
        yield f"is not {FORMS}"
