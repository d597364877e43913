"""A small timing bar for one response, computed from the list's columns alone."""

from dataclasses import dataclass

from inspector.archive.listing.capture_values import CaptureRow
from inspector.formatting.verdicts import VerdictTone, verdict_label

WIDTH = 128
"""Pixels of the drawing, less its margins."""
SCALE_US = 12_000_000
"""One scale for all rows, so that lengths compare; a bar beyond it is marked."""


@dataclass(frozen=True, slots=True)
class ShapeBar:
    """``kind`` is reasoning, content, tool, or flat if only the duration is known."""

    kind: str
    x: float
    width: float


@dataclass(frozen=True, slots=True)
class ResponseShape:
    words: str
    """Accessible description of the bar."""
    wait: float = 0
    bars: tuple[ShapeBar, ...] = ()
    stall: tuple[float, float] | None = None
    end: float | None = None
    cut: bool = False
    beyond: bool = False
    """True if the response took longer than the scale."""


def response_shape_of(row: CaptureRow) -> ResponseShape | None:
    """Build the bar; None if there are no times."""
    if row.duration_us is None:
        return None
    starts = kinds_in_order(row)
    stall = stall_of(row)
    return ResponseShape(
        words=words(row, starts),
        wait=scaled(starts[0][1] if starts else row.duration_us if not row.streamed else 0),
        bars=tuple(bars(starts, row, stall)),
        stall=stall and (scaled(stall[0]), scaled(stall[1])),
        end=scaled(row.duration_us),
        cut=verdict_label(row.state, row.verdict).tone
        in (VerdictTone.BROKEN, VerdictTone.CANCELLED),
        beyond=row.duration_us > SCALE_US,
    )


def running_shape(first_us: int | None, last_us: int | None) -> ResponseShape | None:
    """Return the bar of a response still recorded, to its last byte so far; None while
    nothing is.
    """
    if first_us is None or last_us is None:
        return None
    start = scaled(first_us)
    return ResponseShape(
        words=f"bytes from {first_us / 1e6:.2f} s, still recorded",
        wait=start,
        bars=(ShapeBar("flat", start, max(round(scaled(last_us) - start, 1), 1)),),
    )


def scaled(us: int) -> float:
    return round(min(us, SCALE_US) * WIDTH / SCALE_US, 1)


def kinds_in_order(row: CaptureRow) -> list[tuple[str, int]]:
    """Kinds of output in order of their first time; each lasts until the next begins."""
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
) -> list[ShapeBar]:
    found: list[ShapeBar] = []
    ends = [*(at_us for _, at_us in starts[1:]), row.duration_us or 0]
    for (kind, start), end in zip(starts, ends, strict=False):
        for begin, finish in without_stall(start, end, stall):
            x = scaled(begin)
            width = round(scaled(finish) - x, 1)
            if width > 0 or begin < SCALE_US:
                found.append(ShapeBar(kind, x, max(width, 1)))
    return found


def without_stall(start: int, end: int, stall: tuple[int, int] | None) -> list[tuple[int, int]]:
    """Cut the stall out of an interval."""
    if stall is None or stall[1] <= start or stall[0] >= end:
        return [(start, end)]
    pieces = [(start, stall[0]), (stall[1], end)]
    return [(a, b) for a, b in pieces if b > a]


def words(row: CaptureRow, starts: list[tuple[str, int]]) -> str:
    parts = [f"{kind} from {at_us / 1e6:.2f} s" for kind, at_us in starts if kind != "flat"]
    if stall := stall_of(row):
        parts.append(f"a stall of {(stall[1] - stall[0]) / 1e6:.2f} s")
    return ", ".join([*parts, f"ends at {(row.duration_us or 0) / 1e6:.2f} s"])
