"""The bar above the rows: what the list is narrowed by, how to take it away, how to add to it."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from django.http import QueryDict
from django.utils import timezone

from inspector.archive.conditions import NAMES, Condition, Conditions, conditions_of, vocabulary
from inspector.archive.conditions import written as query_of
from inspector.core.findings import Severity
from inspector.dashboard.cost_words import filter_words

BEFORE = "before"
WORDS = {
    "state": "state",
    "verdict": "verdict",
    "model": "model answered",
    "request_model": "model requested",
    "dialect": "dialect",
    "vendor": "vendor",
    "finish_reason": "finish reason",
    "finding": "finding",
    "cost": "cost",
    "price_table": "price table",
    "service_tier": "service tier",
    "fingerprint": "fingerprint",
    "lacks": "missing",
    "tag": "tag",
    "key": "API key",
    "since": "since",
    "until": "until",
    "q": "text",
}
CHOSEN = ("verdict", "finding", "dialect", "state", "cost", "lacks")
TYPED = (
    "model",
    "request_model",
    "finish_reason",
    "tag",
    "vendor",
    "key",
    "price_table",
    "service_tier",
    "fingerprint",
)
HINTS = {
    "model": "exact match",
    "request_model": "exact match",
    "key": "name",
    "price_table": "e.g. genai-prices 0.2.3",
    "service_tier": "e.g. flex",
    "fingerprint": "exact match",
    "since": "e.g. 24h, 7d or a date",
    "until": "e.g. a date",
}
SEVERITIES = "by severity"
Choices = tuple[tuple[str, str], ...]
"""Values, each with its words."""


@dataclass(frozen=True, slots=True)
class Chip:
    """A condition that holds, and the query of the page without it."""

    condition: Condition
    without: str

    @property
    def words(self) -> str:
        return words_of(self.condition.name, self.condition.value)


@dataclass(frozen=True, slots=True)
class Field:
    """A way to add a condition: one of these values, in groups, or whatever is typed."""

    name: str
    label: str
    hint: str = ""
    value: str = ""
    groups: tuple[tuple[str, Choices], ...] = ()


@dataclass(frozen=True, slots=True)
class Narrowed:
    conditions: Conditions

    @property
    def query(self) -> str:
        return str(self.conditions)

    @property
    def chips(self) -> tuple[Chip, ...]:
        conditions = self.conditions
        return tuple(
            Chip(each, query_of(conditions.without(each)))
            for each in conditions.all
            if each.name != "q"
        )

    @property
    def kept(self) -> tuple[Condition, ...]:
        """What the form hands on; the rest of what holds stands in its fields."""
        return tuple(each for each in self.conditions.all if each.name in (*CHOSEN, *TYPED))

    @property
    def text(self) -> str:
        return self.conditions.filters.q

    @property
    def fields(self) -> tuple[Field, ...]:
        chosen = (Field(name, WORDS[name], groups=groups_of(name)) for name in CHOSEN)
        typed = (Field(name, WORDS[name], HINTS.get(name, "")) for name in TYPED)
        times = (
            Field(name, WORDS[name], HINTS[name], self._value(name)) for name in ("since", "until")
        )
        return (*chosen, *typed, *times)

    def toggled(self, condition: Condition) -> str:
        """The query with this condition, or without it where it holds."""
        every = self.conditions.all
        if condition in every:
            return query_of(self.conditions.without(condition))
        return query_of((*every, condition))

    def between(self, since: str, until: str) -> str:
        others = (each for each in self.conditions.all if each.name not in ("since", "until"))
        return query_of((*others, Condition("since", since), Condition("until", until)))

    def _value(self, name: str) -> str:
        return next((each.value for each in self.conditions.of(name)), "")


def narrowed_by(asked: QueryDict, others: Iterable[str] = ()) -> Narrowed:
    """``others`` are names of the query that are no conditions."""
    values = {name: found for name, found in asked.lists() if name not in others}
    return Narrowed(conditions_of(values, timezone.now()))


def within(query: str) -> Narrowed:
    """The list that a page of one capture was reached from; what is wrong in it narrows nothing."""
    return narrowed_by(QueryDict(query[:8_000]))


def without_blanks(asked: QueryDict) -> str | None:
    """The query that a form meant which sends its empty fields too; None where it has none."""
    if all(value for name in NAMES for value in asked.getlist(name)):
        return None
    clean = asked.copy()
    for name in NAMES:
        clean.setlist(name, [value for value in asked.getlist(name) if value])
        if not clean.getlist(name):
            clean.pop(name, None)
    return clean.urlencode()


def groups_of(name: str) -> tuple[tuple[str, Choices], ...]:
    every = tuple(map(str, vocabulary(name) or ()))
    if name != "finding":
        return (("", choices(name, every)),)
    severities = tuple(map(str, Severity))
    subjects = dict.fromkeys(code.partition(".")[0] for code in every if code not in severities)
    of_subjects = ((each, [c for c in every if c.startswith(f"{each}.")]) for each in subjects)
    return (
        (SEVERITIES, choices(name, severities)),
        *((each, choices(name, codes)) for each, codes in of_subjects),
    )


def choices(name: str, values: Iterable[str]) -> Choices:
    return tuple((value, words_of(name, value)) for value in values)


def words_of(name: str, value: str) -> str:
    return filter_words(value) if name == "cost" else value
