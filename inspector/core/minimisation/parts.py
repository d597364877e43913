"""The parts of an exchange that minimisation tries to remove, pass by pass from large to small."""

from __future__ import annotations

import re
from collections.abc import Callable, Container, Iterator, Sequence
from enum import StrEnum

import msgspec

from inspector.core.json.spans import JsonKind, JsonSpans, MemberSpan
from inspector.core.minimisation.edits import (
    ByteEdit,
    edited_request,
    edited_response,
    is_framed,
)
from inspector.core.reading import Reading
from inspector.core.wire.content_encoding import decompressed
from inspector.core.wire.event_frames import payload_range
from inspector.core.wire.exchange import Exchange, Headers, Read, Request, TransportOutcome

MAX_BYTE_PARTS = 50_000
CODING_HEADERS = frozenset({"content-encoding", "content-length", "transfer-encoding"})
HEADER = "header "
REQUEST_HEADER = "request header "

_OPENING = re.compile(rb"[{\[]").search
_LINE = re.compile(rb"[^\r\n]*(?:\r\n|\r|\n)|[^\r\n]+").finditer
_CHARACTER = re.compile(
    rb"\\u[0-9a-fA-F]{4}|\\.|[\xc2-\xdf][\x80-\xbf]|[\xe0-\xef][\x80-\xbf]{2}"
    rb"|[\xf0-\xf4][\x80-\xbf]{3}|.",
    re.DOTALL,
).finditer
_SPACE = re.compile(rb'("[^"\\]*+(?:\\.[^"\\]*+)*+"?)|([ \t\r\n]++)', re.DOTALL).finditer
_ZERO, _EMPTY = b"0", b'""'


class MinimisationPass(StrEnum):
    """What is removed in a pass."""

    SURROUNDINGS = "surroundings"
    """What is known beside the bytes: times, headers, the request."""
    EVENTS = "events"
    MEMBERS = "members"
    """Members of objects and items of lists, level by level."""
    VALUES = "values"
    """Texts and numbers, replaced by "" and 0."""
    STRINGS = "strings"
    """Characters of texts and numbers."""
    SPACES = "spaces"
    """White space between the tokens of JSON."""
    LINES = "lines"
    CHARACTERS = "characters"
    """All characters, where the bytes are broken or hold no JSON."""
    REQUEST_MEMBERS = "request-members"
    REQUEST_VALUES = "request-values"
    REQUEST_STRINGS = "request-strings"
    REQUEST_SPACES = "request-spaces"


PASSES = tuple(MinimisationPass)
FEW_PARTS = {
    MinimisationPass.EVENTS: 50,
    MinimisationPass.STRINGS: 300,
    MinimisationPass.CHARACTERS: 100,
    MinimisationPass.REQUEST_STRINGS: 300,
}
"""Passes whose parts belong together in stretches of any length, as the letters of a word do. Of no
more parts than this each stretch is tried at each place, else side by side.
"""
LEVELLED = frozenset({MinimisationPass.MEMBERS, MinimisationPass.REQUEST_MEMBERS})
"""Passes that go level by level."""


class PartList(msgspec.Struct, frozen=True):
    """Parts of an exchange. ``without``: the exchange without those from a first to a last
    (exclusive).
    """

    count: int
    without: Callable[[int, int], Exchange]


class _JsonText(msgspec.Struct, frozen=True):
    """A JSON text that begins at a byte of the body."""

    spans: JsonSpans
    at: int


class _Member(msgspec.Struct, frozen=True, gc=False):
    """A member, and the number of the object or list that it belongs to."""

    parent: int
    position: int


