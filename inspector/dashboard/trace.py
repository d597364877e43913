"""Characters of a lane followed to their events, reads, moments, bytes and tokens.

All offsets count UTF-16 units of the lane, what browsers select in and the tape counts in; only
``characters`` counts as people do. Event and read numbers are the tape's.
"""

from __future__ import annotations

from collections.abc import Mapping
from itertools import islice

import msgspec

from inspector.core.analysis import Analysis
from inspector.core.completion import Choice, known
from inspector.core.logprobs import Token, read_logprobs
from inspector.core.origin import Origin, Origins
from inspector.core.tape import Lane, LaneKind, LaneMode, Tape
from inspector.dashboard.argument_text import CLIPPED
from inspector.dashboard.capture_view import CaptureView
from inspector.dashboard.drawing import call_of, lane_name, lane_text
from inspector.dashboard.panels.choices import MOST_CHOICES

MOST_PIECES = 400
"""Chunks of one selection whose bytes are told one by one."""
MOST_LISTED = 8
"""More events are told by the first and the last."""
DECODED = ("framing.coded", "framing.coding-unsaid")
CALLS = (LaneKind.TOOL_CALL, LaneKind.FUNCTION_CALL)


class Extent(msgspec.Struct, frozen=True):
    """The first and the last of many; both belong to it."""

    first: int
    last: int
    count: int


class TracedPiece(msgspec.Struct, frozen=True):
    """``bytes``: ranges in the body, ends exclusive; none where nothing tells them."""

    event: int
    start: int
    end: int
    bytes: tuple[tuple[int, int], ...]


class Shown(msgspec.Struct, frozen=True):
    """The panel that shows the characters, and what its query must say for that."""

    panel: str
    changes: Mapping[str, str]


class Trace(msgspec.Struct, frozen=True, kw_only=True):
    lane: int
    choice: int
    kind: LaneKind
    name: str
    start: int
    end: int
    characters: Extent
    events: Extent | None
    """None for a whole body: it has none."""
    listed: tuple[int, ...]
    """The numbers of the events, where they are few."""
    reads: Extent
    at_us: tuple[int, int] | None
    """When the first and the last event arrived; None where nobody noted the times."""
    bytes: Extent | None
    """``count`` are those that spell the characters, as far as the pieces are told."""
    is_decoded: bool
    """The body came compressed: its bytes are counted in what came out."""
    pieces: tuple[TracedPiece, ...]
    left_out: int
    """Pieces that are not told one by one; the last of all is."""
    tokens: Extent | None
    """By the logprobs, where they were sent and fit the text."""
    shown: Shown


class Untraced(msgspec.Struct, frozen=True):
    """Why there is nothing to follow, in a sentence."""

    trouble: str


def trace(view: CaptureView, lane: int, start: int, end: int) -> Trace | Untraced:
    if view.tape is None or view.analysis is None:
        return Untraced("This capture is not analysed, so nothing can be traced.")
    if lane >= len(view.tape.lanes):
        return Untraced(f"There is no text {lane:,}: this capture has {len(view.tape.lanes):,}.")
    origins = Origins(view.tape, view.body)
    length = origins.length_u16(lane)
    if not start < end <= length:
        name = f"{lane_name(view.analysis, view.tape.lanes[lane])} of choice"
        name = f"{name} {view.tape.lanes[lane].choice}"
        return Untraced(f"{start:,} to {end:,} is no part of {name}: it is {length:,} long.")
    return _traced(view.analysis, view.tape, origins, (lane, start, end))


