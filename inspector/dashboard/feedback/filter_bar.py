"""The filter bar above the votes: the query, and active filters as chips or switches."""

from dataclasses import dataclass
from datetime import datetime

from django.http import QueryDict
from django.utils import timezone

from inspector.feedback.conditions import VoteConditions, parse_vote_conditions
from inspector.feedback.vote_fields import VOTE_FIELDS
from inspector.formatting.humanize import iso_utc
from inspector.query.parsed_query import QUERY, FilterTerm
from inspector.query.parsed_query import query_string as query_of
from inspector.usage.rollup.periods import DEFAULT_RANGE

PAGE_PARAMS = ("range", "by", "before")
"""Query parameters of the page that are not filters."""
LIVE_PARAMS = (*PAGE_PARAMS, "after", "exclude", "paused")
SWITCHES = (
    ("outcome", "Outcome", ("negative", "positive")),
    ("state", "Triage", ("open", "resolved", "incorrect")),
)


@dataclass(frozen=True, slots=True)
class FilterChip:
    """A part of the query; ``without`` is the page's query after removing it."""

    name: str
    """Name of its field, with the operator; empty where it is no single term."""
    words: str
    without: str


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
        hidden = {QUERY, *switch_names}
        return tuple(
            FilterChip(f"{each.name}:", each.value, self._query(conditions.without(each)))
            for each in conditions.all
            if each.name not in hidden
        )

    @property
    def hidden_fields(self) -> tuple[FilterTerm, ...]:
        """Active filters the form resubmits as hidden fields: the box has the query alone."""
        return *self.page_params, *(each for each in self.conditions.all if each.name != QUERY)

    @property
    def text(self) -> str:
        """The query in the language, as written."""
        return self.conditions.own_text

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


def build_vote_filter_bar(query_params: QueryDict) -> VoteFilterBar:
    values = {name: found for name, found in query_params.lists() if name not in LIVE_PARAMS}
    around = tuple(
        FilterTerm(name, value)
        for name in ("range", "by")
        if (value := query_params.get(name)) is not None
    )
    return VoteFilterBar(parse_vote_conditions(values, timezone.now()), around)


def query_without_blanks(query_params: QueryDict) -> str | None:
    """Return the query without the empty fields a form submits, or None if it has none."""
    names = [
        name
        for name in (*VOTE_FIELDS.parameter_names(), *PAGE_PARAMS)
        if "" in query_params.getlist(name)
    ]
    if not names:
        return None
    clean = query_params.copy()
    for name in names:
        clean.setlist(name, [value for value in query_params.getlist(name) if value])
        if not clean.getlist(name):
            clean.pop(name)
    return clean.urlencode()
