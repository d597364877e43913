"""Searches names and values of JSON texts; each match has its JSON Pointer.

Searches the raw bytes for the query as typed and in its JSON-escaped spellings, ignoring the case
of ASCII letters.
"""

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass

from inspector.core.json.pointer import pointer_to
from inspector.core.json.spans import JsonKind, JsonSpans, ValueSpan
from inspector.dashboard.capture.json.json_source import (
    JsonSource,
    json_source_of,
    json_source_of_event,
)
from inspector.dashboard.capture.page.capture_view import CaptureView
from inspector.formatting.invisible_characters import TextSegment, exact_segments

MAX_MATCHES = 100
"""Nobody reads more; a longer word finds fewer."""
MAX_PLACES = 5_000
"""Candidate positions examined; most of them are matches."""
MAX_LETTERS = 200
"""Each spelling of it is looked for in the whole body."""
AROUND = 40
"""Characters on either side of a match: they tell one place from another in a list of them."""


@dataclass(frozen=True, slots=True)
class JsonMatch:
    pointer: str
    event: int | None
    byte: int
    """Offset in the body where the match starts."""
    is_name: bool
    before: tuple[TextSegment, ...]
    sought: tuple[TextSegment, ...]
    after: tuple[TextSegment, ...]


@dataclass(frozen=True, slots=True)
class JsonMatches:
    found: tuple[JsonMatch, ...]
    is_all: bool
    """False if the search stopped at the limit."""


def find_in_json(view: CaptureView, sought: str) -> JsonMatches:
    found: list[JsonMatch] = []
    seen: set[tuple[int | None, str, bool]] = set()
    finder, sources = search_pattern(sought[:MAX_LETTERS]), JsonSourceLookup(view)
    for looked, place in enumerate(finder.finditer(view.body)):
        if looked >= MAX_PLACES or len(found) >= MAX_MATCHES:
            return JsonMatches(tuple(found), False)
        match = match_at(sources, place)
        if match and (match.event, match.pointer, match.is_name) not in seen:
            seen.add((match.event, match.pointer, match.is_name))
            found.append(match)
    return JsonMatches(tuple(found), True)


def search_pattern(sought: str) -> re.Pattern[bytes]:
    spellings = {
        sought,
        *(json.dumps(sought, ensure_ascii=is_ascii)[1:-1] for is_ascii in (False, True)),
    }
    encoded = {spelling.encode(errors="surrogateescape") for spelling in spellings}
    return re.compile(b"|".join(map(re.escape, sorted(encoded, key=len, reverse=True))), re.I)


class JsonSourceLookup:
    """Finds the JSON text that contains a byte; bytes must be queried in ascending order."""

    def __init__(self, view: CaptureView) -> None:
        self._view = view
        self._last: JsonSource | None = None if view.provenance else json_source_of(view)

    def at(self, byte: int) -> JsonSource | None:
        if self._view.provenance is None:
            return self._last
        event = self._view.provenance.event_at(byte)
        if event is None:
            return None
        if self._last is None or self._last.event != event:
            self._last = json_source_of_event(self._view, event)
        return self._last


def match_at(sources: JsonSourceLookup, place: re.Match[bytes]) -> JsonMatch | None:
    """Return the match, or None if it lies outside any JSON name or value."""
    source = sources.at(place.start())
    offset = source.offset(place.start()) if source else None
    if source is None or offset is None or not source.is_json:
        return None
    found = source.outline.at(offset)
    if found is None or not found.path:
        return None
    member = found.path[-1]
    is_name = member.name_start is not None and offset < member.name_end
    is_nested = source.outline.kind(found.start) in (JsonKind.OBJECT, JsonKind.LIST)
    if not is_name and (is_nested or offset < member.start):
        return None
    start = member.name_start if is_name and member.name_start is not None else member.start
    end = member.name_end if is_name else member.end
    length = min(place.end() - place.start(), end - offset)
    return JsonMatch(
        pointer=pointer_to(pointer_steps(source.outline, found)),
        event=source.event,
        byte=place.start(),
        is_name=is_name,
        before=excerpt_segments(source.text, max(start, offset - AROUND), offset),
        sought=excerpt_segments(source.text, offset, offset + length),
        after=excerpt_segments(source.text, offset + length, min(end, offset + length + AROUND)),
    )


def pointer_steps(outline: JsonSpans, found: ValueSpan) -> Iterator[str | int]:
    for member in found.path:
        yield member.position if member.name_start is None else outline.name(member)


def excerpt_segments(text: bytes, start: int, end: int) -> tuple[TextSegment, ...]:
    return exact_segments(text[start:end].decode("utf-8", "surrogateescape"))
