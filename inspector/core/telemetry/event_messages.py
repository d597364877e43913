"""Messages that events of a span tell, as older instrumentations do: one event for each message or
choice (``gen_ai.user.message``, ``gen_ai.choice``), or one with all of them
(``gen_ai.content.completion``).
"""

from collections.abc import Iterator, Mapping

from inspector.core.json import Json
from inspector.core.telemetry.message_parts import (
    Message,
    chat_message,
    messages_of,
    structured,
    text_message,
)
from inspector.core.telemetry.span_record import Attributes, SpanRecord

DETAILS = "gen_ai.client.inference.operation.details"
CHOICE, CONTENT = "gen_ai.choice", "gen_ai.event.content"


def detail_messages(record: SpanRecord, attribute: str) -> list[Message]:
    """Messages of the current convention's event."""
    return [
        message for value in _told(record, DETAILS, attribute) for message in messages_of(value)
    ]


def choice_messages(record: SpanRecord) -> list[Message]:
    events = (event for event in record.events if event.name == CHOICE)
    return [chat_message(body) for event in events if (body := _body(event.attributes))]


def prompt_messages(record: SpanRecord) -> list[Message]:
    return [*_prompts(record)]


def _prompts(record: SpanRecord) -> Iterator[Message]:
    for event in record.events:
        role = event.name.removeprefix("gen_ai.").removesuffix(".message")
        if event.name == f"gen_ai.{role}.message" and (body := _body(event.attributes)):
            yield chat_message({"role": role, **body})


def content_messages(record: SpanRecord, event_name: str, attribute: str) -> list[Message]:
    """Messages in one attribute of an event, or a text alone."""
    told = _told(record, event_name, attribute)
    return [message for value in told for message in _messages_or_text(value)]


def _told(record: SpanRecord, event_name: str, attribute: str) -> Iterator[Json]:
    return (
        e.attributes[attribute]
        for e in record.events
        if e.name == event_name and attribute in e.attributes
    )


def _body(attributes: Attributes) -> Mapping[str, Json]:
    """Return the content of an event: one attribute with its JSON, or its attributes themselves."""
    body = structured(attributes.get(CONTENT))
    if isinstance(body, dict):
        return body
    inner = ("message", "tool_calls")
    return {name: structured(it) if name in inner else it for name, it in attributes.items()}


def _messages_or_text(value: Json) -> list[Message]:
    found = messages_of(value)
    if found or not isinstance(value, str) or not value:
        return found
    return [text_message("assistant", value)]
