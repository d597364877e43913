"""Locates fields that the dialect does not define, in one JSON text and over a whole stream."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from itertools import accumulate, islice

from inspector.core.analysis import Analysis
from inspector.core.formats import usage_table_of
from inspector.core.formats.places import CHAT_CHOICE, effect_at, places_of
from inspector.core.json import Json
from inspector.core.json.pointer import pointer_to, steps_of
from inspector.core.json.spans import JsonKind, JsonSpans
from inspector.core.tokens.ledger import odd_counts
from inspector.dashboard.capture.json.json_source import (
    event_with_data,
    json_source_of,
    json_source_of_event,
)
from inspector.dashboard.capture.page.capture_view import CaptureView

Pattern = tuple[str | None, ...]
"""Member names on the path to a field; None matches any array index."""

MESSAGE = ("message", "delta")
"""A choice's content is under ``message`` in a whole body and under ``delta`` in a chunk."""
MAX_VISITED = 20_000
"""Members visited per text."""
MAX_EVENTS = 500
"""Chunks of a stream are alike; the page says of how many it speaks."""
MAX_SPANS = 40
"""Fields marked per line."""


@dataclass(frozen=True, slots=True)
class UnknownFieldMatch:
    """Offsets in the text: ``start`` of the name, ``value`` and ``end`` of the value."""

    pattern: Pattern
    pointer: str
    start: int
    value: int
    end: int


@dataclass(slots=True)
class FieldOccurrences:
    """Occurrences of one field: ``count`` of the examined events contain it."""

    pointer: str = ""
    byte: int = 0
    event: int | None = None
    last: int | None = None
    count: int = 0
    is_all: bool = True
    """True if every event of the stream was examined."""
    spellings: set[bytes] = field(default_factory=set)


def patterns_of(analysis: Analysis, *, with_defined: bool = False) -> frozenset[Pattern]:
    """Patterns of the fields that the format does not define. ``with_defined``: and of those fields
    of choices that it defines and nothing else draws.
    """
    found = {each for pointer in analysis.extras for each in in_answer(analysis, pointer)}
    for choice in analysis.choices:
        for pointer in choice.extras:
            if with_defined or not is_defined_in_choice(analysis, pointer):
                found |= set(in_choice(analysis, pointer))
        for call in choice.tool_calls:
            found |= {spelt for pointer in call.extras for spelt in in_call(pointer)}
    for pointer, _ in unknown_in_usage(analysis):
        found |= set(in_usage(analysis, pointer))
    return frozenset(found)


def unknown_in_usage(analysis: Analysis) -> Iterator[tuple[str, Json]]:
    """Fields of usage that its format does not define; counts belong to the usage panel."""
    odd = {pointer for pointer, _ in odd_counts(analysis.usage).values()}
    beside = usage_table_of(analysis.dialect).beside
    for pointer, value in analysis.usage.extras.items():
        first = next(iter(steps_of(pointer)), "")
        if pointer not in odd and first not in beside:
            yield pointer, value


def is_defined_in_choice(analysis: Analysis, pointer: str) -> bool:
    """Return True if the table of the format names this field of a choice."""
    places = places_of(analysis.dialect)
    is_chat = places.choice == CHAT_CHOICE
    return not is_chat and effect_at(analysis.dialect, places.choice + pointer) is not None


def in_answer(analysis: Analysis, pointer: str) -> list[Pattern]:
    return [pattern_of(at + pointer) for at in places_of(analysis.dialect).sent_at]


def in_choice(analysis: Analysis, pointer: str) -> list[Pattern]:
    places = places_of(analysis.dialect)
    if places.choice != CHAT_CHOICE:
        return [pattern_of(f"{at}{places.choice}{pointer}") for at in places.sent_at]
    first, *rest = steps_of(pointer)
    names = MESSAGE if first == "message" and rest else (first,)
    return [("choices", None, name, *rest) for name in names]


def in_call(pointer: str) -> list[Pattern]:
    """Only chat completions have such fields: calls of other formats are blocks."""
    steps = steps_of(pointer)
    return [("choices", None, name, "tool_calls", None, *steps) for name in MESSAGE]


def in_usage(analysis: Analysis, pointer: str) -> list[Pattern]:
    places = places_of(analysis.dialect)
    usual = [f"{at}{places.usage}" for at in places.sent_at] if places.usage else []
    return [pattern_of(at + pointer) for at in dict.fromkeys((analysis.usage.pointer, *usual))]


def pattern_of(pointer: str) -> Pattern:
    return tuple(None if step == "*" else step for step in steps_of(pointer))


@dataclass(slots=True)
class PatternStep:
    """Node of the pattern trie; ``pattern`` is set where a field's path ends."""

    names: dict[str | None, PatternStep] = field(default_factory=dict)
    pattern: Pattern | None = None


