"""Drawings of a session: its calls on one axis of time, and what fills the prompts. Positions are
percent of the width, so that they fit any window without a script.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from inspector.dashboard.sessions.words import span
from inspector.dashboard.text.section_words import SECTIONS
from inspector.formatting.humanize import css_percent, size
from inspector.sessions.queries import TurnRow

LANE_HEIGHT = 16
BAR_HEIGHT = 10
MAX_LANES = 30
"""Further threads are listed, and not drawn."""
LEAST_PERCENT = 0.15
"""A pixel and a half of a wide window: a call of milliseconds in a day is still seen."""
TICKS = 6
"""Their labels ("+12 min") stand side by side in a narrow window."""
FILL_HEIGHT = 100


@dataclass(frozen=True, slots=True)
class BarPart:
    """``kind``: wait, reasoning, answer or failed."""

    kind: str
    x: str
    width: str


@dataclass(frozen=True, slots=True)
class CallBar:
    number: int
    title: str
    y: int
    parts: tuple[BarPart, ...]


@dataclass(frozen=True, slots=True)
class AxisMark:
    x: str
    text: str


@dataclass(frozen=True, slots=True)
class CallAxis:
    height: int
    bars: tuple[CallBar, ...]
    marks: tuple[AxisMark, ...]
    lanes: int
    lanes_left_out: int

    @property
    def kinds(self) -> frozenset[str]:
        """Kinds of what is drawn, for the legend."""
        return frozenset(part.kind for bar in self.bars for part in bar.parts)


@dataclass(frozen=True, slots=True)
class FillArea:
    section: str
    words: str
    path: str


@dataclass(frozen=True, slots=True)
class FillChart:
    """``areas`` are in units of ``width`` by ``FILL_HEIGHT``, stacked from the bottom. ``calls``
    are the numbers of the steps with their places.
    """

    width: int
    height: int
    areas: tuple[FillArea, ...]
    calls: tuple[tuple[int, int], ...]
    most: str
    """The size of the largest prompt."""


@dataclass(frozen=True, slots=True)
class TimeScale:
    start: int
    length: int

    def percent(self, us: int) -> float:
        return 100 * (us - self.start) / self.length


def scale_of(turns: Sequence[TurnRow]) -> TimeScale:
    start = min(turn.call.start_us for turn in turns)
    end = max(turn.call.end_us for turn in turns)
    return TimeScale(start, max(end - start, 1))


def call_axis(turns: Sequence[TurnRow]) -> CallAxis | None:
    if not turns:
        return None
    lanes = list(dict.fromkeys(turn.lane for turn in turns))
    drawn = {lane: at for at, lane in enumerate(lanes[:MAX_LANES])}
    scale = scale_of(turns)
    return CallAxis(
        height=len(drawn) * LANE_HEIGHT,
        bars=tuple(
            CallBar(turn.number, _title(turn), y, tuple(call_parts(turn, scale)))
            for turn in turns
            if turn.lane in drawn
            for y in (drawn[turn.lane] * LANE_HEIGHT + (LANE_HEIGHT - BAR_HEIGHT) // 2,)
        ),
        marks=tuple(_marks(scale)),
        lanes=len(lanes),
        lanes_left_out=len(lanes) - len(drawn),
    )


def _marks(scale: TimeScale) -> Iterator[AxisMark]:
    for at in range(TICKS):
        us = scale.length * at // TICKS
        yield AxisMark(css_percent(100 * at / TICKS), f"+{span(us)}" if at else "0")


def _title(turn: TurnRow) -> str:
    length = f", {span(turn.duration_us)}" if turn.duration_us is not None else ""
    return f"{turn.number}: {turn.result}{length}"


def call_parts(turn: TurnRow, scale: TimeScale) -> Iterator[BarPart]:
    """Return waiting to the first token, reasoning, answer; of a call without times one part."""
    start, end = turn.call.start_us, turn.call.end_us
    if turn.call.has_failed:
        yield _part("failed", start, end, scale)
        return
    first = turn.first_token_us
    begins = [start if first is None else start + min(first, end - start)]
    reasoning = turn.first_reasoning_us
    if reasoning is not None and first is not None:
        begins.insert(0, start + min(reasoning, first))
    yield _part("wait", start, begins[0], scale) if begins[0] > start else _none(start, scale)
    if len(begins) > 1:
        yield _part("reasoning", begins[0], begins[1], scale)
    yield _part("answer", begins[-1], end, scale)


def _part(kind: str, start: int, end: int, scale: TimeScale) -> BarPart:
    width = max(scale.percent(end) - scale.percent(start), LEAST_PERCENT)
    x = min(scale.percent(start), 100 - width)
    return BarPart(kind, css_percent(x), css_percent(width))


def _none(start: int, scale: TimeScale) -> BarPart:
    return BarPart("wait", css_percent(scale.percent(start)), "0")


def fill_chart(turns: Sequence[TurnRow]) -> FillChart | None:
    """None where no prompt is known."""
    sizes = [{share.section: share.bytes for share in turn.fill} for turn in turns]
    most = max((sum(each.values()) for each in sizes), default=0)
    if not most:
        return None
    floor = [0.0] * len(sizes)
    areas = []
    for section, words in SECTIONS.items():
        top = [
            below + FILL_HEIGHT * each.get(section, 0) / most
            for below, each in zip(floor, sizes, strict=True)
        ]
        if top != floor:
            areas.append(FillArea(section, words, _area(floor, top)))
        floor = top
    calls = tuple(enumerate(turn.number for turn in turns))
    return FillChart(len(sizes), FILL_HEIGHT, tuple(areas), calls, size(most))


def _area(floor: Sequence[float], top: Sequence[float]) -> str:
    """Return steps along the top from left to right, and back along the bottom."""
    there = "".join(f"V{FILL_HEIGHT - y:.1f}H{x + 1}" for x, y in enumerate(top))
    back = "".join(f"V{FILL_HEIGHT - floor[x]:.1f}H{x}" for x in range(len(floor) - 1, -1, -1))
    return f"M0 {FILL_HEIGHT - floor[0]:.1f}{there}{back}Z"
