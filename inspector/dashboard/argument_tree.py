"""Arguments as a tree: every name and value as it was sent, no more of them than a page can hold.

Numbers keep their spelling, and a name that stands twice in one object is shown twice.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from inspector.core.json_text import MAX_DEPTH, depth_of
from inspector.core.pointer import pointer_to, steps_of
from inspector.dashboard.marks import Segment, exact
from inspector.dashboard.templatetags.formats import plural

MAX_CHARACTERS = 300_000
"""Of a text that is taken apart."""
MAX_NODES = 300
"""Of one tree."""
MAX_CHILDREN = 50
"""Of one object or list."""
MAX_LEVELS = 8
OPEN_LEVELS = 3
MAX_TEXT = 400
MOST_EXACT = 2**53
"""The largest number up to which every whole number has a value of its own in JavaScript."""


class Number(str):
    """As it was spelt."""

    __slots__ = ()


class Names(list[tuple[str, Any]]):
    """An object with its names in order, repeated ones too."""


@dataclass(frozen=True, slots=True)
class Node:
    name: tuple[Segment, ...] | None
    """None for the whole and for the items of a list."""
    position: int | None
    """In a list."""
    type: str
    value: tuple[Segment, ...]
    left_out: int
    """Characters of a long text that are not shown."""
    remark: str
    """What readers do differently with it."""
    pointer: str
    children: tuple[Node, ...]
    more: int
    """Children that are not shown."""
    following: int
    """The first of them."""
    is_open: bool

    @property
    def is_branch(self) -> bool:
        return bool(self.children or self.more)


@dataclass(frozen=True, slots=True)
class Tree:
    root: Node
    at: tuple[Segment, ...]
    """The pointer that the tree begins at; empty for all of the arguments."""
    start: int
    """The first child that is shown."""


@dataclass(slots=True)
class _Budget:
    left: int


def parsed(text: str) -> Any:
    """Its value with ``Names`` and ``Number``.

    Raises:
        ValueError: it is no JSON, or over a limit.
    """
    if len(text) > MAX_CHARACTERS:
        raise ValueError(f"longer than {MAX_CHARACTERS:,} characters")
    if depth_of(text.encode(errors="replace")) > MAX_DEPTH:
        raise ValueError(f"nested deeper than {MAX_DEPTH} levels")
    return json.loads(
        text, object_pairs_hook=Names, parse_int=Number, parse_float=Number, parse_constant=_refuse
    )


def _refuse(name: str) -> Any:
    raise ValueError(f"{name} is not JSON")


def tree_of(value: Any, at: str = "", start: int = 0, nodes: int = MAX_NODES) -> Tree | None:
    """The tree of a parsed value from a place on; None where there is no such place."""
    path = steps_of(at)
    found = _found(value, path)
    if found is _NOTHING:
        return None
    step = path[-1] if path else None
    name = exact(step) if step is not None else None
    root = _node(found, name, None, tuple(path), "", _Budget(nodes), start)
    return Tree(root, exact(at), start)


_NOTHING = object()


def _found(value: Any, path: list[str]) -> Any:
    """Of a repeated name the last, as readers take it."""
    for step in path:
        if isinstance(value, Names):
            value = next((item for name, item in reversed(value) if name == step), _NOTHING)
        elif isinstance(value, list) and step.isascii() and step.isdigit() and len(step) < 8:
            value = value[int(step)] if int(step) < len(value) else _NOTHING
        else:
            return _NOTHING
    return value


def _node(
    value: Any,
    name: tuple[Segment, ...] | None,
    position: int | None,
    path: tuple[str, ...],
    remark: str,
    budget: _Budget,
    start: int = 0,
    level: int = 0,
) -> Node:
    budget.left -= 1
    children: tuple[Node, ...] = ()
    total = len(value) if isinstance(value, list) else 0
    if level < MAX_LEVELS and total:
        children = tuple(_children(value, path, budget, start, level))
    shown = _leaf(value)
    return Node(
        name=name,
        position=position,
        type=_type(value),
        value=exact(shown[:MAX_TEXT]),
        left_out=max(len(shown) - MAX_TEXT, 0),
        remark=remark or _remark(value),
        pointer=pointer_to(path),
        children=children,
        more=max(total - start - len(children), 0),
        following=start + len(children),
        is_open=level < OPEN_LEVELS,
    )


def _children(
    value: Any, path: tuple[str, ...], budget: _Budget, start: int, level: int
) -> Iterator[Node]:
    is_object = isinstance(value, Names)
    times = Counter(name for name, _ in value) if is_object else Counter()
    for position in range(start, min(start + MAX_CHILDREN, len(value))):
        if budget.left <= 0:
            return
        name, item = value[position] if is_object else (str(position), value[position])
        yield _node(
            item,
            exact(name) if is_object else None,
            None if is_object else position,
            (*path, name),
            f"sent {times[name]:,} times, most parsers take the last" if times[name] > 1 else "",
            budget,
            level=level + 1,
        )


def _leaf(value: Any) -> str:
    if isinstance(value, str):
        return value
    return "" if isinstance(value, list) else json.dumps(value)


def _type(value: Any) -> str:
    if isinstance(value, Names):
        return f"object, {plural(len(value), 'field')}"
    if isinstance(value, list):
        return f"list, {plural(len(value), 'item')}"
    if isinstance(value, Number):
        return "number"
    if isinstance(value, str):
        return f"text, {plural(len(value), 'character')}" if value else "text, empty"
    return "null" if value is None else "boolean"


def _remark(value: Any) -> str:
    if isinstance(value, Number) and value.lstrip("-").isdigit():
        is_exact = len(value) < 17 and abs(int(value)) <= MOST_EXACT
        return "" if is_exact else "above 2^53: many parsers round it"
    return ""