class UnknownFieldFinder:
    """Finds unknown fields in JSON texts; built once per capture."""

    def __init__(self, patterns: Iterable[Pattern]) -> None:
        self._first = PatternStep()
        for pattern in patterns:
            step = self._first
            for name in pattern:
                step = step.names.setdefault(name, PatternStep())
            step.pattern = pattern

    def find(self, outline: JsonSpans) -> Iterator[UnknownFieldMatch]:
        way: tuple[str | int, ...] = ()
        waiting = [(outline.start, outline.end, self._first, way)]
        if outline.kind(outline.start) is JsonKind.LIST:
            # A stream may be one list of objects, which build one answer.
            items = islice(outline.members(outline.start, outline.end), MAX_VISITED)
            waiting = [(it.start, it.end, self._first, (it.position,)) for it in items]
        visited = 0
        while waiting and visited < MAX_VISITED:
            start, end, step, path = waiting.pop()
            is_list = outline.kind(start) is JsonKind.LIST
            for member in outline.members(start, end) if step.names else ():
                visited += 1
                inner = step.names.get(None if is_list else outline.name(member))
                if inner is None:
                    continue
                way = (*path, member.position if is_list else outline.name(member))
                if inner.pattern is not None:
                    first = member.start if member.name_start is None else member.name_start
                    yield UnknownFieldMatch(
                        inner.pattern, pointer_to(way), first, member.start, member.end
                    )
                waiting.append((member.start, member.end, inner, way))


class NestedSpans:
    """Byte ranges that may be nested."""

    def __init__(self, spans: Iterable[tuple[int, int]]) -> None:
        self._spans = sorted(spans)
        self._reaches = list(accumulate((end for _, end in self._spans), max))
        """Running maximum of the ends, for bisection."""

    def within(self, start: int, end: int) -> Iterator[tuple[int, int]]:
        """Yield the ranges that overlap the given one, clipped to it."""
        for number in range(bisect_right(self._reaches, start), len(self._spans)):
            first, last = self._spans[number]
            if first >= end:
                return
            if last > start:
                yield max(first, start), min(last, end)


class UnknownFieldSpans:
    """Byte ranges of a body that belong to fields the dialect does not define."""

    def __init__(self, view: CaptureView) -> None:
        self._view = view
        patterns = patterns_of(view.analysis) if view.analysis else frozenset()
        self._fields = UnknownFieldFinder(patterns) if patterns else None
        self._spans: dict[int | None, NestedSpans] = {}

    def within(self, start: int, end: int, event: int | None) -> list[tuple[int, int]]:
        """Return the ranges that overlap a line, clipped to it."""
        if event not in self._spans:
            self._spans[event] = NestedSpans(self._of(event))
        return list(islice(self._spans[event].within(start, end), MAX_SPANS))

    def _of(self, event: int | None) -> Iterator[tuple[int, int]]:
        if self._fields is None or (self._view.provenance and event is None):
            return
        source = json_source_of(self._view, event)
        if source and source.is_json:
            for each in self._fields.find(source.outline):
                yield source.body_byte(each.start), source.body_byte(each.end - 1) + 1


class FieldOccurrenceIndex:
    """Locations of each field without a panel: by pointer in a whole body, by event in streams."""

    def __init__(self, view: CaptureView) -> None:
        self._body = None if view.provenance else json_source_of(view)
        self._in_stream = places_in_stream(view) if view.provenance else {}

    def of(self, pointer: str, patterns: list[Pattern]) -> FieldOccurrences | None:
        if self._body is None:
            found = (self._in_stream[each] for each in patterns if each in self._in_stream)
            return next(found, None)
        stands = self._body.outline.find(pointer)
        start = stands.path[-1].name_start if stands and stands.path else None
        return None if start is None else FieldOccurrences(pointer, self._body.body_byte(start))


def places_in_stream(view: CaptureView) -> dict[Pattern, FieldOccurrences]:
    """Examine the first events with data, and always the one that carries the usage."""
    found: dict[Pattern, FieldOccurrences] = {}
    if view.analysis is None:
        return found
    fields, events = (
        UnknownFieldFinder(patterns_of(view.analysis, with_defined=True)),
        list(islice(event_with_data(view), MAX_EVENTS)),
    )
    is_all = next(event_with_data(view, events[-1]), None) is None if events else True
    usage_at = view.analysis.usage.found_at
    if isinstance(usage_at, int) and events and usage_at > events[-1]:
        events.append(usage_at)
    for event in events:
        source = json_source_of_event(view, event)
        for each in fields.find(source.outline):
            byte = source.body_byte(each.start)
            place = found.setdefault(
                each.pattern, FieldOccurrences(each.pointer, byte, event, is_all=is_all)
            )
            place.count += place.last != event
            place.last = event
            if len(place.spellings) < 2:
                place.spellings.add(source.text[each.value : each.end])
    return found
