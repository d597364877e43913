"""Completes the word at the caret: names of fields, then their values with counts of captures."""

from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace
from datetime import datetime
from itertools import islice
from typing import Any

from django.db.models import F

from inspector.archive.listing.capture_fields import CAPTURE_FIELDS
from inspector.archive.listing.facet_counts import (
    COUNTED_ROWS,
    LIMIT_MILLISECONDS,
    FilteredCaptures,
)
from inspector.archive.listing.filter_params import parse_filter_params
from inspector.archive.listing.filters import Filters
from inspector.archive.listing.spoken_terms import SPOKEN_TERMS, meant_queries
from inspector.archive.listing.values_like import values_like
from inspector.database.portability import StatementTimeout, time_limit
from inspector.query.caret import CaretWord, word_at
from inspector.query.conditions import missing_condition
from inspector.query.fields import MISSING, Field, FieldKind, Registry
from inspector.query.tree import Operator, QueryTerm, QueryValue, Span
from inspector.query.values import parse_amount

MAX_OPTIONS = 12
"""A popup without a scroll bar."""
MIN_VALUE_CHARACTERS = 3
"""From so many on a word without a field is compared with values."""
THRESHOLDS = {
    FieldKind.DURATION: ("500ms", "1s", "2s", "5s", "10s", "30s"),
    FieldKind.SIZE: ("1kB", "10kB", "100kB", "1MB", "10MB"),
    FieldKind.MONEY: ("0.0001", "0.001", "0.01", "0.1", "1"),
    FieldKind.NUMBER: ("0", "1", "10", "100", "1k", "10k"),
}
"""Round limits that are offered for fields of a kind."""
TIMES = ("1h", "24h", "7d", "30d", "today", "yesterday")
RULE = "rule"
"""The field whose values are those of all fields with a meaning, and are counted."""
EMPTY_OF = "finish_reason"
"""Only its values may be empty texts; elsewhere an empty text stands for none."""


@dataclass(frozen=True, slots=True)
class CompletionOption:
    """``text`` takes the place of ``span``; ``number`` is None where captures were not counted."""

    text: str
    meaning: str
    number: int | None
    span: Span


@dataclass(frozen=True, slots=True)
class Completion:
    options: tuple[CompletionOption, ...]
    counted: int | None = None
    """Captures that have a value, of ``total`` that were looked at; None where none were."""
    total: int = 0
    is_all: bool = True
    """All captures that match the other terms were looked at."""


@dataclass(frozen=True, slots=True)
class CompletedList:
    """The fields of a list, and its rows that a query finds, the newest first."""

    fields: Registry
    rows: Callable[[str], Any]

    def complete(self, text: str, at: int) -> Completion:
        """Complete the word at a caret. What takes too long is offered without counts."""
        word = word_at(text, at)
        found = self.fields.find(word.field) if word.field else None
        if found is None:
            return Completion(tuple(islice(_names(self.fields, word), MAX_OPTIONS)))
        try:
            with time_limit(LIMIT_MILLISECONDS):
                return _values(self, others_of(text, word), found, word)
        except StatementTimeout:
            return Completion(tuple(_uncounted(self.fields, found, word)))


def others_of(text: str, word: CaretWord) -> str:
    """Return the query without the word."""
    return f"{text[: word.start].rstrip('-')} {text[word.end :]}".strip()


def complete(filtered_captures: FilteredCaptures, text: str, at: int, now: datetime) -> Completion:
    """Complete the word at a caret; one without a field is compared with what is spoken, too."""

    def rows(query: str) -> Any:
        filters = _filters(query, now)
        return filtered_captures(filters).order_by(*filters.order.newest_first)

    listed, word = CompletedList(CAPTURE_FIELDS, rows), word_at(text, at)
    found = listed.complete(text, at)
    if word.field and CAPTURE_FIELDS.find(word.field):
        return found
    options = (*_offered(filtered_captures, text, at, word, now), *found.options)
    filters = _filters(others_of(text, word), now)
    options = options or tuple(_terms(filtered_captures, filters, word))
    return Completion(options[:MAX_OPTIONS])


