"""Conditions on captures: that their texts hold words, in any order or as a phrase."""

import json
from collections.abc import Collection, Iterable
from functools import reduce
from operator import and_
from typing import Any

from django.db import connection
from django.db.models import BigAutoField, Exists, Lookup, OuterRef, Q

from inspector.core.search.search_terms import Phrase, SearchTerm, parse_phrase, parse_terms
from inspector.search.models import IndexedPart

FEW_PARTS = 1_000
"""As many parts are read as soon as about as many captures from the newest on. Beyond, SQLite is
told to look through the list, which ends with a page: it knows nothing of how common words are.
"""

COMMON_PARTS = 5_000
"""On PostgreSQL, which reads two parts in the time for one capture and its part, in a list of which
10,000 are looked through at most.
"""
ESTIMATED_WORDS = 8
"""Words of a phrase that are looked up: the rarest says how often it may occur."""

_NOTHING = Q(pk__in=())


def holds_text(
    text: str, team_ids: Iterable[int], *, is_phrase: bool = False, of_each: bool = False
) -> Q:
    """Condition on captures of these teams that hold a text. Of a text without words nothing is
    found. ``of_each``: asked of each capture of a list in turn.
    """
    terms = _terms_of(text, is_phrase=is_phrase)
    if not terms:
        return _NOTHING
    teams = tuple(team_ids)
    # A subquery each: the words of a capture may stand in different parts.
    return reduce(and_, (_holds(term, teams, of_each=of_each) for term in terms))


def is_common(text: str, *, is_phrase: bool = False) -> bool:
    """Tell whether PostgreSQL may have so many parts with each term of a text that it is slow to
    read them all. How often words stand in a row no database knows: only how often each is there.
    """
    # SQLite finds out itself: ``_has_many_parts``.
    terms = _terms_of(text, is_phrase=is_phrase) if connection.vendor == "postgresql" else ()
    return bool(terms) and all(_estimated_parts(term) > COMMON_PARTS for term in terms)


def _terms_of(text: str, *, is_phrase: bool) -> tuple[SearchTerm, ...]:
    return (parse_phrase(text) if is_phrase else parse_terms(text)).terms


def _holds(term: SearchTerm, teams: Collection[int], *, of_each: bool) -> Q:
    parts = IndexedPart.objects.filter(pk__has_words=term)
    if of_each or (connection.vendor == "sqlite" and _has_many_parts(term)):
        return Q(_ExistsForEach(parts.filter(capture=OuterRef("pk"))))
    return Q(id__in=parts.filter(team__in=teams).values("capture"))


class _ExistsForEach(Exists):
    """Evaluated for each row: PostgreSQL makes no join of a subquery with an offset."""

    template = "EXISTS(%(subquery)s OFFSET 0)"


def _has_many_parts(term: SearchTerm) -> bool:
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT count(*) FROM (SELECT rowid FROM search_words WHERE search_words MATCH %s"
            " LIMIT %s)",
            [fts5_query(term), FEW_PARTS + 1],
        )
        return bool(cursor.fetchone()[0] > FEW_PARTS)


def _estimated_parts(term: SearchTerm) -> int:
    """At most so many parts have the term, by the statistics of its words."""
    return sum(_estimated_parts_of(phrase) for phrase in term.spellings)


def _estimated_parts_of(phrase: Phrase) -> int:
    *whole, last = phrase.words[:ESTIMATED_WORDS]
    is_prefix = phrase.is_prefix and len(phrase.words) <= ESTIMATED_WORDS
    words = [*(Phrase((word,)) for word in whole), Phrase((last,), is_prefix)]
    return min(map(_planned_rows, words))


def _planned_rows(word: Phrase) -> int:
    with connection.cursor() as cursor:
        cursor.execute(
            "EXPLAIN (FORMAT JSON) SELECT FROM search_indexedpart WHERE tokens @@ %s::tsquery",
            [_tsquery_of(word)],
        )
        ((plans,),) = cursor.fetchall()
    return int((json.loads(plans) if isinstance(plans, str) else plans)[0]["Plan"]["Plan Rows"])


# Django's lookup has no type parameters while it runs.
_Lookup: Any = Lookup


@BigAutoField.register_lookup
class HasWords(_Lookup):
    """The part of this number has the words of a term."""

    lookup_name = "has_words"
    prepare_rhs = False
    rhs: SearchTerm

    def as_postgresql(self, compiler: Any, connection: Any) -> tuple[str, list[Any]]:
        table = compiler.quote_name_unless_alias(self.lhs.alias)
        return f"{table}.tokens @@ %s::tsquery", [tsquery(self.rhs)]

    def as_sqlite(self, compiler: Any, connection: Any) -> tuple[str, list[Any]]:
        number, parameters = self.process_lhs(compiler, connection)
        rows = "SELECT rowid FROM search_words WHERE search_words MATCH %s"
        return f"{number} IN ({rows})", [*parameters, fts5_query(self.rhs)]


def tsquery(term: SearchTerm) -> str:
    """Return a term as PostgreSQL's type of that name writes it."""
    return " | ".join(f"({_tsquery_of(phrase)})" for phrase in term.spellings)


def fts5_query(term: SearchTerm) -> str:
    """Return a term in FTS5's language."""
    return " OR ".join(map(_fts5_of, term.spellings))


def _tsquery_of(phrase: Phrase) -> str:
    # Words hold letters, digits and marks: no quote ends them.
    row = " <-> ".join(f"'{word}'" for word in phrase.words)
    return f"{row}:*" if phrase.is_prefix else row


def _fts5_of(phrase: Phrase) -> str:
    return f'"{" ".join(phrase.words)}"{" *" if phrase.is_prefix else ""}'
