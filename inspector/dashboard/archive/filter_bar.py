"""The filter bar above the archive rows: the query as text, and what it becomes by one change."""

from collections.abc import Iterable
from dataclasses import dataclass

from django.http import QueryDict
from django.utils import timezone

from inspector.archive.listing.capture_fields import CAPTURE_FIELDS, PROMPT
from inspector.archive.listing.filter_params import FilterParams, parse_filter_params
from inspector.archive.listing.spoken_terms import meant_query
from inspector.dashboard.text.cost_labels import filter_words
from inspector.query.language import FilterMistake
from inspector.query.parsed_query import FilterTerm, ParsedQuery, query_string, text_query

BEFORE = "before"
DIGEST_CHARACTERS = 8
"""Shown of a digest, which nobody reads to its end."""


@dataclass(frozen=True, slots=True)
class TextPiece:
    """A piece of the query's text; ``is_mistake`` marks what was not understood."""

    text: str
    is_mistake: bool


@dataclass(frozen=True, slots=True)
class MeantQuery:
    text: str
    query: str


@dataclass(frozen=True, slots=True)
class FilterBar:
    conditions: FilterParams
    layout: str = ""
    """Query string of what stays where filters change, such as the sort."""

    @property
    def query(self) -> str:
        return str(self.conditions)

    @property
    def text(self) -> str:
        """The query as written."""
        return self.conditions.text

    @property
    def has_words(self) -> bool:
        return bool(self.conditions.filters.text)

    @property
    def pieces(self) -> tuple[TextPiece, ...]:
        """The text in pieces, for marking mistakes in place."""
        return tuple(marked_pieces(self.conditions.query))

    @property
    def mistakes(self) -> tuple[tuple[FilterMistake, str], ...]:
        """Each with the page's query after its correction; empty where none is known."""
        query = self.conditions.query
        return tuple(
            (each, self._query_of(query.corrected(each)) if each.near else "")
            for each in query.mistakes
        )

    @property
    def meant(self) -> MeantQuery | None:
        """The query that words for results and times may stand for."""
        text = meant_query(self.text)
        return MeantQuery(text, self._query_of(text)) if text else None

    def toggle_query(self, term: FilterTerm) -> str:
        """Return the query with this filter added, or removed where it is active."""
        found = CAPTURE_FIELDS.find(term.name)
        needs_all = found is not None and found.needs_all
        return self._query_of(self.conditions.query.toggled(term, needs_all))

    def without_field(self, name: str) -> str | None:
        """Return the query without any value of this field; None where it has none."""
        query = self.conditions.query
        return self._query_of(query.without_field(name)) if self.conditions.of(name) else None

    def replace_query(self, term: FilterTerm, value: str) -> str:
        """Return the query with another value in place of this one."""
        return self._query_of(self.conditions.query.with_value(term, value))

    def between(self, since: str, until: str) -> str:
        others = self.conditions.query.without_field("since", "until")
        times = (FilterTerm("since", since), FilterTerm("until", until))
        return "&".join(filter(None, (text_query(others), query_string(times), self.layout)))

    def _query_of(self, text: str) -> str:
        return "&".join(filter(None, (text_query(text), self.layout)))


def build_filter_bar(
    query_params: QueryDict, others: Iterable[str] = (), layout: str = ""
) -> FilterBar:
    """Parse the page's query; ``others`` are parameters that are not filters."""
    values = {name: found for name, found in query_params.lists() if name not in others}
    return FilterBar(parse_filter_params(values, timezone.now()), layout)


def filter_bar_of_query(query: str) -> FilterBar:
    """Parse the list query that a capture page was opened with; invalid filters are ignored."""
    return build_filter_bar(QueryDict(query[:8_000]))


def query_without_blanks(query_params: QueryDict) -> str | None:
    """Return the query without the empty fields a form submits, or None if it has none."""
    names = CAPTURE_FIELDS.parameter_names()
    if all(value for name in names for value in query_params.getlist(name)):
        return None
    clean = query_params.copy()
    for name in names:
        clean.setlist(name, [value for value in query_params.getlist(name) if value])
        if not clean.getlist(name):
            clean.pop(name, None)
    return clean.urlencode()


def marked_pieces(query: ParsedQuery) -> Iterable[TextPiece]:
    at = 0
    for start, end in sorted({each.span for each in query.mistakes if each.span}):
        if start < at:
            continue
        if start > at:
            yield TextPiece(query.text[at:start], False)
        # Where something is missing there is nothing to underline but what stands before it.
        if end > start:
            yield TextPiece(query.text[start:end], True)
        at = max(at, end)
    yield TextPiece(query.text[at:], False)


def words_of(name: str, value: str) -> str:
    if name == PROMPT:
        return value[:DIGEST_CHARACTERS] + "…" if len(value) > DIGEST_CHARACTERS else value
    return filter_words(value) if name == "cost" else value
