"""JSON Pointers (RFC 6901)."""

from __future__ import annotations

from collections.abc import Iterable


def escaped(name: str) -> str:
    """One step of a pointer (section 3)."""
    return name.replace("~", "~0").replace("/", "~1")


def pointer_to(path: Iterable[str | int]) -> str:
    """Names and positions as one pointer; "" for the whole value."""
    return "".join(f"/{escaped(str(step))}" for step in path)


def steps_of(pointer: str) -> list[str]:
    """The names of a pointer, positions as text."""
    return [step.replace("~1", "/").replace("~0", "~") for step in pointer.split("/")[1:]]
