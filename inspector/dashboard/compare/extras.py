"""Compares fields that the format does not define, by what they belong to."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import islice

from inspector.core.json import Json
from inspector.dashboard.compare.fields import compare_values, is_single_choice, why_not_comparable
from inspector.dashboard.compare.section import ComparisonSection
from inspector.dashboard.compare.side import ComparedSide, Sides

MAX_EXTRAS = 2_000
"""Of each side."""


def compare_extras(sides: Sides) -> ComparisonSection:
    is_single = is_single_choice(sides)
    before, after = (
        dict(islice(extras_of(side, is_single=is_single), MAX_EXTRAS)) for side in sides
    )
    if not before and not after:
        why = "No field beyond the format on both."
        return ComparisonSection("extras", "Extras", why, count="none")
    # Where all fields are compared, their section has counted these already.
    noun = "extra field" if why_not_comparable(sides) else ""
    return compare_values("extras", "Extras", sides, (before, after), noun)


def extras_of(side: ComparedSide, *, is_single: bool) -> Iterator[tuple[str, Json]]:
    """Fields by what they belong to: the answer, a choice, a call, usage."""
    if side.analysis is None:
        return
    yield from named("answer", side.analysis.extras)
    yield from named("usage", side.analysis.usage.extras)
    for choice in side.choices:
        whose = "choice" if is_single else f"choice {choice.index}"
        yield from named(whose, choice.extras)
        for position, call in enumerate(choice.tool_calls, start=1):
            yield from named(f"{whose}, call {position}", call.extras)


def named(whose: str, extras: Mapping[str, Json]) -> Iterator[tuple[str, Json]]:
    return ((f"{whose} {pointer}", value) for pointer, value in extras.items())
