"""The shape of a response on one shared scale, from the narrow columns of a row alone."""

from __future__ import annotations

from dataclasses import dataclass

from inspector.archive.values import CaptureRow
from inspector.dashboard.verdicts import Tone, word_for

WIDTH = 128
SCALE_US = 12_000_000


@dataclass(frozen=True, slots=True)
class Bar:
    """``kind``: reasoning, content, tool, or flat where only the whole time is known."""

    kind: str
    x: float
    width: float


@dataclass(frozen=True, slots=True)
class Shape:
    words: str
    """What the drawing says, for those who do not see it."""
    wait: float = 0
    bars: tuple[Bar, ...] = ()
    stall: tuple[float, float] | None = None
    end: float | None = None
    cut: bool = False
    beyond: bool = False
    """Longer than the scale."""


def shape_of(row: CaptureRow) -> Shape | None:
    """None where there are no times to draw."""
    if row.duration_us is None:
        return None
    starts = kinds_in_order(row)
    stall = stall_of(row)
    return Shape(
        words=words(row, starts),
        wait=scaled(starts[0][1] if starts else row.duration_us if not row.streamed else 0),
        bars=tuple(bars(starts, row, stall)),
        stall=stall and (scaled(stall[0]), scaled(stall[1])),
        end=scaled(row.duration_us),
        cut=word_for(row.state, row.verdict).tone in (Tone.BROKEN, Tone.CANCELLED),
        beyond=row.duration_us > SCALE_US,
    )


def scaled(us: int) -> float:
    return round(min(us, SCALE_US) * WIDTH / SCALE_US, 1)


def kinds_in_order(row: CaptureRow) -> list[tuple[str, int]]:
    """Each kind of text from the moment it first came, until the next kind begins."""
    if not row.streamed:
        return []
    known = [
        ("reasoning", row.first_reasoning_us),
        ("content", row.first_content_us),
        ("tool", row.first_tool_call_us),
    ]
    starts = [(kind, at_us) for kind, at_us in known if at_us is not None]
    if not starts and row.clock == "partial":
        return [("flat", 0)]
    return sorted(starts, key=lambda start: start[1])


def stall_of(row: CaptureRow) -> tuple[int, int] | None:
    if row.stall_start_us is None or row.stall_end_us is None:
        return None
    return row.stall_start_us, row.stall_end_us


def bars(
    starts: list[tuple[str, int]], row: CaptureRow, stall: tuple[int, int] | None
) -> list[Bar]:
    found: list[Bar] = []
    ends = [*(at_us for _, at_us in starts[1:]), row.duration_us or 0]
    for (kind, start), end in zip(starts, ends, strict=False):
        for begin, finish in without(start, end, stall):
            x = scaled(begin)
            width = round(scaled(finish) - x, 1)
            if width > 0 or begin < SCALE_US:
                found.append(Bar(kind, x, max(width, 1)))
    return found


def without(start: int, end: int, stall: tuple[int, int] | None) -> list[tuple[int, int]]:
    """A stretch of time with the stall taken out of it."""
    if stall is None or stall[1] <= start or stall[0] >= end:
        return [(start, end)]
    pieces = [(start, stall[0]), (stall[1], end)]
    return [(a, b) for a, b in pieces if b > a]


def words(row: CaptureRow, starts: list[tuple[str, int]]) -> str:
    said = [f"{kind} from {at_us / 1e6:.2f} s" for kind, at_us in starts if kind != "flat"]
    if stall := stall_of(row):
        said.append(f"a stall of {(stall[1] - stall[0]) / 1e6:.2f} s")
    return ", ".join([*said, f"ends at {(row.duration_us or 0) / 1e6:.2f} s"])
