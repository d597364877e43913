"""Runs a grammar over the values of an event.

A table is compiled into a tree of nodes, one for each step of its patterns. Every effect has a
handler, which gets the value with its path; the path of a text goes to the tape, so that
provenance finds its bytes without walking the object again.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import TYPE_CHECKING, Any

from inspector.core.completion import Json
from inspector.core.formats.grammar import Effect, Key, Table

if TYPE_CHECKING:
    from inspector.core.fold.fold_context import FoldContext

Path = tuple[Any, ...]
"""Names and positions on the way to a value in the object of one event."""
Handler = Callable[["FoldContext", "Node", Json, Path, Any], None]
"""Takes the context, the node, the value, its path, and the object or list around it."""
Handlers = Mapping[type[Effect], Handler]
ANY_NAME, ANY_POSITION = "?", "*"


class Node:
    """One step of a table: what is done with a value here, and with what is inside it."""

    __slots__ = ("effect", "item", "members", "other", "take")

    def __init__(self) -> None:
        self.effect: Any = None
        self.take: Handler = descend
        self.members: dict[str, Node | None] = {}
        """The node of each member with a pattern; None for a key, with which nothing is done."""
        self.other: Node | None = None
        """Takes members that have no pattern of their own."""
        self.item: Node | None = None
        """Takes the items of a list."""

    def step(self, name: str) -> Node:
        if name == ANY_POSITION:
            self.item = self.item or Node()
            return self.item
        if name == ANY_NAME:
            self.other = self.other or Node()
            return self.other
        found = self.members.get(name) or Node()
        self.members[name] = found
        return found


def compile_table(table: Table, handlers: Handlers) -> Node:
    """The tree of a table. Raises KeyError for an effect that has no handler."""
    root = Node()
    keys = [pattern for pattern, effect in table.items() if isinstance(effect, Key)]
    for pattern, effect in table.items():
        if pattern in keys:
            continue
        node = node_at(root, pattern.split("/")[1:])
        node.effect, node.take = effect, handlers[type(effect)]
    _inherit(root)
    for pattern in keys:
        *around, name = pattern.split("/")[1:]
        node_at(root, around).members[name] = None
    return root


def node_at(root: Node, steps: Iterable[str]) -> Node:
    """The node of a pattern, which is made if there is none."""
    for name in steps:
        root = root.step(name)
    return root


def _inherit(node: Node) -> None:
    """Give every named member what any name has inside it."""
    for member in node.members.values():
        if node.other is not None and member is not None:
            member.members = node.other.members | member.members
    for inner in (*node.members.values(), node.other, node.item):
        if inner is not None:
            _inherit(inner)


def descend(cursor: FoldContext, node: Node, value: Json, path: Path, around: Any = None) -> None:
    """Run the table over what is inside a value."""
    if value.__class__ is dict:
        members, other = node.members, node.other
        for name, item in value.items():
            inner = members.get(name, other)
            if inner is not None:
                inner.take(cursor, inner, item, (*path, name), value)
    elif value.__class__ is list and node.item is not None:
        each = node.item
        for position, item in enumerate(value):
            each.take(cursor, each, item, (*path, position), value)
