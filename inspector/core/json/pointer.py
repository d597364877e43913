"""JSON Pointers (RFC 6901)."""

from collections.abc import Iterable
from typing import Any

from msgspec import UNSET


def escape_step(name: str) -> str:
    """Escape a name for use as one step of a pointer (section 3)."""
    return name.replace("~", "~0").replace("/", "~1")


def pointer_to(path: Iterable[str | int]) -> str:
    """Join names and positions to a pointer; "" for the whole value."""
    steps = [str(step) for step in path]
    text = "/".join(steps)
    # Hardly any name needs an escape: looking at the whole costs less than at every step.
    if "~" in text or text.count("/") >= len(steps) > 0:
        text = "/".join(map(escape_step, steps))
    return f"/{text}" if steps else ""


def steps_of(pointer: str) -> list[str]:
    """Split a pointer into unescaped names; positions stay text."""
    return [step.replace("~1", "/").replace("~0", "~") for step in pointer.split("/")[1:]]


def value_at(value: Any, pointer: str) -> Any:
    """Return the value at a pointer through objects; UNSET if nothing does."""
    for step in steps_of(pointer):
        value = value.get(step, UNSET) if isinstance(value, dict) else UNSET
    return value
