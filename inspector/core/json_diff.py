"""What two JSON texts say differently, value by value, each by its JSON Pointer.

Items of lists are aligned by ``core.diff``, members of objects by their names. Numbers are held
against each other as they are spelt: no digit is lost, and ``1`` is told from ``1.0``.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from itertools import zip_longest
from typing import Any

import msgspec
from msgspec import UNSET, UnsetType

from inspector.core.completion import Json
from inspector.core.diff import Block, common_blocks
from inspector.core.json_text import MAX_DEPTH, depth_of
from inspector.core.pointer import escaped


class Number(str):
    """As it was spelt."""

    __slots__ = ()


class Difference(msgspec.Struct, frozen=True):
    """One value that is not the same; unset on the side that does not have it.

    The pointer is the place in the first text, in the second for what stands only there.
    """

    pointer: str
    before: Json | UnsetType = UNSET
    after: Json | UnsetType = UNSET


def differences(before: str, after: str) -> tuple[Difference, ...] | None:
    """In the order of the texts; None where one of them is no JSON or nests too deep."""
    try:
        old, new = _read(before), _read(after)
    except ValueError:
        return None
    return tuple(_between("", old, new))


def _read(text: str) -> Json:
    """Raises ``ValueError``."""
    if depth_of(text.encode("utf-8", "surrogatepass")) > MAX_DEPTH:
        raise ValueError("nested too deep")
    return json.loads(text, parse_int=Number, parse_float=Number, parse_constant=Number)


def _between(pointer: str, old: Any, new: Any) -> Iterator[Difference]:
    if _identity(old) == _identity(new):
        return
    if isinstance(old, dict) and isinstance(new, dict):
        yield from _between_objects(pointer, old, new)
    elif isinstance(old, list) and isinstance(new, list):
        yield from _between_lists(pointer, old, new)
    else:
        yield Difference(pointer, old, new)


def _between_objects(
    pointer: str, old: Mapping[str, Json], new: Mapping[str, Json]
) -> Iterator[Difference]:
    for name in dict.fromkeys((*old, *new)):
        at = f"{pointer}/{escaped(name)}"
        if name in old and name in new:
            yield from _between(at, old[name], new[name])
        else:
            yield Difference(at, old.get(name, UNSET), new.get(name, UNSET))


def _between_lists(pointer: str, old: Sequence[Json], new: Sequence[Json]) -> Iterator[Difference]:
    """What stands between two items that are the same is compared in its order."""
    blocks = common_blocks([_identity(item) for item in old], [_identity(item) for item in new])
    old_at = new_at = 0
    for block in [*(blocks or ()), Block(len(old), len(new), 0)]:
        gaps = zip_longest(range(old_at, block.before), range(new_at, block.after))
        for here, there in gaps:
            if here is not None and there is not None:
                yield from _between(f"{pointer}/{here}", old[here], new[there])
            elif here is not None:
                yield Difference(f"{pointer}/{here}", old[here], UNSET)
            else:
                yield Difference(f"{pointer}/{there}", UNSET, new[there])
        old_at, new_at = block.before + block.length, block.after + block.length


def _identity(value: Any) -> Any:
    """Equal for values that are the same, whatever the order of an object's names."""
    if isinstance(value, dict):
        return "object", frozenset((name, _identity(each)) for name, each in value.items())
    if isinstance(value, list):
        return "list", tuple(_identity(each) for each in value)
    return value.__class__.__name__, value
