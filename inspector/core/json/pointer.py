"""JSON Pointers (RFC 6901)."""

from __future__ import annotations

from collections.abc import Iterable


def escape_step(name: str) -> str:
    """Escape a name for use as one step of a pointer (section 3)."""
    return name.replace("~", "~0").replace("/", "~1") if "~" in name or "/" in name else name


def pointer_to(path: Iterable[str | int]) -> str:
    """Join names and positions to a pointer; "" for the whole value."""
    return "".join(f"/{escape_step(str(step))}" for step in path)


def steps_of(pointer: str) -> list[str]:
    """Split a pointer into unescaped names; positions stay text."""
    return [step.replace("~1", "/").replace("~0", "~") for step in pointer.split("/")[1:]]
