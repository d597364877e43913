"""Finds what stands inside an object that a gateway, a batch or a logger wrote around it."""

from base64 import b64decode
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from inspector.core.json import Json, parser

Path = tuple[str | int, ...]
Wanted = Callable[[Mapping[str, Json]], object]
MEMBERS = frozenset({
    "body", "bytes", "data", "response", "result", "payload", "chunk", "output", "message",
    "completion", "raw", "log", "line", "msg", "response_body", "responseBody",
})  # fmt: skip
"""Members in which answers, their events and errors are passed on."""
WORDS = frozenset({"completion", "output", "response"})
"""Those whose texts may also be what a model or a tool says."""
_BESIDE_WORDS = frozenset({"p", "tool_calls", "usage"})
"""Members of an answer that has its text in one of ``WORDS``, such as Cloudflare's."""
MOST_LAYERS = 3
MOST_FOUND = 4
"""Objects that are looked for in a layer: enough to tell that there are several."""
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

    @property
    def spelt_at(self) -> Path:
        """Where the text stands that spells it, or something around it; empty if none does."""
        return self.path[: len(self.path) - len(self.base)]


def held_inside(value: Json, text: bytes, is_wanted: Wanted) -> Held | None:
    """Return the only object of its kind inside another; None without one, and for several: none
    of these is chosen.
    """
    found = all_inside(value, text, is_wanted)
    return found[0] if len(found) == 1 else None


def all_inside(value: Json, text: bytes, is_wanted: Wanted) -> list[Held]:
    """Return the objects of one kind in the first layer that has some, ``MOST_FOUND`` at most; each
    once, because gateways keep a text beside what they read in it.
    """
    layer, found = [Held((), value, (), text)], list[Held]()
    for _ in range(MOST_LAYERS):
        layer = [inner for outer in layer for inner in _members(outer)]
        for one in sorted(layer, key=lambda one: one.how != ""):
            is_new = isinstance(one.value, dict) and all(one.value != it.value for it in found)
            if is_new and is_wanted(one.value):
                found.append(one)
                if len(found) == MOST_FOUND:
                    break
        if found:
            break
    return found


def text_inside(value: Json, is_wanted: Callable[[str], object]) -> tuple[Path, str] | None:
    """Return the only text of its kind inside an object, with its path; None without one, and for
    several in one layer.
    """
    layer = [Held((), value, (), b"")]
    for _ in range(MOST_LAYERS):
        texts = (
            ((*outer.path, step), outer.value[step]) for outer in layer for step in _steps(outer)
        )
        found = [(path, text) for path, text in texts if isinstance(text, str) and is_wanted(text)]
        if found:
            return found[0] if len(found) == 1 else None
        layer = [inner for outer in layer for inner in _members(outer)]
    return None


def held_at(value: Json, text: bytes, path: Path) -> Held | None:
    """Return what stands at a path; None if it, or a step to it, is neither object nor list."""
    held: Held | None = Held((), value, (), text)
    for step in path:
        held = held and _member(held, step)
    return held


def fields_around(value: Json, path: Path) -> Iterator[tuple[Path, Json]]:
    """Yield the fields that stand beside a path, in every layer, with their own paths."""
    for depth, step in enumerate(path):
        held = held_at(value, b"", path[:depth])
        for name, item in held.value.items() if held and isinstance(held.value, dict) else ():
            if name != step:
                yield (*path[:depth], name), item


def _members(outer: Held) -> Iterator[Held]:
    return filter(None, (_member(outer, step) for step in _steps(outer)))


def _steps(outer: Held) -> Sequence[str | int]:
    """Return the steps to what an object may pass on: not to what it says itself."""
    value = outer.value
    if not isinstance(value, dict):
        return (0,) if isinstance(value, list) and len(value) == 1 else ()
    names = [name for name in value if name in MEMBERS]
    if _BESIDE_WORDS.isdisjoint(value):
        return names
    return [name for name in names if name not in WORDS or not isinstance(value[name], str)]


def _member(outer: Held, step: str | int) -> Held | None:
    value = outer.value
    is_single = isinstance(value, list) and len(value) == 1
    item = value[0] if is_single else value.get(step) if isinstance(value, dict) else None
    path = (*outer.path, step)
    if isinstance(item, str):
        spelt, how = _spelt(item)
        return Held(path, parser.parse_json(spelt).value, (), spelt, how) if spelt else None
    is_outer = isinstance(item, dict | list)
    return Held(path, item, (*outer.base, step), outer.text, outer.how) if is_outer else None


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
