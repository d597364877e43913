"""Step charts: one level per slot, with gaps where the value is unknown.

One slot is 1 unit wide and heights are in pixels, so that SVG can stretch the width to the window.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from inspector.dashboard.charts.scale import LINE, Values, ValueScale
from inspector.formatting.humanize import css_percent

LABEL_SHARE = 0.2
"""Width that a label occupies, as a share of the chart."""
LATEST_START = 0.6
"""A label that would start further right is right-aligned to its point instead."""
ABOVE, HIGHEST = 7, 11
"""Pixels: a label above its line, and not out of the chart at the top."""


@dataclass(frozen=True, slots=True)
class StepLabel:
    """A label above a line."""

    place: float
    """Horizontal position in percent."""
    y: float
    text: str
    tone: str
    is_before: bool = False
    """True if the label ends at ``place`` instead of starting there."""

    @property
    def x(self) -> str:
        return css_percent(self.place)

    @property
    def at(self) -> str:
        return f"{self.y:.1f}"


@dataclass(frozen=True, slots=True)
class StepLines:
    """``line`` with an ``area`` below it, and ``other`` for a second amount that differs."""

    width: int
    line: str
    area: str
    other: str
    labels: tuple[StepLabel, ...]


def line_of(values: Values, scale: ValueScale) -> str:
    return " ".join(
        f"M{run.start} {scale.y(first_run(values, run))}{_levels(values, run, scale)}"
        for run in value_runs(values)
    )


def area_of(values: Values, scale: ValueScale) -> str:
    begins = {run: scale.y(first_run(values, run)) for run in value_runs(values)}
    return " ".join(
        f"M{run.start} {scale.height}V{begin}{_levels(values, run, scale)}V{scale.height}Z"
        for run, begin in begins.items()
    )


def branch_of(others: Values, values: Values, scale: ValueScale) -> str:
    """Path of the second amount where it differs, leaving the first line and returning to it."""
    return " ".join(_branches(others, values, scale))


def _branches(others: Values, values: Values, scale: ValueScale) -> Iterator[str]:
    for run in value_runs(others):
        before = values[run.start - 1] if run.start else None
        after = values[run.stop] if run.stop < len(values) else None
        begin = first_run(others, run) if before is None else before
        end = "" if after is None else f"V{scale.y(after)}"
        level = f"V{scale.y(first_run(others, run))}"
        yield f"M{run.start} {scale.y(begin)}{level}{_levels(others, run, scale)}{end}"


def value_runs(values: Values) -> Iterator[range]:
    """Yield ranges of consecutive slots that have a value."""
    begin = 0
    for at in range(len(values) + 1):
        if at == len(values) or values[at] is None:
            if begin < at:
                yield range(begin, at)
            begin = at + 1


def first_run(values: Values, run: range) -> int:
    value = values[run.start]
    assert value is not None, "a run has values only"
    return value


def label_of(
    text: str, tone: str, values: Values, scale: ValueScale, over: Sequence[Values]
) -> StepLabel:
    """Place a label at the line's first run, above everything drawn under its text."""
    run, number = next(value_runs(values)), len(values)
    wide = max(1, round(LABEL_SHARE * number))
    is_before = run.start > LATEST_START * number
    x = run.stop if is_before else run.start
    span = slice(max(0, x - wide), x) if is_before else slice(x, x + wide)
    highest = max(value for each in over for value in each[span] if value is not None)
    y = max(HIGHEST, float(scale.y(highest)) - ABOVE)
    return StepLabel(x * 100 / number, y, text, tone, is_before)


def separate_labels(labels: Sequence[StepLabel]) -> tuple[StepLabel, ...]:
    """Move overlapping labels apart: a later one goes above the first, or raises it."""
    if len(labels) < 2 or not _touch(*labels):
        return tuple(labels)
    below, above = labels
    y = max(HIGHEST, min(above.y, below.y - LINE))
    return replace(below, y=max(below.y, y + LINE)), replace(above, y=y)


def _touch(one: StepLabel, other: StepLabel) -> bool:
    starts = [each.place - each.is_before * 100 * LABEL_SHARE for each in (one, other)]
    return abs(starts[0] - starts[1]) < 100 * LABEL_SHARE and abs(one.y - other.y) < LINE


def _levels(values: Values, run: range, scale: ValueScale) -> str:
    """Return steps from the first slot of a run to its end."""
    rest = (f"V{scale.y(values[at] or 0)}H{at + 1}" for at in run[1:])
    return f"H{run.start + 1}{''.join(rest)}"
