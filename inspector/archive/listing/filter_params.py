"""Parses the filters of a list from a query string.

Pages and API use the same parser, so a query string means the same to both.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime

from inspector.archive.listing.capture_fields import CAPTURE_FIELDS
from inspector.archive.listing.filters import Filters
from inspector.query.language import FilterMistake
from inspector.query.parsed_query import FilterTerm, ParsedQuery, parse_query, text_query


@dataclass(frozen=True, slots=True)
class FilterParams:
    """The parsed parameters; ``filters`` are what was understood of the query."""

    query: ParsedQuery = ParsedQuery()

    @property
    def filters(self) -> Filters:
        return Filters(self.query.resolved)

    @property
    def mistakes(self) -> tuple[FilterMistake, ...]:
        return self.query.mistakes

    @property
    def text(self) -> str:
        return self.query.text

    @property
    def all(self) -> tuple[FilterTerm, ...]:
        """Values that every match must have, in the order given."""
        return self.query.terms

    def of(self, *names: str) -> tuple[FilterTerm, ...]:
        return tuple(term for term in self.all if term.name in names)

    def __str__(self) -> str:
        return text_query(self.text)


def query_conditions(query: str, now: datetime) -> FilterParams:
    """Return the conditions of a text in the language of the list; of an empty one none."""
    return parse_filter_params({"q": [query]} if query.strip() else {}, now)


def parse_filter_params(values: Mapping[str, Sequence[str]], now: datetime) -> FilterParams:
    """Parse a query string; ages such as ``7d`` count back from ``now``."""
    return FilterParams(parse_query(values, CAPTURE_FIELDS, now))
