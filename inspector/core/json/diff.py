"""Compares two JSON texts value by value, by JSON Pointer.

Items of lists are aligned by ``text_diff``, members of objects by name. Numbers are compared as
they are spelt, so that no digit is lost and ``1`` differs from ``1.0``.
"""

import json
from collections.abc import Iterator, Mapping, Sequence
from itertools import zip_longest
from typing import Any

import msgspec
from msgspec import UNSET, UnsetType

from inspector.core.json import Json
from inspector.core.json.parser import MAX_DEPTH, depth_of
from inspector.core.json.pointer import escape_step
from inspector.core.text.text_diff import CommonBlock, common_blocks


class NumberText(str):
    """A number as it was spelt."""

    __slots__ = ()


class JsonPair(msgspec.Struct, frozen=True):
    """The values of both texts at one place; unset on the side that does not have it.

    The pointer leads into the first text, or into the second for a value that only the second has.
    """

    pointer: str
    before: Json | UnsetType = UNSET
    after: Json | UnsetType = UNSET

    @property
    def is_equal(self) -> bool:
        return bool(_identity(self.before) == _identity(self.after))


def json_pairs(before: str, after: str) -> tuple[JsonPair, ...] | None:
    """Return the values in the texts' order, what is wholly equal as one; None for what is no
    JSON or nests too deeply.
    """
    try:
        old, new = _parse(before), _parse(after)
    except ValueError:
        return None
    return tuple(_compare_values("", old, new))


def _parse(text: str) -> Json:
    """Raise ``ValueError`` for text that is not JSON or nests too deeply."""
    if depth_of(text.encode("utf-8", "surrogatepass")) > MAX_DEPTH:
        raise ValueError("nested too deep")
    return json.loads(text, parse_int=NumberText, parse_float=NumberText, parse_constant=NumberText)


def _compare_values(pointer: str, old: Any, new: Any) -> Iterator[JsonPair]:
    if _identity(old) == _identity(new):
        yield JsonPair(pointer, old, new)
    elif isinstance(old, dict) and isinstance(new, dict):
        yield from _compare_objects(pointer, old, new)
    elif isinstance(old, list) and isinstance(new, list):
        yield from _compare_lists(pointer, old, new)
    else:
        yield JsonPair(pointer, old, new)


def _compare_objects(
    pointer: str, old: Mapping[str, Json], new: Mapping[str, Json]
) -> Iterator[JsonPair]:
    for name in dict.fromkeys((*old, *new)):
        at = f"{pointer}/{escape_step(name)}"
        if name in old and name in new:
            yield from _compare_values(at, old[name], new[name])
        else:
            yield JsonPair(at, old.get(name, UNSET), new.get(name, UNSET))


def _compare_lists(pointer: str, old: Sequence[Json], new: Sequence[Json]) -> Iterator[JsonPair]:
    """Items between two equal items are compared by position."""
    blocks = common_blocks([_identity(item) for item in old], [_identity(item) for item in new])
    old_at = new_at = 0
    for block in [*(blocks or ()), CommonBlock(len(old), len(new), 0)]:
        gaps = zip_longest(range(old_at, block.before), range(new_at, block.after))
        for here, there in gaps:
            if here is not None and there is not None:
                yield from _compare_values(f"{pointer}/{here}", old[here], new[there])
            elif here is not None:
                yield JsonPair(f"{pointer}/{here}", old[here], UNSET)
            else:
                yield JsonPair(f"{pointer}/{there}", UNSET, new[there])
        for at in range(block.before, block.before + block.length):
            yield JsonPair(f"{pointer}/{at}", old[at], old[at])
        old_at, new_at = block.before + block.length, block.after + block.length


def _identity(value: Any) -> Any:
    """Return a hashable value, equal for equal JSON whatever the order of an object's names."""
    if isinstance(value, dict):
        return "object", frozenset((name, _identity(each)) for name, each in value.items())
    if isinstance(value, list):
        return "list", tuple(_identity(each) for each in value)
    return value.__class__.__name__, value
