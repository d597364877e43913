"""Amounts over time as stepped lines: level for as long as a slot is, and none where none is known.

A step is as wide as 1 and as high as its pixels, so that whatever draws it stretches it to its
window.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from inspector.dashboard.ends import LINE
from inspector.dashboard.scale import Scale, Values
from inspector.dashboard.strip import percent

LABEL_SHARE = 0.2
"""Of the width, that a label stands over."""
LATEST_START = 0.6
"""Of the width: what would begin later ends where its line does."""
ABOVE, HIGHEST = 7, 11


@dataclass(frozen=True, slots=True)
class Label:
    """Words at a line, over what they stand above."""

    place: float
    """Percent of the width."""
    y: float
    text: str
    tone: str
    is_before: bool = False
    """Whether it ends at its place."""

    @property
    def x(self) -> str:
        return percent(self.place)

    @property
    def at(self) -> str:
        return f"{self.y:.1f}"


@dataclass(frozen=True, slots=True)
class Steps:
    """``line`` with an ``area`` below it, and ``other`` where there is another amount."""

    width: int
    line: str
    area: str
    other: str
    labels: tuple[Label, ...]


def line_of(values: Values, scale: Scale) -> str:
    return " ".join(
        f"M{run.start} {scale.y(first(values, run))}{_levels(values, run, scale)}"
        for run in runs(values)
    )


def area_of(values: Values, scale: Scale) -> str:
    begins = {run: scale.y(first(values, run)) for run in runs(values)}
    return " ".join(
        f"M{run.start} {scale.height}V{begin}{_levels(values, run, scale)}V{scale.height}Z"
        for run, begin in begins.items()
    )


def branch_of(others: Values, values: Values, scale: Scale) -> str:
    """Each from the line that it leaves, and back to it."""
    return " ".join(_branches(others, values, scale))


def _branches(others: Values, values: Values, scale: Scale) -> Iterator[str]:
    for run in runs(others):
        before = values[run.start - 1] if run.start else None
        after = values[run.stop] if run.stop < len(values) else None
        begin = first(others, run) if before is None else before
        end = "" if after is None else f"V{scale.y(after)}"
        level = f"V{scale.y(first(others, run))}"
        yield f"M{run.start} {scale.y(begin)}{level}{_levels(others, run, scale)}{end}"


def runs(values: Values) -> Iterator[range]:
    """Slots one after the other that have a value."""
    begin = 0
    for at in range(len(values) + 1):
        if at == len(values) or values[at] is None:
            if begin < at:
                yield range(begin, at)
            begin = at + 1


def first(values: Values, run: range) -> int:
    value = values[run.start]
    assert value is not None, "a run has values only"
    return value


def label_of(text: str, tone: str, values: Values, scale: Scale, over: Sequence[Values]) -> Label:
    """At the first run, above all that lies under the words; of lines that are there."""
    run, number = next(runs(values)), len(values)
    wide = max(1, round(LABEL_SHARE * number))
    is_before = run.start > LATEST_START * number
    x = run.stop if is_before else run.start
    span = slice(max(0, x - wide), x) if is_before else slice(x, x + wide)
    highest = max(value for each in over for value in each[span] if value is not None)
    y = max(HIGHEST, float(scale.y(highest)) - ABOVE)
    return Label(x * 100 / number, y, text, tone, is_before)


def apart(labels: Sequence[Label]) -> tuple[Label, ...]:
    """The first stays, and what would stand on it stands above it; or it makes room itself."""
    if len(labels) < 2 or not _touch(*labels):
        return tuple(labels)
    below, above = labels
    y = max(HIGHEST, min(above.y, below.y - LINE))
    return replace(below, y=max(below.y, y + LINE)), replace(above, y=y)


def _touch(one: Label, other: Label) -> bool:
    starts = [each.place - each.is_before * 100 * LABEL_SHARE for each in (one, other)]
    return abs(starts[0] - starts[1]) < 100 * LABEL_SHARE and abs(one.y - other.y) < LINE


def _levels(values: Values, run: range, scale: Scale) -> str:
    """From the first of a run to its end."""
    rest = (f"V{scale.y(values[at] or 0)}H{at + 1}" for at in run[1:])
    return f"H{run.start + 1}{''.join(rest)}"
