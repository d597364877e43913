"""Conditions on captures: that their texts hold words, in any order or as a phrase."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from django.db.models import BigAutoField, Lookup, Q

from inspector.core.search_terms import (
    Phrase,
    SearchTerm,
    SearchTerms,
    parse_phrase,
    parse_terms,
)
from inspector.core.searchable_texts import TextKind
from inspector.search.models import KIND_CODES, IndexedPart

_NOTHING = Q(pk__in=())


def holds_text(
    text: str, team_ids: Iterable[int], *, is_phrase: bool = False, kind: TextKind | None = None
) -> Q:
    """Condition on captures of these teams that hold a text, in any place or in texts of one kind.

    Of a text without words nothing is found.
    """
    terms = parse_phrase(text) if is_phrase else parse_terms(text)
    return holds_terms(terms, team_ids, kind)


def holds_terms(terms: SearchTerms, team_ids: Iterable[int], kind: TextKind | None = None) -> Q:
    if not terms.terms:
        return _NOTHING
    teams = tuple(team_ids)
    found = Q()
    for term in terms.terms:
        # A subquery each: the words of a capture may stand in different parts.
        rows = IndexedPart.objects.filter(team__in=teams, pk__has_words=term)
        if kind is not None:
            rows = rows.filter(kind=KIND_CODES[kind])
        found &= Q(id__in=rows.values("capture"))
    return found


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
    """A term as PostgreSQL's type of that name writes it."""
    return " | ".join(f"({_tsquery_of(phrase)})" for phrase in term.spellings)


def fts5_query(term: SearchTerm) -> str:
    """A term in FTS5's language."""
    return " OR ".join(map(_fts5_of, term.spellings))


def _tsquery_of(phrase: Phrase) -> str:
    # Words hold letters, digits and marks: no quote ends them.
    row = " <-> ".join(f"'{word}'" for word in phrase.words)
    return f"{row}:*" if phrase.is_prefix else row


def _fts5_of(phrase: Phrase) -> str:
    return f'"{" ".join(phrase.words)}"{" *" if phrase.is_prefix else ""}'
