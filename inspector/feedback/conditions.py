"""Parses the filters of the vote list from a query string, for page and API."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any
from uuid import UUID

from inspector.archive.listing.filter_params import (
    MAX_VALUES,
    VALUE_CHARACTERS,
    FilterMistake,
    FilterTerm,
    abbreviated,
    query_string,
)
from inspector.archive.listing.time_input import TIME_FORMATS, parse_time
from inspector.core.analysis import Verdict
from inspector.feedback.models import TriageState, VoteOutcome
from inspector.feedback.queries import VoteFilters

TIMES = ("since", "until")
YES_OR_NO = ("comment", "verified", "waiting")
MANY = ("outcome", "state", "model", "vendor", "verdict", "finish_reason", "tag")
ONCE = (*TIMES, *YES_OR_NO, "user", "capture", "choice")
NAMES = (*MANY, *ONCE)
LARGEST_CHOICE = 2**63 - 1


@dataclass(frozen=True, slots=True)
class VoteConditions:
    """The parsed parameters. ``all`` has them without duplicates in the order given; ``filters``
    are the same as values.
    """

    all: tuple[FilterTerm, ...] = ()
    filters: VoteFilters = VoteFilters()
    mistakes: tuple[FilterMistake, ...] = ()

    def of(self, *names: str) -> tuple[FilterTerm, ...]:
        return tuple(condition for condition in self.all if condition.name in names)

    def without(self, *conditions: FilterTerm) -> tuple[FilterTerm, ...]:
        return tuple(condition for condition in self.all if condition not in conditions)

    def __str__(self) -> str:
        return query_string(self.all)


def parse_vote_conditions(values: Mapping[str, Sequence[str]], now: datetime) -> VoteConditions:
    """``now`` is what ages are counted from."""
    mistakes = dict(_mistakes(values, now))
    valid = {name: tuple(dict.fromkeys(v)) for name, v in values.items() if name not in mistakes}
    fields: dict[str, Any] = {name: valid.get(name, ()) for name in MANY}
    fields |= {name: _value(name, valid[name][0], now) for name in ONCE if valid.get(name)}
    every = tuple(FilterTerm(name, value) for name, found in valid.items() for value in found)
    return VoteConditions(
        every, VoteFilters(**fields), tuple(FilterMistake(*mistake) for mistake in mistakes.items())
    )


def vocabulary(name: str) -> Collection[str] | None:
    """All values a filter takes; None where senders and providers may make new ones."""
    known: dict[str, Collection[str]] = {
        "outcome": list(VoteOutcome),
        "state": list(TriageState),
        "verdict": list(Verdict),
        **dict.fromkeys(YES_OR_NO, ("yes", "no")),
    }
    return known.get(name)


def _value(name: str, text: str, now: datetime) -> Any:
    if name in TIMES:
        return parse_time(text, now)
    if name in YES_OR_NO:
        return text == "yes"
    if name == "capture":
        return UUID(text)
    return int(text) if name == "choice" else text


def _mistakes(values: Mapping[str, Sequence[str]], now: datetime) -> Iterator[tuple[str, str]]:
    """The first of each name."""
    for name in (*(name for name in values if name not in NAMES), *NAMES):
        if what := next(_problems(name, values.get(name, ()), now), None):
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
    # A user without a name is one, too.
    if (not value and name != "user") or len(value) > VALUE_CHARACTERS:
        yield f"has 1 to {VALUE_CHARACTERS} characters"
    if "\0" in value:
        yield "holds a NUL, which no text here does"
    known = vocabulary(name)
    if known is not None and value not in known:
        yield f"has no value {abbreviated(value)}; there are {', '.join(known)}"
    if name in TIMES and parse_time(value, now) is None:
        yield f"is not {TIME_FORMATS}"
    if name == "capture" and not _is_uuid(value):
        yield "is no id"
    if name == "choice" and not _is_choice(value):
        yield "is no number of a choice"


def _is_uuid(text: str) -> bool:
    try:
        UUID(text)
    except ValueError:
        return False
    return True


def _is_choice(text: str) -> bool:
    return text.isascii() and text.isdigit() and len(text) < 20 and int(text) <= LARGEST_CHOICE
