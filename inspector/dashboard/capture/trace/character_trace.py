"""Traces characters of a lane to their events, reads, times, bytes and tokens.

Offsets are UTF-16 units of the lane, as in browser selections and the tape; only ``characters``
counts code points. Event and read numbers are 0-based as on the tape.
"""

from collections.abc import Mapping
from itertools import islice

import msgspec

from inspector.core.analysis import Analysis
from inspector.core.completion import Choice, known
from inspector.core.fields.logprobs import LogprobToken, read_logprobs
from inspector.core.provenance import Origin, Origins
from inspector.core.tape import Lane, LaneKind, LaneMode, Tape
from inspector.dashboard.capture.choices.panel import MAX_CHOICES
from inspector.dashboard.capture.page.block_texts import block_texts
from inspector.dashboard.capture.page.capture_view import CaptureView
from inspector.dashboard.capture.tool_calls.argument_text import CLIPPED_CHARACTERS
from inspector.formatting.lanes import TEXT_KINDS, LaneTexts, call_of

MAX_PIECES = 400
"""Pieces of one selection listed individually with their bytes."""
MAX_LISTED = 8
"""With more events, only the first and the last are named."""
DECODED = ("framing.coded", "framing.coding-undeclared")
CALLS = (LaneKind.TOOL_CALL, LaneKind.FUNCTION_CALL)


class FirstAndLast(msgspec.Struct, frozen=True):
    """First and last of a series, both inclusive."""

    first: int
    last: int
    count: int


class TracedPiece(msgspec.Struct, frozen=True):
    """``bytes`` are ranges of the body with exclusive ends; empty if unknown."""

    event: int
    start: int
    end: int
    bytes: tuple[tuple[int, int], ...]


class TracedPanel(msgspec.Struct, frozen=True):
    """The panel that shows the characters, and its query parameters."""

    panel: str
    changes: Mapping[str, str]


class CharacterTrace(msgspec.Struct, frozen=True, kw_only=True):
    lane: int
    choice: int
    kind: LaneKind
    name: str
    start: int
    end: int
    characters: FirstAndLast
    events: FirstAndLast | None
    """None for a whole body, which has no events."""
    event_numbers: tuple[int, ...]
    """Event numbers, if there are few."""
    reads: FirstAndLast
    at_us: tuple[int, int] | None
    """Arrival of the first and last event in microseconds; None if times were not recorded."""
    bytes: FirstAndLast | None
    """``count`` is the number of bytes that spell the listed pieces."""
    is_decoded: bool
    """True if the body was compressed: offsets then refer to the decompressed bytes."""
    pieces: tuple[TracedPiece, ...]
    omitted: int
    """Number of pieces not listed; the last one always is."""
    tokens: FirstAndLast | None
    """Token positions, if logprobs were sent and match the text."""
    display: TracedPanel


class Untraced(msgspec.Struct, frozen=True):
    """A sentence that says why the selection cannot be traced."""

    trouble: str


def trace_lane_range(
    view: CaptureView, lane: int, start: int, end: int
) -> CharacterTrace | Untraced:
    if view.tape is None or view.analysis is None:
        return Untraced("This capture is not analysed, so nothing can be traced.")
    if lane >= len(view.tape.lanes):
        return Untraced(f"There is no text {lane:,}: this capture has {len(view.tape.lanes):,}.")
    origins = Origins(view.tape, view.body)
    length = origins.length_u16(lane)
    if not start < end <= length:
        name = LaneTexts(view.analysis).name(lane, view.tape.lanes[lane])
        name = f"{name} of choice {view.tape.lanes[lane].choice}"
        return Untraced(f"{start:,} to {end:,} is no part of {name}: it is {length:,} long.")
    return _trace_range(view.analysis, view.tape, origins, (lane, start, end))