def parts_of(
    kind: MinimisationPass,
    exchange: Exchange,
    reading: Reading,
    level: int = 0,
    *,
    is_broken: bool = False,
) -> PartList:
    """The parts that one pass removes. ``reading`` is that of the exchange; ``is_broken``: its
    bytes need not stay JSON and events.
    """
    if kind is MinimisationPass.SURROUNDINGS:
        return _surroundings(exchange)
    if kind in _REQUEST_PASSES:
        of_json = _OF_JSON[_REQUEST_PASSES[kind]]
        return of_json(exchange, _request_texts(exchange), level, edited_request)
    if _decoded(exchange) != exchange:
        # A coding that could not be undone without another finding: of its bytes none can go.
        return _none(exchange)
    return _response_parts(kind, exchange, _event_ranges(exchange, reading), level, is_broken)


def _response_parts(
    kind: MinimisationPass,
    exchange: Exchange,
    events: Sequence[tuple[int, int]],
    level: int,
    is_broken: bool,
) -> PartList:
    if kind is MinimisationPass.EVENTS:
        return _ranges(exchange, events)
    if kind is MinimisationPass.LINES:
        return _ranges(exchange, _line_ranges(exchange))
    texts = list(_json_texts(exchange.body, events))
    if kind in _OF_JSON:
        return _OF_JSON[kind](exchange, texts, level, edited_response)
    if texts and not is_broken:
        return _none(exchange)
    return _ranges(exchange, list(_character_ranges(exchange)))


# -- beside the bytes -----------------------------------------------------------------------------


def _surroundings(exchange: Exchange) -> PartList:
    names = [name for name, differs in _SURROUNDINGS.items() if differs(exchange) != exchange]
    names += [f"{HEADER}{position}" for position in range(len(exchange.headers or ()))]
    request_headers = exchange.request.headers if exchange.request else None
    names += [f"{REQUEST_HEADER}{position}" for position in range(len(request_headers or ()))]
    return PartList(len(names), lambda first, last: _without_named(exchange, names[first:last]))


def _without_named(exchange: Exchange, names: Sequence[str]) -> Exchange:
    # Headers first: their positions are those before anything else is left out.
    exchange = _without_headers(exchange, names)
    for name in names:
        if name in _SURROUNDINGS:
            exchange = _SURROUNDINGS[name](exchange)
    return exchange


def _without_headers(exchange: Exchange, names: Sequence[str]) -> Exchange:
    left_out = {name for name in names if name.startswith((HEADER, REQUEST_HEADER))}
    request = exchange.request
    if request is not None:
        kept = _kept(request.headers, REQUEST_HEADER, left_out)
        request = msgspec.structs.replace(request, headers=kept)
    headers = _kept(exchange.headers, HEADER, left_out)
    if exchange.headers is not None and CODING in names:
        # Undoing a coding looks at the headers that name it.
        exchange = _decoded(exchange)
        headers = _uncoded(headers)
    return msgspec.structs.replace(exchange, headers=headers, request=request)


def _kept(headers: Headers | None, prefix: str, left_out: Container[str]) -> Headers | None:
    """None where all of them are left out: an empty list would say that it was sent empty."""
    if not headers:
        return headers
    kept = (each for at, each in enumerate(headers) if f"{prefix}{at}" not in left_out)
    return tuple(kept) or None


def _uncoded(headers: Headers | None) -> Headers | None:
    if not headers:
        return headers
    return tuple(each for each in headers if each[0].lower() not in CODING_HEADERS) or None


def _decoded(exchange: Exchange) -> Exchange:
    plain = decompressed(exchange)
    if plain.body == exchange.body:
        return exchange
    return msgspec.structs.replace(plain, headers=_uncoded(exchange.headers), total_bytes=None)


def _without_times(exchange: Exchange) -> Exchange:
    return msgspec.structs.replace(
        exchange, reads=(Read(None, exchange.body),), measured_by=None, ended_at_us=None
    )


def _without_request(exchange: Exchange) -> Exchange:
    return msgspec.structs.replace(exchange, request=None)


def _without_request_body(exchange: Exchange) -> Exchange:
    return _with_request(exchange, body=None, total_bytes=None)


def _without_address(exchange: Exchange) -> Exchange:
    return _with_request(exchange, method=None, url=None)


