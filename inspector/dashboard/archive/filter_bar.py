"""The filter bar above the archive rows: active filters as chips, and fields to add one."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from django.http import QueryDict
from django.utils import timezone

from inspector.archive.listing.filter_params import (
    FILTER_NAMES,
    FilterParams,
    FilterTerm,
    allowed_values,
    parse_filter_params,
)
from inspector.archive.listing.filter_params import query_string as query_of
from inspector.core.findings import Severity
from inspector.dashboard.cost_words import filter_words

BEFORE = "before"
FIELD_LABELS = {
    "state": "state",
    "verdict": "verdict",
    "result": "result",
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
    "missing": "missing",
    "tag": "tag",
    "key": "API key",
    "since": "since",
    "until": "until",
    "q": "text",
}
SELECT_FIELDS = ("verdict", "result", "finding", "dialect", "state", "cost", "missing")
TEXT_FIELDS = (
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
FIELD_HINTS = {
    "model": "exact match",
    "request_model": "exact match",
    "key": "name",
    "price_table": "e.g. genai-prices 0.2.3",
    "service_tier": "e.g. flex",
    "fingerprint": "exact match",
    "since": "e.g. 24h, 7d or a date",
    "until": "e.g. a date",
}
SEVERITY_GROUP = "by severity"
Choices = tuple[tuple[str, str], ...]
"""Pairs of value and label."""


@dataclass(frozen=True, slots=True)
class FilterChip:
    """An active filter; ``without`` is the page's query after removing it."""

    condition: FilterTerm
    without: str

    @property
    def words(self) -> str:
        return words_of(self.condition.name, self.condition.value)


@dataclass(frozen=True, slots=True)
class FilterField:
    """A form field that adds a filter: a select with grouped values, or a text input."""

    name: str
    label: str
    hint: str = ""
    value: str = ""
    groups: tuple[tuple[str, Choices], ...] = ()


@dataclass(frozen=True, slots=True)
class FilterBar:
    conditions: FilterParams

    @property
    def query(self) -> str:
        return str(self.conditions)

    @property
    def chips(self) -> tuple[FilterChip, ...]:
        conditions = self.conditions
        return tuple(
            FilterChip(each, query_of(conditions.without(each)))
            for each in conditions.all
            if each.name != "q"
        )

    @property
    def hidden_fields(self) -> tuple[FilterTerm, ...]:
        """Active filters the form resubmits as hidden fields; times and text are prefilled in
        visible ones.
        """
        return tuple(
            each for each in self.conditions.all if each.name in (*SELECT_FIELDS, *TEXT_FIELDS)
        )

    @property
    def text(self) -> str:
        return self.conditions.filters.q

    @property
    def fields(self) -> tuple[FilterField, ...]:
        chosen = (
            FilterField(name, FIELD_LABELS[name], groups=option_groups(name))
            for name in SELECT_FIELDS
        )
        typed = (
            FilterField(name, FIELD_LABELS[name], FIELD_HINTS.get(name, "")) for name in TEXT_FIELDS
        )
        times = (
            FilterField(name, FIELD_LABELS[name], FIELD_HINTS[name], self._value(name))
            for name in ("since", "until")
        )
        return (*chosen, *typed, *times)

    def toggle_query(self, condition: FilterTerm) -> str:
        """Returns the query with this filter added, or removed where it is active."""
        every = self.conditions.all
        if condition in every:
            return query_of(self.conditions.without(condition))
        return query_of((*every, condition))

    def replace_query(self, term: FilterTerm, value: str) -> str:
        """Returns the query with another value in place of this one."""
        other = FilterTerm(term.name, value)
        return query_of(other if each == term else each for each in self.conditions.all)

    def between(self, since: str, until: str) -> str:
        others = (each for each in self.conditions.all if each.name not in ("since", "until"))
        return query_of((*others, FilterTerm("since", since), FilterTerm("until", until)))

    def _value(self, name: str) -> str:
        return next((each.value for each in self.conditions.of(name)), "")


def build_filter_bar(query_params: QueryDict, others: Iterable[str] = ()) -> FilterBar:
    """Parses the page's query; ``others`` are parameters that are not filters."""
    values = {name: found for name, found in query_params.lists() if name not in others}
    return FilterBar(parse_filter_params(values, timezone.now()))


def filter_bar_of_query(query: str) -> FilterBar:
    """Parses the list query that a capture page was opened with; invalid filters are ignored."""
    return build_filter_bar(QueryDict(query[:8_000]))


def query_without_blanks(query_params: QueryDict) -> str | None:
    """Returns the query without the empty fields a form submits, or None if it has no empty
    field.
    """
    if all(value for name in FILTER_NAMES for value in query_params.getlist(name)):
        return None
    clean = query_params.copy()
    for name in FILTER_NAMES:
        clean.setlist(name, [value for value in query_params.getlist(name) if value])
        if not clean.getlist(name):
            clean.pop(name, None)
    return clean.urlencode()


def option_groups(name: str) -> tuple[tuple[str, Choices], ...]:
    every = tuple(map(str, allowed_values(name) or ()))
    if name != "finding":
        return (("", choices(name, every)),)
    severities = tuple(map(str, Severity))
    subjects = dict.fromkeys(code.partition(".")[0] for code in every if code not in severities)
    of_subjects = ((each, [c for c in every if c.startswith(f"{each}.")]) for each in subjects)
    return (
        (SEVERITY_GROUP, choices(name, severities)),
        *((each, choices(name, codes)) for each, codes in of_subjects),
    )


def choices(name: str, values: Iterable[str]) -> Choices:
    return tuple((value, words_of(name, value)) for value in values)


def words_of(name: str, value: str) -> str:
    return filter_words(value) if name == "cost" else value
