"""How many brackets were open after each chunk of a call's arguments, as columns of a drawing."""

from __future__ import annotations

from dataclasses import dataclass, replace
from math import ceil

from inspector.core.completion import FunctionCall, ToolCall
from inspector.core.tape import LaneMode
from inspector.core.tool_calls.growth import Step, growth, pieces_of
from inspector.dashboard.provenance import Provenance, u16_length

MOST_COLUMNS = 120
MAX_CHARACTERS = 300_000
WIDTH, HEIGHT = 10, 36
"""Of a column and of the drawing, in its own units."""


@dataclass(frozen=True, slots=True)
class Column:
    """What one chunk left open; of several chunks, what they had open at most."""

    first_event: int
    last_event: int
    chunks: int
    depth: int
    kind: str
    """``text`` inside a string, ``broken`` where no JSON can come of it any more, else empty."""
    x: int
    y: float
    height: float


@dataclass(frozen=True, slots=True)
class Growth:
    columns: tuple[Column, ...]
    levels: tuple[float, ...]
    """Heights of the lines behind the columns."""
    deepest: int
    chunks: int
    still_open: int
    whole_at: int | None
    """The event after which the text was JSON, where it stayed so until its end."""

    @property
    def width(self) -> int:
        return len(self.columns) * WIDTH

    @property
    def middle(self) -> Column:
        return self.columns[len(self.columns) // 2]


def growth_of(
    call: ToolCall | FunctionCall, lane: int | None, provenance: Provenance | None
) -> Growth | None:
    """None where there is little to see: one bracket that opens and closes, or no stream."""
    if provenance is None or lane is None or len(call.arguments_text) > MAX_CHARACTERS:
        return None
    tape, pieces = provenance.tape, provenance.lane_pieces[lane]
    if tape.lanes[lane].mode is not LaneMode.APPEND or not pieces:
        return None
    last = pieces[-1]
    if tape.pieces.start_u16[last] + tape.pieces.length_u16[last] != u16_length(
        call.arguments_text
    ):
        return None
    starts = [tape.pieces.start_u16[piece] for piece in pieces]
    steps = list(growth(pieces_of(call.arguments_text, starts)))
    if len({step.depth for step in steps if step.depth}) < 2:
        return None
    return drawn(steps, [tape.pieces.event[piece] for piece in pieces])


def drawn(steps: list[Step], events: list[int]) -> Growth:
    deepest = max(step.depth for step in steps)
    together = ceil(len(steps) / MOST_COLUMNS)
    is_open = steps[-1].depth > 0 or not steps[-1].is_whole
    columns = [
        column(number, steps[at : at + together], events[at : at + together], deepest)
        for number, at in enumerate(range(0, len(steps), together))
    ]
    if is_open:
        columns[-1] = replace(columns[-1], kind="broken")
    whole = [step.is_whole for step in steps]
    return Growth(
        columns=tuple(columns),
        levels=tuple(HEIGHT - level * HEIGHT / deepest for level in range(1, deepest))
        if deepest <= 6
        else (),
        deepest=deepest,
        chunks=len(steps),
        still_open=steps[-1].depth,
        whole_at=events[whole.index(True)] if whole[-1] else None,
    )


def column(number: int, steps: list[Step], events: list[int], deepest: int) -> Column:
    depth = max(step.depth for step in steps)
    height = max(depth * HEIGHT / deepest, 1)
    kind = "text" if steps[-1].is_in_string else ""
    return Column(
        first_event=events[0],
        last_event=events[-1],
        chunks=len(steps),
        depth=depth,
        kind="broken" if steps[-1].is_broken else kind,
        x=number * WIDTH,
        y=round(HEIGHT - height, 1),
        height=round(height, 1),
    )
