"""Names and values of JSON texts that hold a piece of text, each with its JSON Pointer.

Sought is in the bytes as they were sent: the piece as it is and as JSON may escape it, letters of
ASCII in either case.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass

from inspector.core.outline import Found, Kind, Outline
from inspector.core.pointer import pointer_to
from inspector.dashboard.capture_view import CaptureView
from inspector.dashboard.json_source import JsonSource, event_source, source_of
from inspector.dashboard.marks import Segment, exact

MOST_MATCHES = 100
MOST_PLACES = 5_000
"""So many places in the bytes are looked at; most hold a match."""
MOST_LETTERS = 200
AROUND = 40


@dataclass(frozen=True, slots=True)
class Match:
    pointer: str
    event: int | None
    byte: int
    """Of the body, where the sought text begins."""
    is_name: bool
    before: tuple[Segment, ...]
    sought: tuple[Segment, ...]
    after: tuple[Segment, ...]


@dataclass(frozen=True, slots=True)
class Matches:
    found: tuple[Match, ...]
    is_all: bool
    """False where the search ended before the bytes did."""


def matches_in(view: CaptureView, sought: str) -> Matches:
    found: list[Match] = []
    seen: set[tuple[int | None, str, bool]] = set()
    finder, sources = pattern(sought[:MOST_LETTERS]), Sources(view)
    for looked, place in enumerate(finder.finditer(view.body)):
        if looked >= MOST_PLACES or len(found) >= MOST_MATCHES:
            return Matches(tuple(found), False)
        match = match_at(sources, place)
        if match and (match.event, match.pointer, match.is_name) not in seen:
            seen.add((match.event, match.pointer, match.is_name))
            found.append(match)
    return Matches(tuple(found), True)


def pattern(sought: str) -> re.Pattern[bytes]:
    spellings = {
        sought,
        *(json.dumps(sought, ensure_ascii=is_ascii)[1:-1] for is_ascii in (False, True)),
    }
    encoded = {spelling.encode(errors="surrogateescape") for spelling in spellings}
    return re.compile(b"|".join(map(re.escape, sorted(encoded, key=len, reverse=True))), re.I)


class Sources:
    """The JSON text that each byte belongs to; asked for in the order of the bytes."""

    def __init__(self, view: CaptureView) -> None:
        self._view = view
        self._last: JsonSource | None = None if view.provenance else source_of(view)

    def at(self, byte: int) -> JsonSource | None:
        if self._view.provenance is None:
            return self._last
        event = self._view.provenance.event_at(byte)
        if event is None:
            return None
        if self._last is None or self._last.event != event:
            self._last = event_source(self._view, event)
        return self._last


def match_at(sources: Sources, place: re.Match[bytes]) -> Match | None:
    """None where the text stands between names and values, or in no JSON."""
    source = sources.at(place.start())
    offset = source.offset(place.start()) if source else None
    if source is None or offset is None or not source.is_json:
        return None
    held = source.outline.at(offset)
    if held is None or not held.path:
        return None
    member = held.path[-1]
    is_name = member.name_start is not None and offset < member.name_end
    is_nested = source.outline.kind(held.start) in (Kind.OBJECT, Kind.LIST)
    if not is_name and (is_nested or offset < member.start):
        return None
    start = member.name_start if is_name and member.name_start is not None else member.start
    end = member.name_end if is_name else member.end
    length = min(place.end() - place.start(), end - offset)
    return Match(
        pointer=pointer_to(steps(source.outline, held)),
        event=source.event,
        byte=place.start(),
        is_name=is_name,
        before=told(source.text, max(start, offset - AROUND), offset),
        sought=told(source.text, offset, offset + length),
        after=told(source.text, offset + length, min(end, offset + length + AROUND)),
    )


def steps(outline: Outline, found: Found) -> Iterator[str | int]:
    for member in found.path:
        yield member.position if member.name_start is None else outline.name(member)


def told(text: bytes, start: int, end: int) -> tuple[Segment, ...]:
    return exact(text[start:end].decode("utf-8", "surrogateescape"))
