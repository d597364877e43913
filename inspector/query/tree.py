"""The tree of a query: terms and words, joined by and, or and not.

``str`` of a tree is its canonical text, which parses to the same tree.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from enum import StrEnum

Span = tuple[int, int]
"""First character in the text of the query, and the one behind the last."""

# As in "gpt-4o": needs no quotes.
_PLAIN_VALUE = re.compile(r"""[^\s(),"*<>=][^\s(),"*]*""")


class Operator(StrEnum):
    IS = ":"
    MORE = ">"
    AT_LEAST = ">="
    LESS = "<"
    AT_MOST = "<="


@dataclass(frozen=True, slots=True)
class QueryValue:
    """A value as written; in a pattern ``*`` at the beginning or the end stands for any text."""

    text: str
    is_pattern: bool = False

    def __str__(self) -> str:
        is_plain = self.is_pattern or _PLAIN_VALUE.fullmatch(self.text)
        return self.text if is_plain else quote(self.text)


@dataclass(frozen=True, slots=True)
class QueryTerm:
    """A field with values, any of which is to match."""

    name: str
    operator: Operator
    values: tuple[QueryValue, ...]
    span: Span = field(default=(0, 0), compare=False)

    def __str__(self) -> str:
        return f"{self.name}{self.operator}{','.join(map(str, self.values))}"


@dataclass(frozen=True, slots=True)
class Words:
    """One word, or a phrase."""

    text: str
    is_phrase: bool = False
    span: Span = field(default=(0, 0), compare=False)

    def __str__(self) -> str:
        return quote(self.text) if self.is_phrase else self.text


@dataclass(frozen=True, slots=True)
class Matcher:
    """A term that was understood: its field's name, and values of the field's kind."""

    name: str
    operator: Operator
    values: tuple[object, ...]
    span: Span = field(default=(0, 0), compare=False)


@dataclass(frozen=True, slots=True)
class Not:
    node: Node
    span: Span = field(default=(0, 0), compare=False)

    def __str__(self) -> str:
        return f"-{_grouped(self.node)}"


@dataclass(frozen=True, slots=True)
class AllOf:
    nodes: tuple[Node, ...] = ()
    span: Span = field(default=(0, 0), compare=False)

    def __str__(self) -> str:
        if len(self.nodes) == 1:
            return str(self.nodes[0])
        return " ".join(
            _grouped(each) if isinstance(each, AnyOf) else str(each) for each in self.nodes
        )


@dataclass(frozen=True, slots=True)
class AnyOf:
    nodes: tuple[Node, ...]
    span: Span = field(default=(0, 0), compare=False)

    def __str__(self) -> str:
        return " or ".join(map(str, self.nodes))


Node = QueryTerm | Words | Matcher | Not | AllOf | AnyOf


def quote(text: str) -> str:
    escaped = text.replace("\\", "\\\\").replace('"', '\\"')
    return f'"{escaped}"'


def every(nodes: list[Node], span: Span) -> Node:
    """All of these; groups within are taken apart, and a single one stands for itself."""
    flat = [part for each in nodes for part in (each.nodes if isinstance(each, AllOf) else (each,))]
    return flat[0] if len(flat) == 1 else AllOf(tuple(flat), span)


def either(nodes: list[Node], span: Span) -> Node:
    """Any of these; see ``every``."""
    flat = [part for each in nodes for part in (each.nodes if isinstance(each, AnyOf) else (each,))]
    return flat[0] if len(flat) == 1 else AnyOf(tuple(flat), span)


def _grouped(node: Node) -> str:
    return f"({node})" if isinstance(node, AllOf | AnyOf) else str(node)
