"""Records of telemetry as literal as they can be: a span with these attributes and events."""

import json
from collections.abc import Mapping, Sequence
from typing import Any

from inspector.core.analysis import Analysis
from inspector.core.reading import analyze
from inspector.core.wire.exchange import Exchange

TRACE, SPAN = "0af7651916cd43dd8448eb211c80319c", "b7ad6b7169203331"
CHAT = {"gen_ai.operation.name": "chat", "gen_ai.provider.name": "openai"}
WHO = {"gen_ai.response.id": "chatcmpl-1", "gen_ai.response.model": "gpt-5.4"}
HELLO = json.dumps(
    [
        {
            "role": "assistant",
            "parts": [{"type": "text", "content": "Grüezi!"}],
            "finish_reason": "stop",
        }
    ]
)


def any_value(value: object) -> dict[str, Any]:
    """A value as OTLP writes it in JSON."""
    match value:
        case bool():
            return {"boolValue": value}
        case int():
            return {"intValue": str(value)}
        case float():
            return {"doubleValue": value}
        case str():
            return {"stringValue": value}
        case list():
            return {"arrayValue": {"values": [any_value(item) for item in value]}}
        case dict():
            return {"kvlistValue": {"values": pairs(value)}}
    raise TypeError(value)


def pairs(attributes: Mapping[str, object]) -> list[dict[str, Any]]:
    return [{"key": name, "value": any_value(value)} for name, value in attributes.items()]


def span(
    attributes: Mapping[str, object],
    events: Sequence[tuple[str, Mapping[str, object]]] = (),
    **members: object,
) -> dict[str, Any]:
    told = [
        {"name": name, "timeUnixNano": "1795693499170736406", "attributes": pairs(held)}
        for name, held in events
    ]
    return {
        "traceId": TRACE,
        "spanId": SPAN,
        "name": "chat gpt-5.4",
        "kind": 3,
        "startTimeUnixNano": "1795693499084000000",
        "endTimeUnixNano": "1795693500334000000",
        "attributes": pairs(attributes),
        **({"events": told} if told else {}),
        **members,
    }


def document(*spans: Mapping[str, object]) -> dict[str, Any]:
    return {
        "resourceSpans": [
            {
                "resource": {"attributes": pairs({"service.name": "shop"})},
                "scopeSpans": [{"scope": {"name": "an.instrumentation"}, "spans": [*spans]}],
            }
        ]
    }


def record(
    attributes: Mapping[str, object],
    events: Sequence[tuple[str, Mapping[str, object]]] = (),
    **members: object,
) -> bytes:
    text = json.dumps(document(span(attributes, events, **members)), ensure_ascii=False)
    return text.encode()


def told(
    attributes: Mapping[str, object],
    events: Sequence[tuple[str, Mapping[str, object]]] = (),
    **members: object,
) -> Analysis:
    body = record(attributes, events, **members)
    return analyze(Exchange.of_body(body, "application/json"))
