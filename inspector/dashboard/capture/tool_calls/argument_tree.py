"""Arguments as a tree of bounded size that keeps the sent spelling.

Numbers keep their spelling, and duplicate names of an object are all shown.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any

from inspector.core.json.parser import MAX_DEPTH, depth_of
from inspector.core.json.pointer import pointer_to, steps_of
from inspector.formatting.humanize import plural
from inspector.formatting.invisible_characters import TextSegment, exact_segments

MAX_CHARACTERS = 300_000
"""As of what is walked (`panel.MAX_SCANNED`)."""
MAX_NODES = 300
"""Nodes per tree."""
MAX_CHILDREN = 50
"""Children shown per object or array."""
MAX_LEVELS = 8
"""Deeper ones are counted; the text above the tree has them."""
OPEN_LEVELS = 3
MAX_TEXT = 400
"""A value is a line or two; `left_out` counts the rest."""
MAX_EXACT = 2**53
"""Number.MAX_SAFE_INTEGER + 1: larger integers may change when read in JavaScript."""


class SpelledNumber(str):
    """A number in its original spelling."""

    __slots__ = ()


class ObjectPairs(list[tuple[str, Any]]):
    """An object as ordered pairs, including duplicate names."""


@dataclass(frozen=True, slots=True)
class ArgumentNode:
    name: tuple[TextSegment, ...] | None
    """None for the root and for array items."""
    position: int | None
    """Index in an array."""
    type: str
    value: tuple[TextSegment, ...]
    left_out: int
    """Characters of a long text left out."""
    remark: str
    """Notes that JSON readers interpret this value differently."""
    pointer: str
    children: tuple[ArgumentNode, ...]
    more: int
    """Number of children not shown."""
    following: int
    """Index of the first of them."""
    is_open: bool

    @property
    def is_branch(self) -> bool:
        return bool(self.children or self.more)


@dataclass(frozen=True, slots=True)
class ArgumentTree:
    root: ArgumentNode
    at: tuple[TextSegment, ...]
    """JSON Pointer of the tree's root; empty for the whole arguments."""
    start: int
    """Index of the first child shown."""


@dataclass(slots=True)
class _Budget:
    left: int
    remarks: Mapping[str, str]


def parse_arguments(text: str) -> Any:
    """Its value with ``ObjectPairs`` and ``SpelledNumber``.

    Raises:
        ValueError: it is no JSON, or over a limit.
    """
    if len(text) > MAX_CHARACTERS:
        raise ValueError(f"longer than {MAX_CHARACTERS:,} characters")
    if depth_of(text.encode(errors="replace")) > MAX_DEPTH:
        raise ValueError(f"nested deeper than {MAX_DEPTH} levels")
    return json.loads(
        text,
        object_pairs_hook=ObjectPairs,
        parse_int=SpelledNumber,
        parse_float=SpelledNumber,
        parse_constant=_refuse,
    )


def _refuse(name: str) -> Any:
    raise ValueError(f"{name} is not JSON")


def argument_tree_of(
    value: Any,
    at: str = "",
    start: int = 0,
    nodes: int = MAX_NODES,
    remarks: Mapping[str, str] = MappingProxyType({}),
) -> ArgumentTree | None:
    """Build the tree of the value at a pointer; None if there is no such value. ``remarks`` are
    shown beside the values at their pointers.
    """
    path = steps_of(at)
    found = _value_at(value, path)
    if found is _NOTHING:
        return None
    step = path[-1] if path else None
    name = exact_segments(step) if step is not None else None
    root = _node(found, name, None, tuple(path), "", _Budget(nodes, remarks), start)
    return ArgumentTree(root, exact_segments(at), start)


_NOTHING = object()


def _value_at(value: Any, path: list[str]) -> Any:
    # Of duplicate names the last counts, as in most JSON readers.
    for step in path:
        if isinstance(value, ObjectPairs):
            value = next((item for name, item in reversed(value) if name == step), _NOTHING)
        elif isinstance(value, list) and step.isascii() and step.isdigit() and len(step) < 8:
            value = value[int(step)] if int(step) < len(value) else _NOTHING
        else:
            return _NOTHING
    return value


def _node(
    value: Any,
    name: tuple[TextSegment, ...] | None,
    position: int | None,
    path: tuple[str, ...],
    remark: str,
    budget: _Budget,
    start: int = 0,
    level: int = 0,
) -> ArgumentNode:
    budget.left -= 1
    children: tuple[ArgumentNode, ...] = ()
    total = len(value) if isinstance(value, list) else 0
    if level < MAX_LEVELS and total:
        children = tuple(_children(value, path, budget, start, level))
    leaf = _leaf(value)
    return ArgumentNode(
        name=name,
        position=position,
        type=_type(value),
        value=exact_segments(leaf[:MAX_TEXT]),
        left_out=max(len(leaf) - MAX_TEXT, 0),
        remark=remark or budget.remarks.get(pointer_to(path)) or _remark(value),
        pointer=pointer_to(path),
        children=children,
        more=max(total - start - len(children), 0),
        following=start + len(children),
        is_open=level < OPEN_LEVELS,
    )


def _children(
    value: Any, path: tuple[str, ...], budget: _Budget, start: int, level: int
) -> Iterator[ArgumentNode]:
    is_object = isinstance(value, ObjectPairs)
    times = Counter(name for name, _ in value) if is_object else Counter()
    for position in range(start, min(start + MAX_CHILDREN, len(value))):
        if budget.left <= 0:
            return
        name, item = value[position] if is_object else (str(position), value[position])
        yield _node(
            item,
            exact_segments(name) if is_object else None,
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
    if isinstance(value, ObjectPairs):
        return f"object, {plural(len(value), 'field')}"
    if isinstance(value, list):
        return f"list, {plural(len(value), 'item')}"
    if isinstance(value, SpelledNumber):
        return "number"
    if isinstance(value, str):
        return f"text, {plural(len(value), 'character')}" if value else "text, empty"
    return "null" if value is None else "boolean"


def _remark(value: Any) -> str:
    if isinstance(value, SpelledNumber) and value.lstrip("-").isdigit():
        is_exact = len(value) < 17 and abs(int(value)) <= MAX_EXACT
        return "" if is_exact else "above 2^53: many parsers round it"
    return ""
