"""JSON Pointers (RFC 6901)."""

import re
from collections.abc import Iterable
from typing import Any

from msgspec import UNSET

# As in "0" and "12" (section 4). No list has a position of more digits.
_POSITION = re.compile(r"0|[1-9][0-9]{0,8}")


def escape_step(name: str) -> str:
    """Escape a name for use as one step of a pointer (section 3)."""
    return name.replace("~", "~0").replace("/", "~1")


def pointer_to(path: Iterable[str | int]) -> str:
    """Join names and positions to a pointer; "" for the whole value."""
    steps = list(map(str, path))
    text = "/".join(steps)
    # Hardly any name needs an escape: looking at the whole costs less than at every step.
    if "~" in text or text.count("/") >= len(steps) > 0:
        text = "/".join(map(escape_step, steps))
    return f"/{text}" if steps else ""


def steps_of(pointer: str) -> list[str]:
    """Split a pointer into unescaped names; positions stay text."""
    return [step.replace("~1", "/").replace("~0", "~") for step in pointer.split("/")[1:]]


def value_at(value: Any, pointer: str) -> Any:
    """Return the value at a pointer; UNSET if nothing stands there."""
    for step in steps_of(pointer):
        if isinstance(value, dict):
            value = value.get(step, UNSET)
        elif isinstance(value, list | tuple) and _POSITION.fullmatch(step):
            value = value[int(step)] if int(step) < len(value) else UNSET
        else:
            return UNSET
    return value
