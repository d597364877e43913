"""One span of OTLP in JSON, with its attributes under their names."""

from collections.abc import Iterable, Iterator, Mapping

import msgspec

from inspector.core.completion import list_or_empty
from inspector.core.json import Json
from inspector.core.telemetry.placed_text import Path, PlacedText

LIST, SCOPES, SPANS = "resourceSpans", "scopeSpans", "spans"
SPAN_PATH: Path = (LIST, 0, SCOPES, 0, SPANS, 0)
MAX_DEPTH = 32
"""Levels of lists and objects inside an attribute; what is deeper is left as it was sent."""

Attributes = Mapping[str, Json]


class SpanEvent(msgspec.Struct, frozen=True):
    name: str
    attributes: Attributes
    at_ns: Json = None
    """Its time as it was sent."""


class SpanRecord(msgspec.Struct, frozen=True):
    """``span`` are its members as they were sent."""

    span: Mapping[str, Json]
    attributes: Attributes
    events: tuple[SpanEvent, ...]
    resource: Attributes
    scope: Mapping[str, Json]

    def text(self, *names: str) -> str | None:
        """Return the first of these attributes that is a text and not empty."""
        found = (self.attributes.get(name) for name in names)
        return next((str(value) for value in found if isinstance(value, str) and value), None)


def only_span(value: Mapping[str, Json]) -> SpanRecord | None:
    """Return the span of a document that has exactly one; None for any other value."""
    found: Json = value
    resource: Json = None
    scope: Json = None
    for name in (LIST, SCOPES, SPANS):
        items = found.get(name) if isinstance(found, dict) else None
        if not isinstance(items, list) or len(items) != 1:
            return None
        found = items[0]
        if name == LIST:
            resource = found.get("resource") if isinstance(found, dict) else None
        elif name == SCOPES:
            scope = found.get("scope") if isinstance(found, dict) else None
    return record_of(found, resource, scope) if isinstance(found, dict) else None


def record_of(span: Mapping[str, Json], resource: Json, scope: Json) -> SpanRecord:
    return SpanRecord(
        span=span,
        attributes=dict(_attributes(span.get("attributes"), (*SPAN_PATH, "attributes"))),
        events=tuple(_events(span.get("events"))),
        resource=dict(_attributes(resource.get("attributes")))
        if isinstance(resource, dict)
        else {},
        scope=scope if isinstance(scope, dict) else {},
    )


def _events(sent: Json) -> Iterator[SpanEvent]:
    for at, event in enumerate(list_or_empty(sent)):
        if isinstance(event, dict) and isinstance(event.get("name"), str):
            path = (*SPAN_PATH, "events", at, "attributes")
            held = dict(_attributes(event.get("attributes"), path))
            yield SpanEvent(event["name"], held, event.get("timeUnixNano"))


def _attributes(sent: Json, path: Path = ()) -> Iterator[tuple[str, Json]]:
    """Names with their values. Names are unique in OTLP; of a repeated one the last value holds."""
    for at, pair in enumerate(list_or_empty(sent)):
        if isinstance(pair, dict) and isinstance(pair.get("key"), str):
            yield pair["key"], any_value(pair.get("value"), (*path, at, "value"))


def any_value(sent: Json, path: Path = (), depth: int = 0) -> Json:
    """Return the value that an ``AnyValue`` of OTLP stands for; null for one that is empty."""
    if not isinstance(sent, dict) or len(sent) != 1 or depth > MAX_DEPTH:
        return sent or None
    ((kind, value),) = sent.items()
    path = (*path, kind)
    match kind, value:
        case "stringValue", str():
            return PlacedText(value, path)
        # 2**64 has 20 digits.
        case "intValue", str() if value.removeprefix("-").isdecimal() and len(value) <= 20:
            return int(value)
        case "arrayValue", dict():
            items = enumerate(list_or_empty(value.get("values")))
            return [any_value(item, (*path, "values", at), depth + 1) for at, item in items]
        case "kvlistValue", dict():
            return dict(_pairs(list_or_empty(value.get("values")), (*path, "values"), depth + 1))
    return value


def _pairs(sent: Iterable[Json], path: Path, depth: int) -> Iterator[tuple[str, Json]]:
    for at, pair in enumerate(sent):
        if isinstance(pair, dict) and isinstance(pair.get("key"), str):
            yield pair["key"], any_value(pair.get("value"), (*path, at, "value"), depth)
