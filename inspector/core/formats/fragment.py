"""Recognises a body that is a part of a chat completion: what documents print, and people paste."""

from collections.abc import Callable, Mapping
from enum import StrEnum

from inspector.core.completion import USAGE_TOTALS, list_or_empty
from inspector.core.findings import Where
from inspector.core.json import Json

WHOLE_OBJECTS = ("chat.completion", "text_completion")
CHUNK_OBJECT = "chat.completion.chunk"
MESSAGE_PARTS = frozenset(
    ("content", "refusal", "reasoning_content", "reasoning", "tool_calls", "function_call", "audio")
)
"""Fields of a message of which one must be there."""
OF_OTHER_OBJECTS = frozenset(
    ("candidates", "choices", "done", "error", "messages", "model", "object", "output", "type")
)
"""Fields of requests, answers and messages of other formats."""

MAX_CHOICES_SEEN = 10
"""They are alike: what the first ones are, the others are."""
MESSAGE_POINTER = "/choices/0/message"


class Fragment(StrEnum):
    """A part of a chat completion that is a body of its own."""

    MESSAGE = "message"
    """An assistant message, as in FlowAPI's reference."""
    USAGE = "usage"
    """A usage object, as in FlowAPI's reference; perhaps under its name."""
    CHUNK = "chunk"
    """One chunk of a stream, as in OpenAI's chat-completions reference and in FlowAPI's."""


FRAGMENT_WORDS: Mapping[Fragment, str] = {
    Fragment.MESSAGE: "an assistant message alone",
    Fragment.USAGE: "a usage object alone",
    Fragment.CHUNK: "one chunk of a stream",
}


def fragment_of(value: Mapping[str, Json]) -> Fragment | None:
    """Return which part of a completion an object is; None for a whole answer or anything else."""
    return next((kind for kind, holds in _SIGNS.items() if holds(value)), None)


def place_in_fragment(fragment: Fragment | None, where: Where) -> Where:
    """Convert a place in a completion to one in the body that is only a part of it."""
    pointer = where.pointer
    if fragment is not Fragment.MESSAGE or pointer is None or not pointer.startswith("/choices"):
        return where
    inside = pointer.startswith(MESSAGE_POINTER)
    pointer = pointer.removeprefix(MESSAGE_POINTER) if inside else ""
    return Where(
        pointer=pointer, event=where.event, byte_start=where.byte_start, byte_end=where.byte_end
    )


def _is_chunk(value: Mapping[str, Json]) -> bool:
    choices = value.get("choices")
    names: set[str] = set()
    first = list_or_empty(choices)[:MAX_CHOICES_SEEN]
    names.update(*(choice for choice in first if isinstance(choice, dict)))
    if not isinstance(choices, list) or "message" in names or value.get("error"):
        return False
    has_delta = "delta" in names and value.get("object") not in WHOLE_OBJECTS
    return has_delta or (not names and value.get("object") == CHUNK_OBJECT)


def _is_message(value: Mapping[str, Json]) -> bool:
    is_other = not OF_OTHER_OBJECTS.isdisjoint(value)
    return value.get("role") == "assistant" and not MESSAGE_PARTS.isdisjoint(value) and not is_other


def _is_usage(value: Mapping[str, Json]) -> bool:
    if value.keys() == {"usage"} and isinstance(value["usage"], dict):
        value = value["usage"]
    counts = sum(name in value for name in USAGE_TOTALS)
    return counts > 1 and OF_OTHER_OBJECTS.isdisjoint(value)


_SIGNS: Mapping[Fragment, Callable[[Mapping[str, Json]], bool]] = {
    Fragment.CHUNK: _is_chunk,
    Fragment.MESSAGE: _is_message,
    Fragment.USAGE: _is_usage,
}
