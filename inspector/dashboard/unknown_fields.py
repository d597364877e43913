"""Where the fields stand that a dialect does not define: in one text, and over a whole stream."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from itertools import accumulate, islice

from inspector.core.analysis import Analysis
from inspector.core.ledger import odd_counts
from inspector.core.outline import Kind, Outline
from inspector.core.pointer import pointer_to, steps_of
from inspector.dashboard.capture_view import CaptureView
from inspector.dashboard.json_source import event_source, source_of, with_data

Pattern = tuple[str | None, ...]
"""The names on the way to a field; None for any place in a list."""

MESSAGE = ("message", "delta")
"""What a choice says stands under one name in a whole body and under another in a chunk."""
MOST_VISITED = 20_000
"""So many members of one text are looked at."""
MOST_EVENTS = 500
MOST_SPANS = 40
"""So many fields of one line are marked."""


@dataclass(frozen=True, slots=True)
class Field:
    """``start``: where its name begins, ``value`` and ``end``: its value; offsets in the text."""

    pattern: Pattern
    pointer: str
    start: int
    value: int
    end: int


@dataclass(slots=True)
class Places:
    """Where one field stood: in ``count`` of the events that were looked at."""

    pointer: str = ""
    byte: int = 0
    event: int | None = None
    last: int | None = None
    count: int = 0
    is_all: bool = True
    """Every event of the stream was looked at."""
    spellings: set[bytes] = field(default_factory=set)


def patterns_of(analysis: Analysis) -> frozenset[Pattern]:
    found: set[Pattern] = {tuple(steps_of(pointer)) for pointer in analysis.extras}
    for choice in analysis.choices:
        found |= {spelt for pointer in choice.extras for spelt in in_choice(pointer)}
        for call in choice.tool_calls:
            found |= {spelt for pointer in call.extras for spelt in in_call(pointer)}
    odd = {pointer for pointer, _ in odd_counts(analysis.usage).values()}
    found |= {
        in_usage(analysis, pointer) for pointer in analysis.usage.extras if pointer not in odd
    }
    return frozenset(found)


def in_choice(pointer: str) -> list[Pattern]:
    first, *rest = steps_of(pointer)
    names = MESSAGE if first == "message" and rest else (first,)
    return [("choices", None, name, *rest) for name in names]


def in_call(pointer: str) -> list[Pattern]:
    steps = steps_of(pointer)
    return [("choices", None, name, "tool_calls", None, *steps) for name in MESSAGE]


def in_usage(analysis: Analysis, pointer: str) -> Pattern:
    return tuple(steps_of(analysis.usage.pointer) + steps_of(pointer))


@dataclass(slots=True)
class Step:
    """What may follow on the way to a field; ``pattern`` where the field itself is reached."""

    names: dict[str | None, Step] = field(default_factory=dict)
    pattern: Pattern | None = None


class Fields:
    """Finds them; built once for all texts of a capture."""

    def __init__(self, patterns: Iterable[Pattern]) -> None:
        self._first = Step()
        for pattern in patterns:
            step = self._first
            for name in pattern:
                step = step.names.setdefault(name, Step())
            step.pattern = pattern

    def find(self, outline: Outline) -> Iterator[Field]:
        way: tuple[str | int, ...] = ()
        waiting = [(outline.start, outline.end, self._first, way)]
        visited = 0
        while waiting and visited < MOST_VISITED:
            start, end, step, path = waiting.pop()
            is_list = outline.kind(start) is Kind.LIST
            for member in outline.members(start, end) if step.names else ():
                visited += 1
                inner = step.names.get(None if is_list else outline.name(member))
                if inner is None:
                    continue
                way = (*path, member.position if is_list else outline.name(member))
                if inner.pattern is not None:
                    first = member.start if member.name_start is None else member.name_start
                    yield Field(inner.pattern, pointer_to(way), first, member.start, member.end)
                waiting.append((member.start, member.end, inner, way))


class Spans:
    """Runs of bytes, which may lie inside each other."""

    def __init__(self, spans: Iterable[tuple[int, int]]) -> None:
        self._spans = sorted(spans)
        self._reaches = list(accumulate((end for _, end in self._spans), max))
        """How far each or one before it goes."""

    def within(self, start: int, end: int) -> Iterator[tuple[int, int]]:
        """Those that reach into a run, cut to it."""
        for number in range(bisect_right(self._reaches, start), len(self._spans)):
            first, last = self._spans[number]
            if first >= end:
                return
            if last > start:
                yield max(first, start), min(last, end)


class Underlines:
    """The bytes of a body that belong to fields which the dialect does not define."""

    def __init__(self, view: CaptureView) -> None:
        self._view = view
        patterns = patterns_of(view.analysis) if view.analysis else frozenset()
        self._fields = Fields(patterns) if patterns else None
        self._spans: dict[int | None, Spans] = {}

    def within(self, start: int, end: int, event: int | None) -> list[tuple[int, int]]:
        """Those that reach into a line, cut to it."""
        if event not in self._spans:
            self._spans[event] = Spans(self._of(event))
        return list(islice(self._spans[event].within(start, end), MOST_SPANS))

    def _of(self, event: int | None) -> Iterator[tuple[int, int]]:
        if self._fields is None or (self._view.provenance and event is None):
            return
        source = source_of(self._view, event)
        if source and source.is_json:
            for each in self._fields.find(source.outline):
                yield source.body_byte(each.start), source.body_byte(each.end - 1) + 1


class FieldPlaces:
    """Where each unknown field stands: in the body by its pointer, in a stream by its events."""

    def __init__(self, view: CaptureView) -> None:
        self._body = None if view.provenance else source_of(view)
        self._in_stream = places_in_stream(view) if view.provenance else {}

    def of(self, pointer: str, patterns: list[Pattern]) -> Places | None:
        if self._body is None:
            found = (self._in_stream[each] for each in patterns if each in self._in_stream)
            return next(found, None)
        stands = self._body.outline.find(pointer)
        start = stands.path[-1].name_start if stands and stands.path else None
        return None if start is None else Places(pointer, self._body.body_byte(start))


def places_in_stream(view: CaptureView) -> dict[Pattern, Places]:
    """From the first events that hold data; the one with the usage is looked at in any case."""
    found: dict[Pattern, Places] = {}
    if view.analysis is None:
        return found
    fields, events = Fields(patterns_of(view.analysis)), list(islice(with_data(view), MOST_EVENTS))
    is_all = next(with_data(view, events[-1]), None) is None if events else True
    usage_at = view.analysis.usage.found_at
    if isinstance(usage_at, int) and events and usage_at > events[-1]:
        events.append(usage_at)
    for event in events:
        source = event_source(view, event)
        for each in fields.find(source.outline):
            byte = source.body_byte(each.start)
            place = found.setdefault(each.pattern, Places(each.pointer, byte, event, is_all=is_all))
            place.count += place.last != event
            place.last = event
            if len(place.spellings) < 2:
                place.spellings.add(source.text[each.value : each.end])
    return found
