"""Where a request has its prompt in every format: fields' names, and the walk along messages."""

from collections.abc import Iterator, Mapping

import msgspec

from inspector.core.json import Json

INSTRUCTIONS = (
    "system",
    "instructions",
    "instruction",
    "systemInstruction",
    "system_instruction",
    "preamble",
)
PLAIN = ("prompt", "suffix", "inputs", "images", "documents", "context")
"""Texts to complete, and what is given beside the messages."""
CONTINUED = ("previous_response_id", "conversation", "cachedContent", "cached_content")
"""Fields that name what is gone on with, and is not in the request."""
MESSAGES = ("messages", "chat_history", "message", "contents", "input")
"""Cohere's last message stands apart from those before it."""
TOOLS = ("tools", "functions")
"""Beside them Bedrock has ``toolConfig``."""
HOLD_TEXTS = ("content", "parts", "message")
"""The member of a message that holds its text or its parts, by format."""

Path = tuple[str | int, ...]


class PlacedMessage(msgspec.Struct, frozen=True):
    """A message, or an item in its place, as the body has it. Of instructions ``value`` is the
    text or the list of parts, and ``path`` begins with the field.
    """

    value: Json
    path: Path
    is_instruction: bool = False


def messages_in(body: Mapping[str, Json]) -> Iterator[PlacedMessage]:
    """Yield the instructions, then the messages in their order."""
    yield from _instructions(body)
    for name in MESSAGES:
        value = body.get(name)
        if not is_given(value):
            continue
        if isinstance(value, list):
            yield from (PlacedMessage(each, (name, at)) for at, each in enumerate(value))
        else:
            yield PlacedMessage(value, (name,))


def is_cache_point(value: Json) -> bool:
    """Return True for Bedrock's mark up to which a provider caches, among parts and tools."""
    return isinstance(value, dict) and value.keys() == {"cachePoint"}


def is_given(value: Json) -> bool:
    return value is not None and value != "" and value != []


def is_message(value: Mapping[str, Json]) -> bool:
    """Return False for an item that is none, as a call of a tool among Responses' input."""
    if value.get("type", "message") != "message":
        return False
    return not value.keys().isdisjoint(("role", *HOLD_TEXTS))


def _instructions(body: Mapping[str, Json]) -> Iterator[PlacedMessage]:
    for name in INSTRUCTIONS:
        value = body.get(name)
        path: Path = (name,)
        if isinstance(value, dict) and "parts" in value:
            value, path = value["parts"], (name, "parts")
        if is_given(value):
            yield from _instruction(value, path)


def _instruction(value: Json, path: Path) -> Iterator[PlacedMessage]:
    """Responses takes a list of items for its instructions, the others a list of parts."""
    if isinstance(value, list) and any(isinstance(each, dict) and "role" in each for each in value):
        yield from (PlacedMessage(each, (*path, at)) for at, each in enumerate(value))
    else:
        yield PlacedMessage(value, path, is_instruction=True)
