"""Compares which response headers came, whatever their values: those of ids, dates and limits
differ between any two responses.
"""

from __future__ import annotations

from inspector.core.wire.exchange import Headers
from inspector.dashboard.compare.column_heads import column_heads
from inspector.dashboard.compare.fields import MAX_KEYS, KeyComparison, PointerSet, key_row
from inspector.dashboard.compare.section import ComparisonSection, comparison_table
from inspector.dashboard.compare.side import ComparedSide
from inspector.dashboard.compare.usage_counts import merged_order
from inspector.dashboard.compare_links import all_sides_words, only_in_words, ordinal_words
from inspector.formatting.humanize import plural
from inspector.formatting.invisible_characters import exact_segments

TITLE = "Response headers"


def compare_headers(sides: tuple[ComparedSide, ...]) -> ComparisonSection:
    lacking = [side.position for side in sides if side.facts.headers is None]
    if lacking:
        why = f"Not compared: those of {ordinal_words(lacking)} are not known."
        return ComparisonSection("headers", TITLE, why, count="–")
    found = [names_of(side.facts.headers or ()) for side in sides]
    every = merged_order([list(each) for each in found])
    shared = [name for name in every if all(name in each for each in found)]
    everywhere = set(shared)
    rows = [key_row(name, found) for name in every if name not in everywhere]
    count_words = f"{plural(len(shared), 'header')} on {all_sides_words(len(sides))}"
    names = tuple(exact_segments(name) for name in shared[:MAX_KEYS])
    return ComparisonSection(
        slug="headers",
        title=TITLE,
        sentence=f"The same {count_words}, by name." if not rows else f"{count_words}, by name.",
        content=KeyComparison(
            comparison_table("Headers that are not on all sides", column_heads(sides), rows),
            names,
            len(shared) - len(names),
        ),
        count=f"{len(rows)}" if rows else "same",
        clauses=tuple(
            only_in_words(
                len(found[0].keys() - each.keys()),
                len(each.keys() - found[0].keys()),
                "header",
                sides[0].position,
                side.position,
            )
            for each, side in zip(found[1:], sides[1:], strict=True)
        ),
        form="keys",
    )


def names_of(headers: Headers) -> PointerSet:
    """In small letters: the case of a header's name says nothing (RFC 9110, section 5.1)."""
    return dict.fromkeys(name.lower() for name, _ in headers)
