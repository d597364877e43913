"""Resolves the terms of a query by a registry: names to fields, texts to values of their kinds.

A term that is mistaken is left out of the tree, and the mistake names what would be nearest.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from datetime import datetime
from difflib import get_close_matches
from typing import Any, TypeVar

from inspector.query.fields import VALUE_CHARACTERS, Field, FieldKind, Registry
from inspector.query.language import FilterMistake
from inspector.query.tree import (
    AllOf,
    AnyOf,
    Matcher,
    Node,
    Not,
    Operator,
    QueryTerm,
    QueryValue,
    either,
    every,
)
from inspector.query.values import ValueRange, form_of, parse_value

PART = TypeVar("PART", bound=Node)
MAX_VALUES = 20
"""Values of one field, each compared with the column."""
MAX_COMPARED = 10
"""Mistakes for which the nearest is looked for: that takes a while."""
ABBREVIATED_CHARACTERS = 80
"""Characters inside a sentence of what somebody typed; a whole text may have been pasted."""


@dataclass(frozen=True, slots=True)
class ResolvedQuery:
    """``tree`` has matchers in place of terms."""

    tree: AllOf
    mistakes: tuple[FilterMistake, ...]


def resolve(tree: Node, registry: Registry, now: datetime) -> ResolvedQuery:
    """Ages such as ``7d`` count back from ``now``."""
    resolver = _Resolver(registry, now)
    found = resolver.node(tree)
    nodes = found if isinstance(found, AllOf) else AllOf((found,) if found else ())
    return ResolvedQuery(nodes, tuple(resolver.mistakes))


def with_field_names(node: PART, registry: Registry) -> PART:
    """Return the tree with the names of fields in place of what pages call them."""
    if isinstance(node, QueryTerm):
        found = registry.find(node.name)
        return replace(node, name=found.name) if found and not found.takes_key else node
    if isinstance(node, Not):
        return replace(node, node=with_field_names(node.node, registry))
    if isinstance(node, AllOf | AnyOf):
        return replace(node, nodes=tuple(with_field_names(each, registry) for each in node.nodes))
    return node


def abbreviated(text: str) -> str:
    return ascii(
        text if len(text) <= ABBREVIATED_CHARACTERS else text[:ABBREVIATED_CHARACTERS] + "…"
    )


def nearest(text: str, known: Iterable[str]) -> str:
    """Return the known text that is most like this one; empty where none is."""
    by_folded = {each.casefold(): each for each in known}
    found = get_close_matches(text[:ABBREVIATED_CHARACTERS].casefold(), by_folded, n=1)
    return by_folded[found[0]] if found else ""


@dataclass(slots=True)
class _Resolver:
    registry: Registry
    now: datetime
    mistakes: list[FilterMistake] = field(default_factory=list)

    def node(self, node: Node) -> Node | None:
        if isinstance(node, QueryTerm):
            return self._matcher(node)
        if isinstance(node, Not):
            found = self.node(node.node)
            return Not(found, node.span) if found else None
        if isinstance(node, AllOf | AnyOf):
            kept = [found for each in node.nodes if (found := self.node(each)) is not None]
            joined = every if isinstance(node, AllOf) else either
            return joined(kept, node.span) if kept else None
        return node

    def _matcher(self, term: QueryTerm) -> Matcher | None:
        found = self.registry.find(term.name)
        if found is None:
            near = self._nearest(
                term.name, (each.name for each in self.registry if not each.takes_key)
            )
            return self._left_out(term, "is no field", near and str(replace(term, name=near)))
        if len(term.values) > MAX_VALUES:
            return self._left_out(term, f"has more than {MAX_VALUES} values")
        values: list[Any] = []
        for each in term.values:
            value = self._value(found, term.operator, each)
            if isinstance(value, _Wrong):
                near = value.near and self._corrected(term, value)
                return self._left_out(term, value.what, near, each.text)
            values.append(value)
        return Matcher(term.name, term.operator, tuple(values), term.span)

    def _left_out(
        self, term: QueryTerm, what: str, near: str = "", value: str = ""
    ) -> Matcher | None:
        text = value or term.values[0].text
        self.mistakes.append(FilterMistake(term.name, what, text, term.span, near))
        return None

    def _value(self, found: Field, operator: Operator, value: QueryValue) -> Any:
        if not (value.text or found.allows_empty) or len(value.text) > VALUE_CHARACTERS:
            return _Wrong(value, f"has 1 to {VALUE_CHARACTERS} characters")
        if operator is not Operator.IS:
            return self._compared(found, operator, value)
        known = self.registry.allowed_values(found.name)
        if known is None:
            return self._parsed(found, value)
        if value.text in known:
            return value.text if found.kind is not FieldKind.FLAG else self._parsed(found, value)
        if value.is_pattern and found.kind is FieldKind.NAME:
            return self._parsed(found, value)
        amount = parse_value(found, value, self.now) if found.is_ordered else None
        return self._unknown(found, value, known) if amount is None else amount

    def _compared(self, found: Field, operator: Operator, value: QueryValue) -> Any:
        if not found.is_ordered:
            return _Wrong(value, f"cannot be compared by {operator}")
        parsed = self._parsed(found, value)
        if isinstance(parsed, ValueRange):
            return _Wrong(value, f"cannot be compared by {operator} with a range")
        return parsed

    def _parsed(self, found: Field, value: QueryValue) -> Any:
        parsed = parse_value(found, value, self.now)
        return _Wrong(value, f"is not {form_of(found)}") if parsed is None else parsed

    def _unknown(self, found: Field, value: QueryValue, known: Iterable[str]) -> _Wrong:
        what = f"has no value {abbreviated(value.text)}"
        named = self.registry.find(value.text) if found.kind is FieldKind.PRESENCE else None
        if named is not None and named.name not in known:
            return _Wrong(value, f"{what}: that field is always there")
        if near := named.name if named else self._nearest(value.text, known):
            return _Wrong(value, what, near)
        return _Wrong(value, f"{what}; there are {', '.join(known)}")

    def _nearest(self, text: str, known: Iterable[str]) -> str:
        return nearest(text, known) if len(self.mistakes) < MAX_COMPARED else ""

    def _corrected(self, term: QueryTerm, wrong: _Wrong) -> str:
        values = [QueryValue(wrong.near) if each is wrong.value else each for each in term.values]
        return str(QueryTerm(term.name, term.operator, tuple(values)))


@dataclass(frozen=True, slots=True)
class _Wrong:
    value: QueryValue
    what: str
    near: str = ""