def _traced(analysis: Analysis, tape: Tape, origins: Origins, asked: tuple[int, int, int]) -> Trace:
    number, start, end = asked
    lane, positions = tape.lanes[number], origins.pieces_within(*asked)
    told = list(islice(origins.of(*asked), MOST_PIECES))
    if len(positions) > len(told):
        told.append(origins.origin(positions[-1], start, end))
    first, last = told[0], told[-1]
    events = sorted({tape.pieces.event[piece] for piece in positions})
    return Trace(
        lane=number,
        choice=lane.choice,
        kind=lane.kind,
        name=lane_name(analysis, lane),
        start=start,
        end=end,
        characters=_characters(analysis, tape, origins, asked),
        events=Extent(events[0], events[-1], len(events)) if analysis.streamed else None,
        listed=tuple(events) if analysis.streamed and len(events) <= MOST_LISTED else (),
        reads=Extent(first.read, last.read, last.read - first.read + 1),
        at_us=_at_us(first, last),
        bytes=_bytes_of(told),
        is_decoded=any(each.code in DECODED for each in analysis.findings),
        pieces=tuple(TracedPiece(o.event, o.start_u16, o.end_u16, o.byte_ranges) for o in told),
        left_out=len(positions) - len(told),
        tokens=_tokens(analysis, tape, origins, asked),
        shown=_shown(analysis, lane),
    )


def _at_us(first: Origin, last: Origin) -> tuple[int, int] | None:
    if first.at_us is None or last.at_us is None:
        return None
    return first.at_us, last.at_us


def _bytes_of(told: list[Origin]) -> Extent | None:
    ranges = [each for origin in told for each in origin.byte_ranges]
    if not ranges:
        return None
    first, last = min(start for start, _ in ranges), max(end for _, end in ranges) - 1
    return Extent(first, last, sum(end - start for start, end in ranges))


def _characters(
    analysis: Analysis, tape: Tape, origins: Origins, asked: tuple[int, int, int]
) -> Extent:
    """As people count them, in the text that the lane came to."""
    lane, start, end = asked
    text = lane_text(analysis, tape.lanes[lane])
    begins = tape.text_start_u16(lane)
    if text is None or start < begins:
        return Extent(start, end - 1, end - start)
    first, count = _length(text, 0, start - begins), _length(text, start - begins, end - begins)
    return Extent(first, first + count - 1, count)


def _length(text: str, start_u16: int, end_u16: int) -> int:
    """Characters between two places; half a surrogate pair is one."""
    if text.isascii():
        return end_u16 - start_u16
    units = text.encode("utf-16-le", "surrogatepass")[2 * start_u16 : 2 * end_u16]
    return len(units.decode("utf-16-le", "replace"))


def _tokens(
    analysis: Analysis, tape: Tape, origins: Origins, asked: tuple[int, int, int]
) -> Extent | None:
    lane = tape.lanes[asked[0]]
    choice = analysis.choice(lane.choice)
    is_append = lane.mode is LaneMode.APPEND
    if choice is None or not is_append or not known(choice.logprobs):
        return None
    place = _characters(analysis, tape, origins, asked)
    found = [token.position for token in _tokens_of(choice, lane) if _overlaps(token, place)]
    return Extent(found[0], found[-1], len(found)) if found else None


def _tokens_of(choice: Choice, lane: Lane) -> list[Token]:
    return [token for token in read_logprobs(choice).tokens if str(token.part) == str(lane.kind)]


def _overlaps(token: Token, place: Extent) -> bool:
    if token.start is None or token.end is None:
        return False
    return token.start <= place.last and place.first < token.end


def _shown(analysis: Analysis, lane: Lane) -> Shown:
    if lane.kind in CALLS:
        position = "f" if lane.kind is LaneKind.FUNCTION_CALL else lane.tool_call
        length = len(getattr(call_of(analysis, lane), "arguments_text", ""))
        mode = "whole" if length > CLIPPED else ""
        changes = {"tool_calls": mode, "call": f"{lane.choice}-{position}", "at": "", "item": ""}
        return Shown("tool_calls", changes)
    indexes = [choice.index for choice in analysis.choices]
    at = indexes.index(lane.choice) if lane.choice in indexes else 0
    start = str(at) if at >= MOST_CHOICES else ""
    return Shown("choices", {"choices": "", "choices_from": start})
