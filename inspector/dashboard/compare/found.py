"""Findings beside each other, by the code of their rule: how often each side has it."""

from __future__ import annotations

from collections import Counter

from inspector.core.findings import Finding
from inspector.dashboard.compare.counts import ordinals
from inspector.dashboard.compare.named import both, only
from inspector.dashboard.compare.section import Cell, Row, Section, table
from inspector.dashboard.compare.side import Side
from inspector.dashboard.marks import exact
from inspector.dashboard.panels.findings import sorted_findings
from inspector.dashboard.templatetags.formats import plural

NONE = "none"


def findings(sides: tuple[Side, ...]) -> Section:
    every = [side.analysis.findings if side.analysis else () for side in sides]
    counts = [Counter(finding.code for finding in found) for found in every]
    firsts = {each.code: each for each in reversed(sorted_findings(sum(every, ())))}
    ordered = [each.code for each in sorted_findings(tuple(firsts.values()))]
    rows = [finding_row(firsts[code], [each[code] for each in counts]) for code in ordered]
    differing = [row for row in rows if row.differs]
    same = [row for row in rows if not row.differs]
    return Section(
        slug="findings",
        title="Findings",
        sentence=sentence(len(same), len(rows), len(sides)),
        content=table("Findings of each side", ordinals(sides), (*differing, *same))
        if rows
        else None,
        count=f"{len(differing)}" if differing else "same",
        clauses=tuple(
            clause(counts[0], other, sides[0], side)
            for other, side in zip(counts[1:], sides[1:], strict=True)
        ),
    )


def sentence(same: int, total: int, sides: int) -> str:
    if not total:
        return f"No finding on {both(sides)} sides." if sides > 2 else "No finding on either side."
    if same == total:
        return f"The same on {both(sides)}: {plural(total, 'finding')}, by code."
    return f"{plural(same, 'code')} on {both(sides)}, as often." if same else ""


def finding_row(finding: Finding, numbers: list[int]) -> Row:
    return Row(
        name=exact(finding.code),
        cells=tuple(map(number_cell, numbers)),
        is_code=True,
        severity=str(finding.severity),
        aside=exact(finding.message),
    )


def number_cell(number: int) -> Cell:
    if not number:
        return Cell(NONE, tone="faint")
    return Cell("once" if number == 1 else f"{number:,} times")


def clause(first: Counter[str], other: Counter[str], before: Side, after: Side) -> str:
    gone, new = len(first.keys() - other.keys()), len(other.keys() - first.keys())
    if gone or new:
        return only(gone, new, "finding", before.position, after.position)
    return "" if first == other else "the same findings, not as often"
