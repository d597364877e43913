"""Filters of the capture list: a resolved query over registered fields, never an expression."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from datetime import datetime

from django.db.models import Q, QuerySet

from inspector.archive.listing.capture_fields import CAPTURE_FIELDS, INSPECTION
from inspector.archive.listing.cursor import Order
from inspector.archive.listing.text_lookup import text_index
from inspector.archive.models import Capture
from inspector.query.conditions import Compiler, required_tables
from inspector.query.fields import Scope
from inspector.query.tree import AllOf, Matcher, Node, Operator, Words

BY_CAPTURE = Order()


@dataclass(frozen=True, slots=True)
class Filters:
    """``tree`` is resolved: its matchers name fields of ``CAPTURE_FIELDS``."""

    tree: AllOf = AllOf()

    @classmethod
    def of(cls, **values: object) -> Filters:
        """Filter by fields: several values of one name match any or, where it says so, all."""
        return cls(AllOf(tuple(_nodes(values))))

    @property
    def order(self) -> Order:
        """The table whose index the list is read from: costs, inspection or captures."""
        # Listed by the table whose columns are compared: its indexes have team, column and time.
        table = self._table
        return Order(f"{table}__called_at", f"{table}__capture") if table else BY_CAPTURE

    def narrow(
        self, captures: QuerySet[Capture], team_ids: Iterable[int], *, is_part: bool = False
    ) -> QuerySet[Capture]:
        """``is_part``: these are few of the captures, and words are looked for in theirs alone."""
        scope = Scope(tuple(team_ids), self.order.time, is_part=is_part)
        if self._table:
            # The condition is repeated on the table whose index is used; the capture's own is
            # always there.
            captures = captures.filter(**{f"{self._table}__team__in": scope.team_ids})
        for condition in Compiler(CAPTURE_FIELDS, scope, holds_text).each(self.tree):
            captures = captures.filter(condition)
        return captures

    @property
    def text(self) -> str:
        """The words that every match holds, as one text."""
        return " ".join(each.text for each in self.tree.nodes if isinstance(each, Words))

    @property
    def words(self) -> str:
        """The same as it was written, phrases in quotes."""
        return " ".join(str(each) for each in self.tree.nodes if isinstance(each, Words))

    def has_common_words(self) -> bool:
        """Tell whether there are words, all of them in many captures, as the database sees it."""
        words = [each for each in self.tree.nodes if isinstance(each, Words)]
        return bool(words) and all(
            text_index().is_common(each.text, is_phrase=each.is_phrase) for each in words
        )

    @property
    def since(self) -> datetime | None:
        return max(self._times("since"), default=None)

    @property
    def until(self) -> datetime | None:
        return min(self._times("until"), default=None)

    def values(self, name: str) -> tuple[str, ...]:
        """Values of a field any of which matches must have."""
        return tuple(str(value) for each in self._matchers(name) for value in each.values)

    def without(self, name: str, but: Callable[[str], bool] = lambda value: False) -> Filters:
        """Return the filters without a field's values of which any may match, but for ``but``."""
        own = {id(each) for each in self._matchers(name)}
        given = (value for each in self._matchers(name) for value in each.values)
        kept = tuple(value for value in given if but(str(value)))
        others = tuple(each for each in self.tree.nodes if id(each) not in own)
        matcher = (Matcher(name, Operator.IS, kept),) if kept else ()
        return Filters(AllOf((*others, *matcher)))

    def with_value(self, name: str, value: object) -> Filters:
        return Filters(AllOf((*self.tree.nodes, Matcher(name, Operator.IS, (value,)))))

    def without_words(self, name: str, value: object) -> Filters:
        """Return the filters with a value of a field in place of the words."""
        others = tuple(each for each in self.tree.nodes if not isinstance(each, Words))
        return Filters(AllOf((*others, Matcher(name, Operator.IS, (value,)))))

    @property
    def _table(self) -> str:
        tables = required_tables(self.tree, CAPTURE_FIELDS)
        if others := tables - {INSPECTION}:
            return min(others)
        return INSPECTION if tables or self.text or self._severities else ""

    @property
    def _severities(self) -> bool:
        return any(value in ("error", "warning", "info") for value in self.values("finding"))

    def _times(self, name: str) -> Iterator[datetime]:
        for each in self._matchers(name):
            yield from (value for value in each.values if isinstance(value, datetime))

    def _matchers(self, name: str) -> Iterator[Matcher]:
        for each in self.tree.nodes:
            if isinstance(each, Matcher) and each.name == name and each.operator is Operator.IS:
                yield each


NO_FILTERS = Filters()


def holds_text(text: str, scope: Scope, is_phrase: bool) -> Q:
    return text_index().holds_text(text, scope.team_ids, is_phrase=is_phrase, of_each=scope.is_part)


def _nodes(values: dict[str, object]) -> Iterator[Node]:
    for name, given in values.items():
        each = given if isinstance(given, tuple) else (given,)
        found = CAPTURE_FIELDS.find(name)
        if name == "q":
            yield from (Words(str(text)) for text in each)
        elif found is not None and found.needs_all:
            yield from (Matcher(name, Operator.IS, (value,)) for value in each)
        else:
            yield Matcher(name, Operator.IS, each)