def _filters(query: str, now: datetime) -> Filters:
    return parse_filter_params({"q": [query]} if query else {}, now).filters


def _offered(
    filtered_captures: FilteredCaptures, text: str, at: int, word: CaretWord, now: datetime
) -> Iterator[CompletionOption]:
    """Offer what is spoken of, the whole query first, where captures have it."""
    whole = tuple(_meant(text, word)) if at == len(text) else ()
    for each in whole or tuple(_spoken(word)):
        query = text[: each.span[0]] + each.text + text[each.span[1] :]
        number = count_query(filtered_captures, query, now)
        if number != 0:
            yield replace(each, number=number)


def count_query(filtered_captures: FilteredCaptures, text: str, now: datetime) -> int | None:
    """Count matches, up to the number that is counted; None where it takes too long."""
    filters = _filters(text, now)
    try:
        with time_limit(LIMIT_MILLISECONDS):
            return filtered_captures(filters)[:COUNTED_ROWS].count()
    except StatementTimeout:
        return None


def _meant(text: str, word: CaretWord) -> Iterator[CompletionOption]:
    """Whole queries where words before the last are spoken, too; the last may be unfinished."""
    for meant, words in meant_queries(text):
        if not meant.startswith(text[: word.start]):
            yield CompletionOption(meant, words, None, (0, len(text)))


def _spoken(word: CaretWord) -> Iterator[CompletionOption]:
    typed = word.typed.casefold()
    if len(typed) >= MIN_VALUE_CHARACTERS:
        for words, term in SPOKEN_TERMS.items():
            if words.startswith(typed):
                yield CompletionOption(term, words, None, (word.start, word.end))


def _names(fields: Registry, word: CaretWord) -> Iterator[CompletionOption]:
    typed = word.typed.casefold()
    begin = [each for each in fields if each.name.startswith(typed)]
    hold = [each for each in fields if each not in begin and typed in each.name + each.label]
    for each in (*begin, *hold):
        sign = "." if each.takes_key else ">" if each.is_ordered and not each.vocabulary else ":"
        yield CompletionOption(f"{each.name}{sign}", each.meaning, None, (word.start, word.end))


def _terms(
    filtered_captures: FilteredCaptures, filters: Filters, word: CaretWord
) -> Iterator[CompletionOption]:
    """Whole terms for a word that captures have as their value."""
    if len(word.typed) >= MIN_VALUE_CHARACTERS:
        for found, value, number in values_like(filtered_captures, filters, word.typed):
            text = str(QueryTerm(found.name, Operator.IS, (QueryValue(value),)))
            meaning = _meaning(found, value) or found.meaning
            yield CompletionOption(text, meaning, number, (word.start, word.end))


def _values(listed: CompletedList, others: str, found: Field, word: CaretWord) -> Completion:
    if found.describe:
        return _described(listed, others, found, word)
    if found.counted is None:
        return Completion(tuple(_uncounted(listed.fields, found, word)))
    newest = listed.rows(others).annotate(of_value=_expression(found))[:COUNTED_ROWS]
    cells = list(newest.values_list("of_value", flat=True))
    values = [
        value for cell in cells for value in _each(cell) if value != "" or found.name == EMPTY_OF
    ]
    is_all = len(cells) < COUNTED_ROWS
    unseen = () if is_all and not found.is_ordered else _vocabulary(listed.fields, found)
    options = [*_counted(found, word, values, unseen), *_lacking(listed, others, found, word)]
    return Completion(tuple(options[:MAX_OPTIONS]), len(values), len(cells), is_all)


def _described(listed: CompletedList, others: str, found: Field, word: CaretWord) -> Completion:
    """Values in rows of their own, found by what they mean, too."""
    count = listed.fields.fields[RULE].count_rows
    assert count is not None, "rules are counted in their rows"
    newest = listed.rows(others)[:COUNTED_ROWS]
    numbers = {value: number for value, number, _ in count(newest.values("id"), ())}
    is_all = newest.count() < COUNTED_ROWS
    known = dict.fromkeys([*numbers, *(() if is_all else _vocabulary(listed.fields, found))])
    options = (
        _option(word, value, _meaning(found, value), numbers.get(value))
        for value in _like(known, word.typed, lambda value: _meaning(found, value))
    )
    return Completion(tuple(islice(options, MAX_OPTIONS)))


