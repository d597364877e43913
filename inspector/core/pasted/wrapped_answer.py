"""Finds the answer inside what a gateway, a batch or a logger wrote around it."""

import msgspec

from inspector.core import formats
from inspector.core.json import Json, parser
from inspector.core.json.pointer import pointer_to
from inspector.core.json.spans import JsonSpans
from inspector.core.pasted.responses import fields_seen_in

MEMBERS = ("body", "data", "response", "result")
"""Members in which gateways, batches and loggers pass an answer on."""
MOST_LAYERS = 3


class WrappedAnswer(msgspec.Struct, frozen=True):
    """``text`` is the JSON of the answer, which stands at ``pointer`` in the given bytes."""

    pointer: str
    value: dict[str, Json]
    text: bytes
    byte_start: int
    byte_end: int
    is_encoded: bool
    """The answer is JSON inside a text."""


def wrapped_answer(value: Json, body: bytes) -> WrappedAnswer | None:
    """Return the only answer inside a body that is none itself; None if there is none."""
    path: tuple[str | int, ...] = ()
    inner, step = _inside(value)
    if step is None or (isinstance(value, dict) and _is_answer(value)):
        return None
    while step is not None and len(path) < MOST_LAYERS:
        path = (*path, step)
        if isinstance(found := _decoded(inner), dict) and _is_answer(found):
            return _placed(pointer_to(path), found, inner, body)
        inner, step = _inside(inner)
    return None


def _inside(value: Json) -> tuple[Json, str | int | None]:
    """Return what a value may wrap, and the step to it; the step is None if it wraps nothing."""
    if isinstance(value, list):
        return (value[0], 0) if len(value) == 1 else (None, None)
    held = value if isinstance(value, dict) else {}
    name = next((name for name in MEMBERS if held.get(name)), None)
    return held.get(name or ""), name


def _decoded(value: Json) -> Json:
    return parser.parse_json(value.encode(errors="replace")).value if _spells(value) else value


def _spells(value: Json) -> bool:
    """Return True for a text that may spell an object."""
    return isinstance(value, str) and value.lstrip().startswith("{")


def _is_answer(value: dict[str, Json]) -> bool:
    found = formats.recognise(fields_seen_in(value))
    return bool(found) and found[0].object != "error"


def _placed(pointer: str, found: dict[str, Json], sent: Json, body: bytes) -> WrappedAnswer | None:
    span = JsonSpans(body).find(pointer)
    if span is None:
        return None
    is_encoded = isinstance(sent, str)
    text = sent.encode(errors="replace") if is_encoded else body[span.start : span.end]
    return WrappedAnswer(pointer, found, text, span.start, span.end, is_encoded)
