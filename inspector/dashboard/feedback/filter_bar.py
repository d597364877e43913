"""The filter bar above the votes: active filters as chips or switches, and fields to add one."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from django.http import QueryDict
from django.utils import timezone

from inspector.archive.listing.filter_params import FilterTerm
from inspector.archive.listing.filter_params import query_string as query_of
from inspector.dashboard.archive.filter_bar import FilterChip, FilterField, choices
from inspector.feedback.conditions import NAMES, VoteConditions, parse_vote_conditions, vocabulary
from inspector.formatting.humanize import iso_utc
from inspector.usage.rollup.periods import DEFAULT_RANGE

PAGE_PARAMS = ("range", "by", "before")
"""Query parameters of the page that are not filters."""
LIVE_PARAMS = (*PAGE_PARAMS, "after", "exclude", "paused")
SELECT_FIELDS = ("verdict", "comment", "verified", "waiting")
TEXT_FIELDS = ("model", "vendor", "finish_reason", "tag", "user")
FIELD_LABELS = {
    "verdict": "verdict",
    "comment": "with a comment",
    "verified": "by our own token",
    "waiting": "waiting for its capture",
    "model": "model answered",
    "vendor": "vendor",
    "finish_reason": "finish reason of the choice",
    "tag": "tag of the capture",
    "user": "user",
    "since": "since",
    "until": "until",
}
FIELD_HINTS = {
    "model": "exact match",
    "user": "user id from the site",
    "since": "e.g. 24h, 7d or a date",
}
SWITCHES = (
    ("outcome", "Outcome", ("negative", "positive")),
    ("state", "Triage", ("open", "resolved", "incorrect")),
)


@dataclass(frozen=True, slots=True)
class SwitchOption:
    """One of a few fixed values offered as a link."""

    word: str
    query: str
    is_chosen: bool


@dataclass(frozen=True, slots=True)
class FilterSwitch:
    label: str
    options: tuple[SwitchOption, ...]


@dataclass(frozen=True, slots=True)
class VoteFilterBar:
    """``around`` are the page's other parameters, kept in every link."""

    conditions: VoteConditions
    page_params: tuple[FilterTerm, ...]

    @property
    def query(self) -> str:
        """Query of the list of votes alone."""
        return str(self.conditions)

    @property
    def page_query(self) -> str:
        """Query of the page."""
        return self._query(self.conditions.all)

    @property
    def query_without_filters(self) -> str:
        """Query of the page without filters."""
        return self._query(())

    @property
    def chips(self) -> tuple[FilterChip, ...]:
        """Active filters that have no switch."""
        conditions = self.conditions
        switch_names = {name for name, _, _ in SWITCHES if len(conditions.of(name)) == 1}
        others = (each for each in conditions.all if each.name not in switch_names)
        return tuple(FilterChip(each, self._query(conditions.without(each))) for each in others)

    @property
    def hidden_fields(self) -> tuple[FilterTerm, ...]:
        """Active filters the form resubmits as hidden fields because it has no field for them."""
        times = ("since", "until")
        return (
            *self.page_params,
            *(each for each in self.conditions.all if each.name not in times),
        )

    @property
    def fields(self) -> tuple[FilterField, ...]:
        chosen = (
            FilterField(
                name, FIELD_LABELS[name], groups=(("", choices(name, vocabulary(name) or ())),)
            )
            for name in SELECT_FIELDS
            if not self.conditions.of(name)
        )
        typed = (
            FilterField(name, FIELD_LABELS[name], FIELD_HINTS.get(name, ""))
            for name in TEXT_FIELDS
            if name != "user" or not self.conditions.of(name)
        )
        times = (
            FilterField(
                name, FIELD_LABELS[name], FIELD_HINTS.get(name, "a time"), self._value(name)
            )
            for name in ("since", "until")
        )
        return (*chosen, *typed, *times)

    @property
    def switches(self) -> tuple[FilterSwitch, ...]:
        return tuple(
            FilterSwitch(label, self._ways(name, words)) for name, label, words in SWITCHES
        )

    def query_within(self, start: datetime, end: datetime, **more: str) -> str:
        """Query that lists the votes of one interval; the charts keep their period."""
        between = {"since": iso_utc(start), "until": iso_utc(end)}
        names = {**between, **more}
        terms = (each for each in self.conditions.all if each.name not in names)
        is_usual = not self.conditions.of("since") and not any(
            c.name == "range" for c in self.page_params
        )
        usual_range = (FilterTerm("range", DEFAULT_RANGE),) if is_usual else ()
        return self._query((*usual_range, *terms, *(FilterTerm(*each) for each in names.items())))

    def _ways(self, name: str, words: tuple[str, ...]) -> tuple[SwitchOption, ...]:
        others = tuple(each for each in self.conditions.all if each.name != name)
        values = {each.value for each in self.conditions.of(name)}
        every = SwitchOption("all", self._query(others), not values)
        ways = (
            SwitchOption(word, self._query((*others, FilterTerm(name, word))), values == {word})
            for word in words
        )
        return (every, *ways)

    def _query(self, conditions: tuple[FilterTerm, ...]) -> str:
        return query_of((*self.page_params, *conditions))

    def _value(self, name: str) -> str:
        return next((each.value for each in self.conditions.of(name)), "")


def build_vote_filter_bar(query_params: QueryDict) -> VoteFilterBar:
    values = {name: found for name, found in query_params.lists() if name not in LIVE_PARAMS}
    around = tuple(
        FilterTerm(name, value)
        for name in ("range", "by")
        if (value := query_params.get(name)) is not None
    )
    return VoteFilterBar(parse_vote_conditions(values, timezone.now()), around)


def query_without_blanks(query_params: QueryDict) -> str | None:
    """Returns the query without the empty fields a form submits, or None if it has no empty
    field.
    """
    names = [name for name in (*NAMES, *PAGE_PARAMS) if "" in query_params.getlist(name)]
    if not names:
        return None
    clean = query_params.copy()
    for name in names:
        clean.setlist(name, [value for value in query_params.getlist(name) if value])
        if not clean.getlist(name):
            clean.pop(name)
    return clean.urlencode()
