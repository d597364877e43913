"""Parses the filters of the vote list from a query string, for page and API."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime

from django.db.models import QuerySet

from inspector.archive.listing.completion import CompletedList
from inspector.feedback.models import Vote
from inspector.feedback.queries import VoteFilters, Votes
from inspector.feedback.vote_fields import VOTE_FIELDS
from inspector.query.language import FilterMistake
from inspector.query.parsed_query import QUERY, FilterTerm, ParsedQuery, parse_query, query_string


@dataclass(frozen=True, slots=True)
class VoteConditions:
    """The parsed parameters. ``all`` has them without duplicates in the order given, the query in
    the language among them; ``filters`` are what was understood of them.
    """

    all: tuple[FilterTerm, ...] = ()
    query: ParsedQuery = ParsedQuery()

    @property
    def filters(self) -> VoteFilters:
        return VoteFilters(self.query.resolved)

    @property
    def mistakes(self) -> tuple[FilterMistake, ...]:
        return self.query.mistakes

    @property
    def own_text(self) -> str:
        """The query in the language, without the other parameters."""
        return next((term.value for term in self.of(QUERY)), "")

    def of(self, *names: str) -> tuple[FilterTerm, ...]:
        return tuple(term for term in self.all if term.name in names)

    def without(self, *terms: FilterTerm) -> tuple[FilterTerm, ...]:
        return tuple(term for term in self.all if term not in terms)

    def __str__(self) -> str:
        return query_string(self.all)


def parse_vote_conditions(values: Mapping[str, Sequence[str]], now: datetime) -> VoteConditions:
    """``now`` is what ages are counted from."""
    query = parse_query(values, VOTE_FIELDS, now)
    wrong = {each.name for each in query.mistakes if is_of_parameter(each, query)}
    return VoteConditions(
        tuple(
            FilterTerm(name, value)
            for name, found in values.items()
            if name not in wrong
            for value in dict.fromkeys(found)
        ),
        query,
    )


def completed_votes(votes: Votes, now: datetime) -> CompletedList:
    """Return the list of votes as its query is completed."""

    def rows(query: str) -> QuerySet[Vote]:
        values = {QUERY: [query]} if query else {}
        return votes.newest(parse_vote_conditions(values, now).filters)

    return CompletedList(VOTE_FIELDS, rows)


def is_of_parameter(mistake: FilterMistake, query: ParsedQuery) -> bool:
    return mistake.span is None or mistake.span[0] < query.own_start