def _meaning(found: Field, value: str) -> str:
    return found.describe(value) if found.describe else ""


def _expression(found: Field) -> Any:
    return F(found.counted) if isinstance(found.counted, str) else found.counted


def _each(cell: Any) -> Iterable[Any]:
    if isinstance(cell, list):
        return dict.fromkeys(each for each in cell if each is not None)
    return () if cell is None else (cell,)


def _counted(
    found: Field, word: CaretWord, values: list[Any], unseen: Iterable[str]
) -> Iterator[CompletionOption]:
    """Yield values with the rows that have them; the ``unseen`` may be in others, or are words in
    place of a number.
    """
    if found.is_ordered and (word.operator is not Operator.IS or not found.vocabulary):
        yield from _limits(found, word, values)
        return
    numbers = Counter(_text(each) for each in values if not found.is_ordered)
    known = dict.fromkeys([*(value for value, _ in numbers.most_common()), *unseen])
    for value in _like(known, word.typed):
        yield _option(word, value, "", numbers.get(value))


def _limits(found: Field, word: CaretWord, values: list[Any]) -> Iterator[CompletionOption]:
    is_below = word.operator in (Operator.LESS, Operator.AT_MOST)
    operator = word.operator if is_below and word.operator else Operator.MORE
    typed = parse_amount(found.kind, word.typed) is not None and word.typed
    words = "over" if operator is Operator.MORE else "under"
    for text in dict.fromkeys([*([typed] if typed else []), *THRESHOLDS[found.kind]]):
        limit = parse_amount(found.kind, text)
        assert limit is not None, "a round limit of the kind"
        number = sum(_beyond(operator, float(value), float(limit)) for value in values)
        if number or text == typed:
            term = QueryTerm(found.name, operator, (QueryValue(text),))
            yield CompletionOption(str(term), f"{words} {text}", number, (word.start, word.end))


def _beyond(operator: Operator, value: float, limit: float) -> bool:
    if operator is Operator.MORE:
        return value > limit
    return value < limit if operator is Operator.LESS else value <= limit


def _lacking(
    listed: CompletedList, others: str, found: Field, word: CaretWord
) -> Iterator[CompletionOption]:
    if not found.can_be_missing or (word.typed and not found.is_ordered):
        return
    term = str(QueryTerm(MISSING, Operator.IS, (QueryValue(found.name),)))
    number = listed.rows(others).filter(missing_condition(found))[:COUNTED_ROWS].count()
    if number:
        yield CompletionOption(term, "not sent or unknown", number, (word.start, word.end))


def _uncounted(fields: Registry, found: Field, word: CaretWord) -> Iterator[CompletionOption]:
    for value in islice(_like(_vocabulary(fields, found), word.typed), MAX_OPTIONS):
        yield _option(word, value, _meaning(found, value), None)


def _option(word: CaretWord, value: str, meaning: str, number: int | None) -> CompletionOption:
    return CompletionOption(
        str(QueryValue(value)), meaning, number, (word.value_start, word.value_end)
    )


def _vocabulary(fields: Registry, found: Field) -> Iterable[str]:
    if found.kind is FieldKind.TIME:
        return TIMES
    return fields.allowed_values(found.name) or ()


def _like(values: Iterable[str], typed: str, meaning: Callable[[str], str] = str) -> Iterator[str]:
    """Yield values that begin with the text, that contain it, then those that mean it."""
    folded, left = typed.casefold(), dict.fromkeys(values)
    for is_like in (
        lambda value: value.casefold().startswith(folded),
        lambda value: folded in value.casefold(),
        lambda value: folded in meaning(value).casefold(),
    ):
        like = [value for value in left if is_like(value)]
        yield from like
        left = {value: None for value in left if value not in like}


def _text(value: Any) -> str:
    return {True: "yes", False: "no"}[value] if isinstance(value, bool) else str(value) or "empty"
