"""Step charts: one level per slot, with gaps where the value is unknown.

One slot is 1 unit wide and heights are in pixels, so that SVG can stretch the width to the window.
"""

from collections.abc import Iterator
from dataclasses import dataclass

from inspector.dashboard.charts.scale import Values, ValueScale


@dataclass(frozen=True, slots=True)
class StepLines:
    """``line`` with an ``area`` below it."""

    width: int
    line: str
    area: str


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


def _levels(values: Values, run: range, scale: ValueScale) -> str:
    """Return steps from the first slot of a run to its end."""
    rest = (f"V{scale.y(values[at] or 0)}H{at + 1}" for at in run[1:])
    return f"H{run.start + 1}{''.join(rest)}"
