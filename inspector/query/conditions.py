"""Compiles a resolved tree into conditions of the database.

A negation matches every row that its part does not, also where a column is null. Each part is
therefore either true or false of a row that a join does not find, or Django guards its columns.
"""

from collections.abc import Iterable, Iterator
from functools import reduce
from operator import and_, or_
from typing import Protocol

from django.db.models import Q, QuerySet
from django.db.models.expressions import Combinable
from django.db.models.lookups import (
    GreaterThan,
    GreaterThanOrEqual,
    IsNull,
    LessThan,
    LessThanOrEqual,
)

from inspector.database import portability  # noqa: F401  the lookups of patterns
from inspector.query.fields import HAS, MISSING, Field, FieldKind, Registry, Scope
from inspector.query.tree import AllOf, AnyOf, Matcher, Node, Not, Operator, Words
from inspector.query.values import NamePattern, ValueRange

LOOKUPS = {
    Operator.MORE: "gt",
    Operator.AT_LEAST: "gte",
    Operator.LESS: "lt",
    Operator.AT_MOST: "lte",
}
COMPARISONS = {"gt": GreaterThan, "gte": GreaterThanOrEqual, "lt": LessThan, "lte": LessThanOrEqual}


class TextCondition(Protocol):
    def __call__(self, text: str, scope: Scope, is_phrase: bool) -> Q: ...


class Compiler:
    """Conditions for the rows of one list."""

    def __init__(self, registry: Registry, scope: Scope, text: TextCondition) -> None:
        self.registry, self.scope, self.text = registry, scope, text

    def each(self, tree: AllOf) -> Iterator[Q]:
        """Yield the conditions all of which must hold."""
        # Bare words are asked of an index at once.
        words = [each for each in tree.nodes if isinstance(each, Words) and not each.is_phrase]
        if words:
            yield self.text(" ".join(each.text for each in words), self.scope, is_phrase=False)
        yield from (self.node(each) for each in tree.nodes if each not in words)

    def node(self, node: Node) -> Q:
        if isinstance(node, Matcher):
            return self._matcher(node)
        if isinstance(node, Words):
            return self.text(node.text, self.scope, is_phrase=node.is_phrase)
        if isinstance(node, Not):
            return ~self.node(node.node)
        if isinstance(node, AllOf):
            return reduce(and_, self.each(node), Q())
        assert isinstance(node, AnyOf), "terms are resolved before"
        return any_of(map(self.node, node.nodes))

    def _matcher(self, matcher: Matcher) -> Q:
        found = self.registry.find(matcher.name)
        assert found is not None, "the tree was resolved by this registry"
        if found.kind is FieldKind.PRESENCE:
            return any_of(self._presence(found.name, str(name)) for name in matcher.values)
        if found.condition:
            return found.condition(matcher, self.scope)
        return column_condition(found, matcher, self.scope)

    def _presence(self, which: str, name: str) -> Q:
        found = self.registry.find(name)
        assert found is not None, "a value of the vocabulary"
        assert which in (HAS, MISSING), "the two fields of this kind"
        return missing_condition(found) if which == MISSING else has_condition(found)


def required_tables(node: Node, registry: Registry) -> frozenset[str]:
    """Return the joined rows that every match has."""
    if isinstance(node, Matcher):
        found = registry.find(node.name)
        assert found is not None, "the tree was resolved by this registry"
        if found.kind is FieldKind.PRESENCE:
            named = [registry.find(str(name)) for name in node.values]
            return _common(frozenset({each.table}) - {""} for each in named if each)
        return frozenset({found.table}) - {""}
    if isinstance(node, AllOf):
        return frozenset[str]().union(*(required_tables(each, registry) for each in node.nodes))
    if isinstance(node, AnyOf):
        return _common(required_tables(each, registry) for each in node.nodes)
    return frozenset()


def _common(tables: Iterable[frozenset[str]]) -> frozenset[str]:
    return reduce(and_, tables)


def any_of(conditions: Iterable[Q]) -> Q:
    return reduce(or_, conditions, Q())


def of_rows(rows: QuerySet, column: str = "capture") -> Q:  # type: ignore[type-arg]
    """Condition on what has one of these rows in a table with several of one."""
    # Not EXISTS: a database that keeps to it must ask for every row of the list in turn.
    return Q(id__in=rows.values(column))


def in_table(found: Field) -> Q:
    """Condition on rows that have the joined one: a column of none is null, too."""
    return Q(**{f"{found.table}__called_at__isnull": False}) if found.table else Q()


def missing_condition(found: Field) -> Q:
    lacks = found.missing if found.missing is not None else Q(**{f"{found.column}__isnull": True})
    return in_table(found) & lacks


def has_condition(found: Field) -> Q:
    if found.missing is None:
        return Q(**{f"{found.column}__isnull": False})
    return in_table(found) & ~found.missing


def column_condition(found: Field, matcher: Matcher, scope: Scope) -> Q:
    column = found.column or scope.time
    if matcher.operator is not Operator.IS:
        lookup = LOOKUPS[matcher.operator]
        return any_of(Q(**{f"{column}__{lookup}": value}) for value in matcher.values)
    if found.kind is FieldKind.TEXT:
        return any_of(Q(**{f"{column}__holds": _plain(value)}) for value in matcher.values)
    exact = [each for each in matcher.values if not isinstance(each, NamePattern | ValueRange)]
    conditions = [Q(**{f"{column}__in": exact})] if exact else []
    for value in matcher.values:
        if isinstance(value, NamePattern):
            conditions.append(pattern_condition(column, value))
        elif isinstance(value, ValueRange):
            conditions.append(range_condition(column, value))
    return any_of(conditions)


def pattern_condition(column: str, pattern: NamePattern) -> Q:
    text = pattern.text
    begins, ends = text.endswith("*"), text.startswith("*")
    lookup = "holds" if begins and ends else "begins" if begins else "ends"
    return Q(**{f"{column}__{lookup}": text.strip("*")})


def range_condition(column: str, value: ValueRange) -> Q:
    low = Q(**{f"{column}__gte": value.low}) if value.low is not None else Q()
    return low & Q(**{f"{column}__lte": value.high}) if value.high is not None else low


def amount_condition(amount: Combinable, matcher: Matcher) -> Q:
    """Compare an expression, which may be null, with numbers and ranges."""
    return any_of(_amount(amount, matcher.operator, value) for value in matcher.values)


def _amount(amount: Combinable, operator: Operator, value: object) -> Q:
    if operator is not Operator.IS:
        return _compared(amount, LOOKUPS[operator], value)
    if not isinstance(value, ValueRange):
        value = ValueRange(value, value)
    low = _compared(amount, "gte", value.low) if value.low is not None else Q()
    return low & _compared(amount, "lte", value.high) if value.high is not None else low


def _compared(amount: Combinable, lookup: str, value: object) -> Q:
    # Null-safe under a negation: Django guards columns, no expressions.
    return Q(IsNull(amount, False)) & Q(COMPARISONS[lookup](amount, float(str(value))))


def _plain(value: object) -> str:
    return value.text.strip("*") if isinstance(value, NamePattern) else str(value)
