"""Runs a grammar over the values of an event.

A table is compiled into a tree of nodes, one for each step of its patterns. Every effect has a
handler, which gets the value with its path; the path of a text goes to the tape, so that
provenance finds its bytes without walking the object again.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import reduce
from typing import Any

from inspector.core.formats.grammar import At, AtPlace, Effect, FieldBlock, Grow, Key, Table
from inspector.core.json import Json

Path = tuple[Any, ...]
"""Names and positions on the way to a value in the object of one event."""
Handler = Callable[[Any, "Node", Json, Path, Any], None]
"""Takes the context, the node, the value, its path, and the object or list around it. The context
is the handlers' own: nothing here looks into it.
"""
Handlers = Mapping[type[Effect], Handler]
ANY_NAME, ANY_POSITION, ANY_EVENT = "?", "*", "*"


class Node:
    """One step of a table: what is done with a value here, and with what is inside it."""

    __slots__ = ("effect", "events", "item", "members", "other", "take", "target")

    def __init__(self) -> None:
        self.effect: Any = None
        self.take: Handler = descend
        self.members: dict[str, Node | None] = {}
        """The node of each member with a pattern; None for a key, with which nothing is done."""
        self.other: Node | None = None
        """Takes members that have no pattern of their own."""
        self.item: Node | None = None
        """Takes the items of a list."""
        self.events: dict[str, Node] = {}
        """Nodes of what stands in an event, by its type."""
        self.target: tuple[tuple[str, Node], ...] = ()
        """The steps to the place of the answer that the effect names, each with its node."""

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
    """Return the tree of a table. Raises KeyError for an effect that has no handler, and ValueError
    for a ``Grow`` whose text would be in no block.
    """
    root = Node()
    keys = [pattern for pattern, effect in table.items() if isinstance(effect, Key)]
    for pattern, effect in table.items():
        if pattern in keys:
            continue
        node = node_of(root, pattern)
        node.effect, node.take = effect, handlers[type(effect)]
    # Once every node is there: places are looked up in it and not made.
    for pattern, effect in table.items():
        if isinstance(effect, AtPlace):
            target = tuple(_steps_to(root, effect.at))
            _require_block(pattern, effect, target)
            node_of(root, pattern).target = target
    _inherit(root)
    for pattern in keys:
        event, steps = _steps_of(pattern)
        node_at(_top_of(root, event), steps[:-1]).members[steps[-1]] = None
    # Last, because keys and what was inherited must come along.
    _inherit_events(root)
    return root


def node_of(root: Node, pattern: str | At) -> Node:
    """Return the node of a key of a table, which is made if there is none."""
    event, steps = _steps_of(pattern)
    return node_at(_top_of(root, event), steps)


def _steps_of(pattern: str | At) -> tuple[str | None, list[str]]:
    """Return the type of the event, None for the answer itself, and the steps of the path."""
    event, path = pattern if isinstance(pattern, At) else (None, pattern)
    return event, path.split("/")[1:]


def _top_of(root: Node, event: str | None) -> Node:
    return root if event is None else root.events.setdefault(event, Node())


def _steps_to(root: Node, at: str) -> Iterator[tuple[str, Node]]:
    """Raise KeyError if the table does not say what stands there."""
    node: Node | None = root
    for step in at.split("/")[1:]:
        assert node is not None
        node = node.item if step.startswith("{") else node.members.get(step, node.other)
        if node is None:
            raise KeyError(at)
        yield step, node


def _require_block(pattern: str | At, effect: AtPlace, target: Sequence[tuple[str, Node]]) -> None:
    if isinstance(effect, Grow) and target and isinstance(target[-1][1].effect, FieldBlock):
        raise ValueError(f"{pattern!r}: pieces of a FieldBlock come by Put, Grow would lose them")


def _inherit_events(root: Node) -> None:
    """Give events of every type what events of any type have."""
    common = root.events.get(ANY_EVENT)
    if common is not None:
        for event in root.events.values():
            _hand_down(common, event)


def node_at(node: Node, steps: Iterable[str]) -> Node:
    """Return the node that these steps lead to from a node, making those that are not there."""
    return reduce(Node.step, steps, node)


def _inherit(node: Node) -> None:
    """Give every named member what any name has inside it."""
    for member in node.members.values():
        if node.other is not None and member is not None:
            _hand_down(node.other, member)
    for inner in (*node.members.values(), node.other, node.item):
        if inner is not None:
            _inherit(inner)


def _hand_down(common: Node, node: Node) -> None:
    """Give a node what it has no pattern of its own for."""
    node.members = common.members | node.members
    node.other = node.other or common.other


def descend(context: Any, node: Node, value: Json, path: Path, around: Any = None) -> None:
    """Run the table over what is inside a value."""
    if value.__class__ is dict:
        members, other = node.members, node.other
        for name, item in value.items():
            inner = members.get(name, other)
            if inner is not None:
                inner.take(context, inner, item, (*path, name), value)
    elif value.__class__ is list and node.item is not None:
        each = node.item
        for position, item in enumerate(value):
            each.take(context, each, item, (*path, position), value)
