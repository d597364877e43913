"""Messages of which each member is an attribute of its own, with positions in the names:
``gen_ai.completion.0.content`` (OpenLLMetry), ``llm.output_messages.0.message.role``
(OpenInference).
"""

from collections.abc import Iterator, Mapping

from inspector.core.completion import list_or_empty
from inspector.core.json import Json
from inspector.core.telemetry.message_parts import Message, chat_message, structured
from inspector.core.telemetry.span_record import Attributes, SpanRecord

MAX_POSITION_DIGITS = 5
"""As many as `message_parts.MAX_MESSAGES` needs; a longer number is a name."""


def openllmetry_messages(record: SpanRecord, prefix: str) -> list[Message]:
    return [_flat_message(item) for item in _objects(nested(record.attributes, prefix))]


def openinference_messages(record: SpanRecord, prefix: str) -> list[Message]:
    items = _objects(nested(record.attributes, prefix))
    return [_open_message(item) for item in _members(items, "message")]


def nested(attributes: Attributes, prefix: str) -> list[Json]:
    """Return the list that attributes with positions in their names spell."""
    tree: dict[str, Json] = {}
    for name, value in attributes.items():
        if name.startswith(prefix):
            _put(tree, name[len(prefix) :].split("."), value)
    return list_or_empty(_listed(tree))


def _put(tree: dict[str, Json], steps: list[str], value: Json) -> None:
    for step in steps[:-1]:
        inner = tree.setdefault(step, {})
        if not isinstance(inner, dict):
            # Beside a value with this name others begin with it: the first stays.
            return
        tree = inner
    tree.setdefault(steps[-1], value)


def _listed(value: Json) -> Json:
    """Objects whose names are positions become lists."""
    if not isinstance(value, dict):
        return value
    inner = {name: _listed(item) for name, item in value.items()}
    if not inner or not all(map(_is_position, inner)):
        return inner
    return [inner[name] for name in sorted(inner, key=int)]


def _is_position(name: str) -> bool:
    return name.isascii() and name.isdecimal() and len(name) <= MAX_POSITION_DIGITS


def _flat_message(sent: Mapping[str, Json]) -> Message:
    made = chat_message({**sent, "content": _content(sent.get("content"))})
    thought = sent.get("reasoning")
    if not isinstance(thought, str) or not thought:
        return made
    return {**made, "parts": [{"type": "reasoning", "content": thought}, *made["parts"]]}


def _content(sent: Json) -> Json:
    """Parts that were written down as their JSON text; any other text as it is."""
    if not isinstance(sent, str) or not sent.startswith('[{"'):
        return sent
    found = structured(sent)
    return found if isinstance(found, list) else sent


def _open_message(sent: Mapping[str, Json]) -> Message:
    parts = map(_open_part, _members(_objects(sent.get("contents")), "message_content"))
    calls = _members(_objects(sent.get("tool_calls")), "tool_call")
    text = [sent["content"]] if isinstance(sent.get("content"), str) else []
    return chat_message({**sent, "content": [*text, *parts], "tool_calls": [*calls]})


def _open_part(sent: Mapping[str, Json]) -> Json:
    text = sent.get("text")
    if not isinstance(text, str):
        return dict(sent)
    return {"type": "reasoning" if sent.get("type") == "reasoning" else "text", "content": text}


def _objects(value: Json) -> Iterator[Mapping[str, Json]]:
    return (item for item in list_or_empty(value) if isinstance(item, dict))


def _members(items: Iterator[Mapping[str, Json]], name: str) -> Iterator[Mapping[str, Json]]:
    return (item[name] for item in items if isinstance(item.get(name), dict))
