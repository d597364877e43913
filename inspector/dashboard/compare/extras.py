"""Compares the fields that no format defines, also between formats that have nothing else in
common.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import islice

from msgspec import UNSET

from inspector.core.analysis import Analysis
from inspector.core.completion import Choice, Json
from inspector.dashboard.compare.column_heads import column_heads
from inspector.dashboard.compare.fields import by_weight, field_row, why_not_comparable
from inspector.dashboard.compare.section import (
    ComparisonSection,
    comparison_table,
    row_clauses,
)
from inspector.dashboard.compare.side import ComparedSide
from inspector.dashboard.compare.usage_counts import merged_order
from inspector.dashboard.compare_links import all_sides_words
from inspector.formatting.humanize import plural

MAX_EXTRAS = 2_000
"""Of each side."""


def compare_extras(sides: tuple[ComparedSide, ...]) -> ComparisonSection:
    is_single = all(len(side.choices) == 1 for side in sides)
    found = [dict(islice(extras_of(side, is_single=is_single), MAX_EXTRAS)) for side in sides]
    every = merged_order([list(each) for each in found])
    if not every:
        why = f"No field beyond the format on {all_sides_words(len(sides))}."
        return ComparisonSection("extras", "Extras", why, count="none")
    rows = [field_row(name, [each.get(name, UNSET) for each in found]) for name in every]
    visible = [row for row in rows if not row.is_same]
    differing = sum(row.differs for row in visible)
    same = len(rows) - len(visible)
    # Where all fields are compared, their section has counted these already.
    is_told = not why_not_comparable(sides)
    return ComparisonSection(
        slug="extras",
        title="Extras",
        sentence=f"{plural(same, 'field')} with the same value on {all_sides_words(len(sides))}.",
        content=comparison_table(
            "Fields beyond the format on each side", column_heads(sides), by_weight(visible)
        )
        if visible
        else None,
        count=f"{differing}" if differing else "same",
        clauses=()
        if is_told
        else row_clauses(rows, len(sides), "{} extra field differs", "{} extra fields differ"),
    )


def extras_of(side: ComparedSide, *, is_single: bool) -> Iterator[tuple[str, Json]]:
    """Fields by what they belong to: the answer, a choice, a call, usage."""
    if side.analysis is None:
        return
    yield from top_extras(side.analysis)
    for choice in side.choices:
        whose = "choice" if is_single else f"choice {choice.index}"
        yield from named(whose, choice.extras)
        yield from call_extras(whose, choice)


def top_extras(analysis: Analysis) -> Iterator[tuple[str, Json]]:
    yield from named("answer", analysis.extras)
    yield from named("usage", analysis.usage.extras)


def call_extras(whose: str, choice: Choice) -> Iterator[tuple[str, Json]]:
    for position, call in enumerate(choice.tool_calls, start=1):
        yield from named(f"{whose}, call {position}", call.extras)


def named(whose: str, extras: Mapping[str, Json]) -> Iterator[tuple[str, Json]]:
    return ((f"{whose} {pointer}", value) for pointer, value in extras.items())
