"""Chart of the number of open brackets after each chunk of a call's arguments."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from math import ceil

import msgspec

from inspector.core.completion import FunctionCall, ToolCall
from inspector.core.json.prefix import JsonPrefix
from inspector.core.tape import LaneMode, length_u16
from inspector.dashboard.capture.page.provenance import Provenance


class DepthStep(msgspec.Struct, frozen=True):
    """State after one piece. ``is_whole``: the text so far is a JSON text. ``is_broken``: it can no
    longer become one; ``depth`` is then the depth at the break.
    """

    depth: int
    is_in_string: bool
    is_whole: bool
    is_broken: bool


def depth_steps(pieces: Iterable[str]) -> Iterator[DepthStep]:
    """Yield one step per piece. Linear in the text."""
    prefix = JsonPrefix()
    for piece in pieces:
        prefix.feed(piece)
        is_broken = prefix.broken_at is not None
        yield DepthStep(prefix.depth, prefix.is_in_string, prefix.is_whole, is_broken)


def pieces_of(text: str, starts_u16: Sequence[int]) -> Iterator[str]:
    """Split a text at the starts of its pieces, in UTF-16 units as on the tape."""
    units = text.encode("utf-16-le", "surrogatepass")
    ends = (*starts_u16[1:], len(units) // 2)
    for start, end in zip(starts_u16, ends, strict=True):
        yield units[2 * start : 2 * end].decode("utf-16-le", "surrogatepass")


MAX_COLUMNS = 120
"""A chart of the panel's width: of more steps several share a column."""
MAX_CHARACTERS = 300_000
"""As of the tree (`panel.MAX_SCANNED`)."""
WIDTH, HEIGHT = 10, 36
"""Size of a column and of the chart, in SVG units."""


@dataclass(frozen=True, slots=True)
class DepthColumn:
    """Depth after one chunk, or the maximum over several chunks."""

    first_event: int
    last_event: int
    chunks: int
    depth: int
    kind: str
    """``text`` inside a string, ``broken`` if the text can no longer become JSON, else ""."""
    x: int
    y: float
    height: float


@dataclass(frozen=True, slots=True)
class BracketDepthChart:
    columns: tuple[DepthColumn, ...]
    levels: tuple[float, ...]
    """Heights of the grid lines."""
    deepest: int
    chunks: int
    still_open: int
    whole_at: int | None
    """Event after which the text was complete JSON, if it stayed so to the end."""

    @property
    def width(self) -> int:
        return len(self.columns) * WIDTH


def bracket_depth_chart(
    call: ToolCall | FunctionCall, lane: int | None, provenance: Provenance | None
) -> BracketDepthChart | None:
    """Build the chart; None if it would be trivial (one bracket) or without a stream."""
    if provenance is None or lane is None or len(call.arguments_text) > MAX_CHARACTERS:
        return None
    tape, pieces = provenance.tape, provenance.lane_pieces[lane]
    if tape.lanes[lane].mode is not LaneMode.APPEND or not pieces:
        return None
    last = pieces[-1]
    if tape.pieces.start_u16[last] + tape.pieces.length_u16[last] != length_u16(
        call.arguments_text
    ):
        return None
    starts = [tape.pieces.start_u16[piece] for piece in pieces]
    steps = list(depth_steps(pieces_of(call.arguments_text, starts)))
    if len({step.depth for step in steps if step.depth}) < 2:
        return None
    return depth_columns(steps, [tape.pieces.event[piece] for piece in pieces])


def depth_columns(steps: list[DepthStep], events: list[int]) -> BracketDepthChart:
    deepest = max(step.depth for step in steps)
    together = ceil(len(steps) / MAX_COLUMNS)
    is_open = steps[-1].depth > 0 or not steps[-1].is_whole
    columns = [
        depth_column(number, steps[at : at + together], events[at : at + together], deepest)
        for number, at in enumerate(range(0, len(steps), together))
    ]
    if is_open:
        columns[-1] = replace(columns[-1], kind="broken")
    whole = [step.is_whole for step in steps]
    return BracketDepthChart(
        columns=tuple(columns),
        levels=tuple(HEIGHT - level * HEIGHT / deepest for level in range(1, deepest))
        if deepest <= 6
        else (),
        deepest=deepest,
        chunks=len(steps),
        still_open=steps[-1].depth,
        whole_at=events[whole.index(True)] if whole[-1] else None,
    )


def depth_column(
    number: int, steps: list[DepthStep], events: list[int], deepest: int
) -> DepthColumn:
    depth = max(step.depth for step in steps)
    height = max(depth * HEIGHT / deepest, 1)
    kind = "text" if steps[-1].is_in_string else ""
    return DepthColumn(
        first_event=events[0],
        last_event=events[-1],
        chunks=len(steps),
        depth=depth,
        kind="broken" if steps[-1].is_broken else kind,
        x=number * WIDTH,
        y=round(HEIGHT - height, 1),
        height=round(height, 1),
    )
