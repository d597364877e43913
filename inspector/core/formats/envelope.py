"""Finds what stands inside an object that a gateway, a batch or a logger wrote around it."""

from base64 import b64decode
from collections.abc import Callable, Iterator, Mapping
from typing import Any, NamedTuple

from inspector.core.json import Json, parser

Path = tuple[str | int, ...]
Wanted = Callable[[Mapping[str, Json]], object]
MEMBERS = frozenset({
    "body", "bytes", "data", "response", "result", "payload", "chunk", "output", "message",
    "completion", "raw", "log", "line", "msg", "response_body", "responseBody",
})  # fmt: skip
"""Members in which answers, their events and errors are passed on."""
MOST_LAYERS = 3
BASE64_OBJECT = ("eyJ", "eyA", "ewo", "ew0")
"""Beginnings of ``{"``, ``{ `` and ``{`` with a line end."""


class Held(NamedTuple):
    """A value at ``path`` of another. ``text`` is the JSON in which it stands, at ``base`` of it:
    that of the whole, or that which a text on the way spells (``how``).
    """

    path: Path
    value: Any
    base: Path
    text: bytes
    how: str = ""


def held_inside(value: Json, text: bytes, is_wanted: Wanted) -> Held | None:
    """Return the only object of its kind inside another; None without one, and for several: none
    of these is chosen.
    """
    found = all_inside(value, text, is_wanted)
    return found[0] if len(found) == 1 else None


def all_inside(value: Json, text: bytes, is_wanted: Wanted) -> list[Held]:
    """Return the objects of one kind in the first layer that has some, each once: gateways keep a
    text beside what they read in it.
    """
    layer = [Held((), value, (), text)]
    for _ in range(MOST_LAYERS):
        layer = [inner for outer in layer for inner in _members(outer)]
        found = [one for one in layer if isinstance(one.value, dict) and is_wanted(one.value)]
        if found:
            found.sort(key=lambda one: one.how != "")
            return [one for at, one in enumerate(found) if one.value not in _values(found[:at])]
    return []


def _values(found: list[Held]) -> list[Json]:
    return [one.value for one in found]


def text_inside(value: Json, is_wanted: Callable[[str], object]) -> tuple[Path, str] | None:
    """Return the only text of its kind inside an object, with its path; None without one, and for
    several in one layer.
    """
    layer = [Held((), value, (), b"")]
    for _ in range(MOST_LAYERS):
        texts = (
            ((*outer.path, name), item)
            for outer in layer
            if isinstance(outer.value, dict)
            for name, item in outer.value.items()
            if name in MEMBERS and isinstance(item, str)
        )
        found = [(path, text) for path, text in texts if is_wanted(text)]
        if found:
            return found[0] if len(found) == 1 else None
        layer = [inner for outer in layer for inner in _members(outer)]
    return None


def held_at(value: Json, text: bytes, path: Path) -> Held | None:
    """Return what stands at a path; None if it, or a step to it, is neither object nor list."""
    held: Held | None = Held((), value, (), text)
    for step in path:
        held = next((one for one in _members(held) if one.path[-1] == step), None) if held else None
    return held


def fields_around(value: Json, path: Path) -> Iterator[tuple[Path, Json]]:
    """Yield the fields that stand beside a path, in every layer, with their own paths."""
    held: Held | None = Held((), value, (), b"")
    for step in path:
        outer = held.value if held else None
        for name, item in outer.items() if isinstance(outer, dict) else ():
            if name != step:
                yield (*path[: path.index(step)], name), item
        held = held_at(outer, b"", (step,))


def _members(outer: Held) -> Iterator[Held]:
    value = outer.value
    steps: Iterator[str | int] = iter((0,) if isinstance(value, list) and len(value) == 1 else ())
    if isinstance(value, dict):
        steps = (name for name in value if name in MEMBERS)
    for step in steps:
        path, item = (*outer.path, step), value[step]
        if isinstance(item, str):
            spelt, how = _spelt(item)
            if spelt:
                yield Held(path, parser.parse_json(spelt).value, (), spelt, how)
        elif isinstance(item, dict | list):
            yield Held(path, item, (*outer.base, step), outer.text, outer.how)


def _spelt(text: str) -> tuple[bytes, str]:
    """Return the object that a text spells, and how; b"" for others."""
    # As logs have the line of a stream.
    text = text.strip().removeprefix("data:").lstrip()
    if text.startswith("{"):
        return text.encode(errors="replace"), "as JSON in a text"
    # As Bedrock's {"bytes": …}: an object begins so.
    if not text.startswith(BASE64_OBJECT):
        return b"", ""
    try:
        return b64decode(text, validate=True), "in base64"
    except ValueError:
        return b"", ""
