"""Messages of a call, as a span tells them. Programs tell them by several conventions; the first
that says something holds, the current before the older ones: an instrumentation that changes over
tells the same by two.
"""

from collections.abc import Iterator

from inspector.core.completion import list_or_empty
from inspector.core.json import Json
from inspector.core.telemetry.event_messages import (
    choice_messages,
    content_messages,
    detail_messages,
    prompt_messages,
)
from inspector.core.telemetry.flattened import openinference_messages, openllmetry_messages
from inspector.core.telemetry.message_parts import Message, messages_of, structured, text_message
from inspector.core.telemetry.span_record import SpanRecord

OUTPUT, INPUT = "gen_ai.output.messages", "gen_ai.input.messages"
INSTRUCTIONS = "gen_ai.system_instructions"


def output_messages(record: SpanRecord) -> list[Message]:
    """Return the model's answers, one message for each choice; none if the span does not tell."""
    return next(filter(None, _outputs(record)), [])


def _outputs(record: SpanRecord) -> Iterator[list[Message]]:
    yield messages_of(record.attributes.get(OUTPUT))
    yield detail_messages(record, OUTPUT)
    yield openllmetry_messages(record, "gen_ai.completion.")
    yield openinference_messages(record, "llm.output_messages.")
    yield choice_messages(record)
    yield content_messages(record, "gen_ai.content.completion", "gen_ai.completion")
    yield _plain_value(record, "output", "assistant")


def input_messages(record: SpanRecord) -> list[Message]:
    """Return the messages that the model was given, instructions first; none if not told."""
    found = next(filter(None, _inputs(record)), [])
    system = list_or_empty(structured(record.attributes.get(INSTRUCTIONS)))
    parts: list[Json] = [part for part in system if isinstance(part, dict)]
    return [{"role": "system", "parts": parts}, *found] if parts else found


def _inputs(record: SpanRecord) -> Iterator[list[Message]]:
    yield messages_of(record.attributes.get(INPUT))
    yield detail_messages(record, INPUT)
    yield openllmetry_messages(record, "gen_ai.prompt.")
    yield openinference_messages(record, "llm.input_messages.")
    yield prompt_messages(record)
    yield content_messages(record, "gen_ai.content.prompt", "gen_ai.prompt")
    yield _plain_value(record, "input", "user")


def _plain_value(record: SpanRecord, name: str, role: str) -> list[Message]:
    """All that went in or came out as one text (OpenInference)."""
    told = record.attributes.get(f"{name}.value")
    kind = record.attributes.get(f"{name}.mime_type", "text/plain")
    if not isinstance(told, str) or not told or kind != "text/plain":
        return []
    return [text_message(role, told)]