def _with_request(exchange: Exchange, **changes: None) -> Exchange:
    if exchange.request is None:
        return exchange
    changed: Request | None = msgspec.structs.replace(exchange.request, **changes)
    return msgspec.structs.replace(exchange, request=None if changed == Request() else changed)


def _as_ended(exchange: Exchange) -> Exchange:
    return msgspec.structs.replace(
        exchange, outcome=TransportOutcome.ENDED, fault=None, total_bytes=None
    )


CODING = "coding"
_SURROUNDINGS: dict[str, Callable[[Exchange], Exchange]] = {
    CODING: _decoded,
    "times": _without_times,
    "end": _as_ended,
    "request": _without_request,
    "request body": _without_request_body,
    "request address": _without_address,
}


# -- ranges of bytes ------------------------------------------------------------------------------


def _none(exchange: Exchange) -> PartList:
    return PartList(0, lambda first, last: exchange)


def _ranges(exchange: Exchange, ranges: Sequence[tuple[int, int]]) -> PartList:
    def without(first: int, last: int) -> Exchange:
        return edited_response(exchange, [ByteEdit(*each) for each in ranges[first:last]])

    return PartList(len(ranges), without)


def _event_ranges(exchange: Exchange, reading: Reading) -> list[tuple[int, int]]:
    """The body cut where events begin; what stands between two belongs to the first."""
    length = len(exchange.body)
    inside = {start for start in reading.tape().events.byte_start if 0 < start < length}
    cuts = [0, *sorted(inside), length] if length else [0]
    return list(zip(cuts, cuts[1:], strict=False))


def _line_ranges(exchange: Exchange) -> list[tuple[int, int]]:
    if is_framed(exchange):
        return []
    return [line.span() for line in _LINE(exchange.body)]


