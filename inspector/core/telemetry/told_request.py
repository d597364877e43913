"""The request that a span tells, as the body of a chat completion: model, parameters, messages and
tools. Nobody sent these bytes; pages and rules read it as they read any request.
"""

import json
from collections.abc import Iterator, Mapping, Sequence

from inspector.core.completion import list_or_empty
from inspector.core.json import Json
from inspector.core.telemetry.message_parts import Message, structured
from inspector.core.telemetry.placed_text import plain
from inspector.core.telemetry.span_record import SpanRecord
from inspector.core.telemetry.told_messages import input_messages

PARAMETERS = {
    "gen_ai.request.model": "model",
    "gen_ai.request.temperature": "temperature",
    "gen_ai.request.top_p": "top_p",
    "gen_ai.request.top_k": "top_k",
    "gen_ai.request.max_tokens": "max_tokens",
    "gen_ai.request.choice.count": "n",
    "gen_ai.request.seed": "seed",
    "gen_ai.request.stop_sequences": "stop",
    "gen_ai.request.frequency_penalty": "frequency_penalty",
    "gen_ai.request.presence_penalty": "presence_penalty",
}
DEFINITIONS = "gen_ai.tool.definitions"
OPEN_PARAMETERS, OPEN_INPUT = "llm.invocation_parameters", "input.value"
STREAM = frozenset({"stream", "stream_options"})
"""Parameters left out: what is told came whole, whatever was asked for."""


def told_request(record: SpanRecord) -> dict[str, Json] | None:
    """None if the span tells nothing of the request."""
    body = {**_open_parameters(record), **dict(_parameters(record))}
    if tools := list_or_empty(structured(record.attributes.get(DEFINITIONS))):
        body["tools"] = tools
    if messages := [*_messages(input_messages(record))]:
        body["messages"] = messages
    return plain(body, (), {}) or None


def _parameters(record: SpanRecord) -> Iterator[tuple[str, Json]]:
    for attribute, name in PARAMETERS.items():
        value = record.attributes.get(attribute)
        if value is not None:
            yield name, value


def _open_parameters(record: SpanRecord) -> Mapping[str, Json]:
    """OpenInference's part of the request: its parameters, and its body where it is JSON."""
    found: dict[str, Json] = {}
    for name in (OPEN_PARAMETERS, OPEN_INPUT):
        value = structured(record.attributes.get(name))
        if isinstance(value, dict):
            found |= {member: it for member, it in value.items() if member not in STREAM}
    return found


def _messages(told: list[Message]) -> Iterator[Json]:
    for message in told:
        parts = [part for part in list_or_empty(message.get("parts")) if isinstance(part, dict)]
        results = [part for part in parts if part.get("type") == "tool_call_response"]
        for part in results:
            said = part.get("response", part.get("result"))
            yield {"role": "tool", "tool_call_id": part.get("id"), "content": _text_of(said)}
        if not results:
            yield _message(message.get("role", "user"), parts)


def _message(role: Json, parts: Sequence[Mapping[str, Json]]) -> Json:
    calls = [_call(part) for part in parts if part.get("type") == "tool_call"]
    content = [_part(part) for part in parts if part.get("type") != "tool_call"]
    only = content[0].get("text") if len(content) == 1 else None
    made: dict[str, Json] = {"role": role, "content": only or content or None}
    return {**made, "tool_calls": calls} if calls else made


def _part(part: Mapping[str, Json]) -> Mapping[str, Json]:
    if part.get("type") == "text" and isinstance(part.get("content"), str):
        return {"type": "text", "text": part["content"]}
    return part


def _call(part: Mapping[str, Json]) -> Json:
    function = {"name": part.get("name"), "arguments": _text_of(part.get("arguments"))}
    return {"id": part.get("id"), "type": "function", "function": function}


def _text_of(value: Json) -> Json:
    return value if value is None or isinstance(value, str) else json.dumps(value)
