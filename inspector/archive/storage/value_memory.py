"""Estimates the memory that a value takes."""

import sys
from math import inf
from typing import Any

import msgspec

# Integers below 257 exist once in CPython, and are counted all the same.
INT_BYTES = 28


def memory_of(value: Any, enough: float = inf) -> int:
    """Estimate a value's bytes with all it contains, each object once; stops above ``enough``."""
    total, seen, left = 0, set[int](), [value]
    while left and total <= enough:
        # A list of values still to visit, not recursion: depth comes from the payload.
        each = left.pop()
        if id(each) in seen:
            continue
        seen.add(id(each))
        total += sys.getsizeof(each)
        # A column of the tape: nothing but numbers, and too many of them to go through.
        if isinstance(each, list) and each and isinstance(each[0], int):
            total += INT_BYTES * len(each)
        else:
            left.extend(_parts(each))
    return total


def _parts(value: Any) -> Any:
    if isinstance(value, dict):
        return (*value.keys(), *value.values())
    if isinstance(value, list | tuple):
        return value
    if isinstance(value, msgspec.Struct):
        return [getattr(value, name) for name in value.__struct_fields__]
    return ()