def _character_ranges(exchange: Exchange) -> Iterator[tuple[int, int]]:
    body = exchange.body
    if len(body) > MAX_BYTE_PARTS:
        step = -(-len(body) // MAX_BYTE_PARTS)
        yield from ((at, min(at + step, len(body))) for at in range(0, len(body), step))
        return
    yield from (one.span() for one in _CHARACTER(body))


# -- JSON -----------------------------------------------------------------------------------------

Edited = Callable[[Exchange, Sequence[ByteEdit]], Exchange]
OfJson = Callable[[Exchange, Sequence["_JsonText"], int, Edited], PartList]


def _json_texts(body: bytes, ranges: Sequence[tuple[int, int]]) -> Iterator[_JsonText]:
    """The JSON text of each event, from its first bracket on."""
    for start, end in ranges:
        first, last = payload_range(body, start, end) or (start, end)
        if opening := _OPENING(body, first, last):
            yield _JsonText(JsonSpans(body[opening.start() : last]), opening.start())


def _request_texts(exchange: Exchange) -> list[_JsonText]:
    body = exchange.request.body if exchange.request else None
    return [] if body is None else list(_json_texts(body, [(0, len(body))]))


def _members(
    exchange: Exchange, texts: Sequence[_JsonText], level: int, edited: Edited
) -> PartList:
    parents = [each for text in texts for each in _parents_at(text, level)]
    members = [
        _Member(parent, position)
        for parent, (_, found) in enumerate(parents)
        for position in range(len(found))
    ]

    def without(first: int, last: int) -> Exchange:
        return edited(exchange, list(_member_edits(parents, members[first:last])))

    return PartList(len(members), without)


def _parents_at(text: _JsonText, level: int) -> Iterator[tuple[int, list[MemberSpan]]]:
    """The members of all objects and lists at a level, with where their text begins."""
    left = [(text.spans.start, text.spans.end, 0)]
    while left:
        start, end, depth = left.pop()
        members = text.spans.members(start, end)
        if depth == level:
            if members:
                yield text.at, members
            continue
        # The stack gives back the last first.
        left += [(each.start, each.end, depth + 1) for each in reversed(members)]


def _member_edits(
    parents: Sequence[tuple[int, list[MemberSpan]]], chosen: Sequence[_Member]
) -> Iterator[ByteEdit]:
    by_parent: dict[int, set[int]] = {}
    for member in chosen:
        by_parent.setdefault(member.parent, set()).add(member.position)
    for parent, positions in by_parent.items():
        yield from _removals(*parents[parent], positions)


def _removals(at: int, members: Sequence[MemberSpan], positions: set[int]) -> Iterator[ByteEdit]:
    """Each member goes with one comma: that before it, if another stays before it."""
    last_kept: MemberSpan | None = None
    for position, member in enumerate(members):
        if position not in positions:
            last_kept = member
            continue
        if last_kept is not None:
            start, end = members[position - 1].end, member.end
        else:
            start = _first_byte(member)
            is_last = position + 1 == len(members)
            end = member.end if is_last else _first_byte(members[position + 1])
        yield ByteEdit(at + start, at + end)


def _first_byte(member: MemberSpan) -> int:
    return member.start if member.name_start is None else member.name_start


def _edits_by(edits_in: Callable[[_JsonText], Iterator[ByteEdit]]) -> OfJson:
    """Parts that are edits of each JSON text, independent of each other."""

    def parts(
        exchange: Exchange, texts: Sequence[_JsonText], level: int, edited: Edited
    ) -> PartList:
        edits = [each for text in texts for each in edits_in(text)]
        return PartList(len(edits), lambda first, last: edited(exchange, edits[first:last]))

    return parts


def _shorter_values(text: _JsonText) -> Iterator[ByteEdit]:
    for start, end in _scalars(text.spans):
        kind = text.spans.kind(start)
        shorter = {JsonKind.TEXT: _EMPTY, JsonKind.NUMBER: _ZERO}.get(kind)
        if shorter is not None and end - start > len(shorter) and text.spans.is_closed(start, end):
            yield ByteEdit(text.at + start, text.at + end, shorter)


def _string_characters(text: _JsonText) -> Iterator[ByteEdit]:
    for start, end in _scalars(text.spans):
        kind = text.spans.kind(start)
        if kind is JsonKind.TEXT:
            start, end = start + 1, end - text.spans.is_closed(start, end)
        if kind in (JsonKind.TEXT, JsonKind.NUMBER):
            for one in _CHARACTER(text.spans.text, start, end):
                yield ByteEdit(text.at + one.start(), text.at + one.end())


def _scalars(spans: JsonSpans) -> Iterator[tuple[int, int]]:
    """All texts, numbers and words in their order."""
    left = [(spans.start, spans.end)]
    while left:
        start, end = left.pop()
        if spans.kind(start) in (JsonKind.OBJECT, JsonKind.LIST):
            members = spans.members(start, end)
            left += [(each.start, each.end) for each in reversed(members)]
        else:
            yield start, end


def _spaces(text: _JsonText) -> Iterator[ByteEdit]:
    # To the end: behind the value of a whole body stands nothing but white space.
    for found in _SPACE(text.spans.text, text.spans.start):
        if found[2]:
            yield ByteEdit(text.at + found.start(), text.at + found.end())


_OF_JSON: dict[MinimisationPass, OfJson] = {
    MinimisationPass.MEMBERS: _members,
    MinimisationPass.VALUES: _edits_by(_shorter_values),
    MinimisationPass.STRINGS: _edits_by(_string_characters),
    MinimisationPass.SPACES: _edits_by(_spaces),
}
_REQUEST_PASSES = {
    MinimisationPass.REQUEST_MEMBERS: MinimisationPass.MEMBERS,
    MinimisationPass.REQUEST_VALUES: MinimisationPass.VALUES,
    MinimisationPass.REQUEST_STRINGS: MinimisationPass.STRINGS,
    MinimisationPass.REQUEST_SPACES: MinimisationPass.SPACES,
}
