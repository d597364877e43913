"""Parses the filters of a list from a query string.

Pages and API use the same parser, so a query string means the same to both.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any
from urllib.parse import urlencode

from inspector.archive.inspection.projection import MODEL_CHARACTERS
from inspector.archive.listing.cost_lookup import cost_filters
from inspector.archive.listing.filters import Filters, missing_fields
from inspector.archive.listing.time_input import TIME_FORMATS, parse_time
from inspector.archive.models import DELETED, State
from inspector.core.analysis import Verdict
from inspector.core.completion import Result
from inspector.core.findings import Severity
from inspector.core.formats import dialects
from inspector.core.rules import finding_codes

MAX_VALUES = 20
VALUE_CHARACTERS = MODEL_CHARACTERS
"""The longest value a stored name can have: every value shown in a list can be filtered by."""
ABBREVIATED_CHARACTERS = 80

TIME_FILTERS = ("since", "until")
SINGLE_FILTERS = (*TIME_FILTERS, "q")
REPEATABLE_FILTERS = (
    "state",
    "verdict",
    "result",
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
    "missing",
    "tag",
    "key",
)
FILTER_NAMES = (*REPEATABLE_FILTERS, *SINGLE_FILTERS)


@dataclass(frozen=True, slots=True)
class FilterTerm:
    """One name and value as written, such as ``since=7d``."""

    name: str
    value: str


@dataclass(frozen=True, slots=True)
class FilterMistake:
    """An error in one parameter; that parameter is left out of the filters."""

    name: str
    what: str


@dataclass(frozen=True, slots=True)
class FilterParams:
    """The parsed parameters. ``all`` has them without duplicates in the order given; ``filters``
    are the same as values.
    """

    all: tuple[FilterTerm, ...] = ()
    filters: Filters = Filters()
    mistakes: tuple[FilterMistake, ...] = ()

    def of(self, *names: str) -> tuple[FilterTerm, ...]:
        return tuple(condition for condition in self.all if condition.name in names)

    def without(self, *conditions: FilterTerm) -> tuple[FilterTerm, ...]:
        return tuple(condition for condition in self.all if condition not in conditions)

    def __str__(self) -> str:
        return query_string(self.all)


def query_string(conditions: Iterable[FilterTerm]) -> str:
    """The query string that ``parse_filter_params`` parses to these terms."""
    return urlencode([(condition.name, condition.value) for condition in conditions])


def parse_filter_params(values: Mapping[str, Sequence[str]], now: datetime) -> FilterParams:
    """Parses a query string; ages such as ``7d`` count back from ``now``."""
    mistakes = dict(_mistakes(values, now))
    valid = {name: tuple(dict.fromkeys(v)) for name, v in values.items() if name not in mistakes}
    once = {name: valid[name][0] for name in SINGLE_FILTERS if valid.get(name)}
    fields: dict[str, Any] = {name: valid.get(name, ()) for name in REPEATABLE_FILTERS}
    fields |= {name: parse_time(once[name], now) for name in TIME_FILTERS if name in once}
    filters = Filters(**fields, q=once.get("q", ""))
    every = tuple(FilterTerm(name, value) for name, found in valid.items() for value in found)
    return FilterParams(
        every, filters, tuple(FilterMistake(*mistake) for mistake in mistakes.items())
    )


def allowed_values(name: str) -> Collection[str] | None:
    """All values a filter takes; None where senders and providers may make new ones."""
    known: dict[str, Collection[str]] = {
        "state": [state for state in State if state not in DELETED],
        "verdict": list(Verdict),
        "result": list(Result),
        "dialect": list(dialects()),
        "finding": [*Severity, *finding_codes()],
        "cost": cost_filters().vocabulary,
        "missing": missing_fields(),
    }
    return known.get(name)


def abbreviated(text: str) -> str:
    return ascii(
        text if len(text) <= ABBREVIATED_CHARACTERS else text[:ABBREVIATED_CHARACTERS] + "…"
    )


def _mistakes(values: Mapping[str, Sequence[str]], now: datetime) -> Iterator[tuple[str, str]]:
    """The first of each name."""
    for name in (*(name for name in values if name not in FILTER_NAMES), *FILTER_NAMES):
        found = values.get(name, ())
        if what := next(_problems(name, found, now), None):
            yield name, what


def _problems(name: str, values: Sequence[str], now: datetime) -> Iterator[str]:
    if name not in FILTER_NAMES:
        yield "is no filter"
    if name in SINGLE_FILTERS and len(values) > 1:
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
    known = allowed_values(name)
    if known is not None and value not in known:
        yield f"has no value {abbreviated(value)}; there are {', '.join(known)}"
    if name in TIME_FILTERS and parse_time(value, now) is None:
        yield f"is not {TIME_FORMATS}"
