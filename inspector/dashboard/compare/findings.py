"""Compares findings by rule code: the number of each on every side."""

from __future__ import annotations

from collections import Counter

from inspector.core.findings import Finding
from inspector.dashboard.capture.panels.findings import sorted_findings
from inspector.dashboard.compare.column_heads import column_heads
from inspector.dashboard.compare.section import (
    ComparisonCell,
    ComparisonRow,
    ComparisonSection,
    comparison_table,
)
from inspector.dashboard.compare.side import ComparedSide
from inspector.dashboard.compare_links import all_sides_words, only_in_words
from inspector.formatting.humanize import plural
from inspector.formatting.invisible_characters import exact_segments

NONE = "none"


def compare_findings(sides: tuple[ComparedSide, ...]) -> ComparisonSection:
    every = [side.analysis.findings if side.analysis else () for side in sides]
    counts = [Counter(finding.code for finding in found) for found in every]
    firsts = {each.code: each for each in reversed(sorted_findings(sum(every, ())))}
    ordered = [each.code for each in sorted_findings(tuple(firsts.values()))]
    rows = [finding_row(firsts[code], [each[code] for each in counts]) for code in ordered]
    differing = [row for row in rows if row.differs]
    same = [row for row in rows if not row.differs]
    return ComparisonSection(
        slug="findings",
        title="Findings",
        sentence=findings_sentence(len(same), len(rows), len(sides)),
        content=comparison_table("Findings of each side", column_heads(sides), (*differing, *same))
        if rows
        else None,
        count=f"{len(differing)}" if differing else "same",
        clauses=tuple(
            findings_clause(counts[0], other, sides[0], side)
            for other, side in zip(counts[1:], sides[1:], strict=True)
        ),
    )


def findings_sentence(same: int, total: int, sides: int) -> str:
    if not total:
        return (
            f"No finding on {all_sides_words(sides)} sides."
            if sides > 2
            else "No finding on either side."
        )
    if same == total:
        return f"The same on {all_sides_words(sides)}: {plural(total, 'finding')}, by code."
    return f"{plural(same, 'code')} on {all_sides_words(sides)}, as often." if same else ""


def finding_row(finding: Finding, numbers: list[int]) -> ComparisonRow:
    return ComparisonRow(
        name=exact_segments(finding.code),
        cells=tuple(map(number_cell, numbers)),
        is_code=True,
        severity=str(finding.severity),
        aside=exact_segments(finding.message),
    )


def number_cell(number: int) -> ComparisonCell:
    if not number:
        return ComparisonCell(NONE, tone="faint")
    return ComparisonCell("once" if number == 1 else f"{number:,} times")


def findings_clause(
    first: Counter[str], other: Counter[str], before: ComparedSide, after: ComparedSide
) -> str:
    gone, new = len(first.keys() - other.keys()), len(other.keys() - first.keys())
    if gone or new:
        return only_in_words(gone, new, "finding", before.position, after.position)
    return "" if first == other else "the same findings, not as often"