def _trace_range(
    analysis: Analysis, tape: Tape, origins: Origins, selection: tuple[int, int, int]
) -> CharacterTrace:
    number, start, end = selection
    lane, positions = tape.lanes[number], origins.pieces_within(*selection)
    origins_found = list(islice(origins.of(*selection), MAX_PIECES))
    if len(positions) > len(origins_found):
        origins_found.append(origins.origin(positions[-1], start, end))
    first, last = origins_found[0], origins_found[-1]
    events = sorted({tape.pieces.event[piece] for piece in positions})
    return CharacterTrace(
        lane=number,
        choice=lane.choice,
        kind=lane.kind,
        name=LaneTexts(analysis).name(number, lane),
        start=start,
        end=end,
        characters=_characters(analysis, tape, origins, selection),
        events=FirstAndLast(events[0], events[-1], len(events)) if analysis.streamed else None,
        event_numbers=tuple(events) if analysis.streamed and len(events) <= MAX_LISTED else (),
        reads=FirstAndLast(first.read, last.read, last.read - first.read + 1),
        at_us=_at_us(first, last),
        bytes=_bytes_of(origins_found),
        is_decoded=any(each.code in DECODED for each in analysis.findings),
        pieces=tuple(
            TracedPiece(o.event, o.start_u16, o.end_u16, o.byte_ranges) for o in origins_found
        ),
        omitted=len(positions) - len(origins_found),
        tokens=_tokens(analysis, tape, origins, selection),
        display=_traced_panel(analysis, lane),
    )


def _at_us(first: Origin, last: Origin) -> tuple[int, int] | None:
    if first.at_us is None or last.at_us is None:
        return None
    return first.at_us, last.at_us


def _bytes_of(origins_found: list[Origin]) -> FirstAndLast | None:
    ranges = [each for origin in origins_found for each in origin.byte_ranges]
    if not ranges:
        return None
    first, last = min(start for start, _ in ranges), max(end for _, end in ranges) - 1
    return FirstAndLast(first, last, sum(end - start for start, end in ranges))


def _characters(
    analysis: Analysis, tape: Tape, origins: Origins, selection: tuple[int, int, int]
) -> FirstAndLast:
    """Count code points in the lane's final text."""
    lane, start, end = selection
    text = LaneTexts(analysis).text(lane, tape.lanes[lane])
    begins = tape.text_start_u16(lane)
    if text is None or start < begins:
        return FirstAndLast(start, end - 1, end - start)
    first, count = _length(text, 0, start - begins), _length(text, start - begins, end - begins)
    return FirstAndLast(first, first + count - 1, count)


def _length(text: str, start_u16: int, end_u16: int) -> int:
    """Code points between two offsets; half a surrogate pair counts as one."""
    if text.isascii():
        return end_u16 - start_u16
    units = text.encode("utf-16-le", "surrogatepass")[2 * start_u16 : 2 * end_u16]
    return len(units.decode("utf-16-le", "replace"))


def _tokens(
    analysis: Analysis, tape: Tape, origins: Origins, selection: tuple[int, int, int]
) -> FirstAndLast | None:
    lane = tape.lanes[selection[0]]
    choice = analysis.choice(lane.choice)
    is_append = lane.mode is LaneMode.APPEND
    if choice is None or not is_append or not known(choice.logprobs):
        return None
    place = _in_choice(choice, selection[0], _characters(analysis, tape, origins, selection))
    found = [token.position for token in _tokens_of(choice, lane) if _overlaps(token, place)]
    return FirstAndLast(found[0], found[-1], len(found)) if found else None


def _in_choice(choice: Choice, lane: int, place: FirstAndLast) -> FirstAndLast:
    """Return counts in the text of the choice, of which the lane may be one block."""
    texts = [each for kind in TEXT_KINDS for each in block_texts(choice, kind)]
    begins = (each.begin for each in texts if each.block.lane == lane)
    begin = next(begins, 0)
    return FirstAndLast(begin + place.first, begin + place.last, place.count)


def _tokens_of(choice: Choice, lane: Lane) -> list[LogprobToken]:
    return [token for token in read_logprobs(choice).tokens if str(token.part) == str(lane.kind)]


def _overlaps(token: LogprobToken, place: FirstAndLast) -> bool:
    if token.start is None or token.end is None:
        return False
    return token.start <= place.last and place.first < token.end


def _traced_panel(analysis: Analysis, lane: Lane) -> TracedPanel:
    if lane.kind in CALLS:
        position = "f" if lane.kind is LaneKind.FUNCTION_CALL else lane.tool_call
        length = len(getattr(call_of(analysis, lane), "arguments_text", ""))
        mode = "whole" if length > CLIPPED_CHARACTERS else ""
        changes = {"tool_calls": mode, "call": f"{lane.choice}-{position}", "at": "", "item": ""}
        return TracedPanel("tool_calls", changes)
    indexes = [choice.index for choice in analysis.choices]
    at = indexes.index(lane.choice) if lane.choice in indexes else 0
    start = str(at) if at >= MAX_CHOICES else ""
    return TracedPanel("choices", {"choices": "", "choices_from": start})
