"""Messages in the shape of ``gen_ai.output.messages``: role, parts with a type, finish reason."""

from collections.abc import Iterator, Mapping

import msgspec

from inspector.core.completion import list_or_empty
from inspector.core.json import Json

MAX_MESSAGES = 10_000
"""As many as a reading takes choices (`core.limits`)."""

Message = dict[str, Json]


def structured(value: Json) -> Json:
    """Return the value that a text spells in JSON; any other value as it is."""
    if not isinstance(value, str):
        return value
    try:
        return msgspec.json.decode(str(value))
    except (msgspec.DecodeError, UnicodeError, RecursionError):
        return value


def messages_of(value: Json) -> list[Message]:
    """Messages, perhaps as JSON text; those without parts as chat completions have them."""
    items = list_or_empty(structured(value))[:MAX_MESSAGES]
    found = (item for item in items if isinstance(item, dict))
    return [item if "parts" in item else chat_message(item) for item in found]


def text_message(role: str, text: str) -> Message:
    return {"role": role, "parts": [_text_part(text)]}


def chat_message(sent: Mapping[str, Json]) -> Message:
    """Return a message of chat completions, perhaps inside a choice, as one with parts."""
    held = sent.get("message")
    message = held if isinstance(held, dict) else sent
    parts = [*_texts(message.get("content")), *_calls(message.get("tool_calls"))]
    if isinstance(answered := message.get("tool_call_id"), str):
        parts = [_response(answered, parts)]
    made: Message = {"role": message.get("role", "assistant"), "parts": parts}
    reason = sent.get("finish_reason", message.get("finish_reason"))
    return made if reason is None else {**made, "finish_reason": reason}


def _texts(content: Json) -> Iterator[Json]:
    if isinstance(content, str) and content:
        yield _text_part(content)
    for part in list_or_empty(content):
        if isinstance(part, str):
            yield _text_part(part)
        elif isinstance(part, dict):
            text = part.get("text")
            yield _text_part(text) if isinstance(text, str) else part


def _text_part(text: str) -> Json:
    return {"type": "text", "content": text}


def _calls(sent: Json) -> Iterator[Json]:
    for call in list_or_empty(sent):
        if isinstance(call, dict):
            function = call.get("function")
            body = function if isinstance(function, dict) else call
            named = {"id": call.get("id"), "name": body.get("name")}
            told = {name: value for name, value in named.items() if value is not None}
            yield {"type": "tool_call", **told, "arguments": body.get("arguments")}


def _response(call_id: str, parts: list[Json]) -> Json:
    said = (part.get("content") for part in parts if isinstance(part, dict))
    return {"type": "tool_call_response", "id": call_id, "response": next(said, None)}
