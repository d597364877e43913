"""A window of the events of one stream, as they came."""

from typing import Annotated, Any

import msgspec
from msgspec import Meta

from api.captures.parts import readout_of
from api.lookup import require_inspected
from inspector.core.tape import Tape
from inspector.mcp.arguments import CaptureId, opened_capture
from inspector.mcp.bounds import shortened
from inspector.mcp.tool import Tool
from inspector.teams.access import Principal

MAX_EVENTS, EVENTS = 100, 20
"""Events of one answer at most, and where no number is asked for."""
EVENT_CHARACTERS = 1_000
"""Characters of one event; `bytes` names the place to read the rest at."""


class EventsArguments(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    id: CaptureId
    first: Annotated[int, Meta(ge=0, description="number of the first event, from 0")] = 0
    limit: Annotated[int, Meta(ge=1, le=MAX_EVENTS)] = EVENTS


def events(principal: Principal, given: EventsArguments) -> dict[str, Any]:
    capture = opened_capture(principal, given.id, with_evidence=True)
    require_inspected(capture.row.state)
    tape = readout_of(capture).tape
    assert tape is not None, "what has none raises an error"
    total, body = len(tape.events.kind), capture.body
    window = range(given.first, min(given.first + given.limit, total))
    return {"events": [_event(tape, body, each) for each in window], "total": total}


def _event(tape: Tape, body: bytes, number: int) -> dict[str, Any]:
    start, end = tape.events.byte_start[number], tape.events.byte_end[number]
    # One character takes four bytes at most.
    raw = body[start : min(end, start + 4 * EVENT_CHARACTERS)].decode(errors="replace")
    return {
        "event": number,
        "kind": str(tape.events.kind[number]),
        "at_us": tape.arrival_us(number),
        "bytes": [start, end],
        "raw": shortened(raw, EVENT_CHARACTERS),
    }


TOOL = Tool(
    name="read_events",
    title="Read events of a stream",
    description=(
        "A window of the events of one stream as they came over the wire: the raw text of each,"
        " its kind, its bytes and its time in microseconds since the request. A body that was not"
        " streamed is one event."
    ),
    arguments=EventsArguments,
    run=events,
)
