"""Compares findings by rule code: the number of each on both sides."""

from collections import Counter

from inspector.core.findings import Finding
from inspector.dashboard.capture.findings.panel import sorted_findings
from inspector.dashboard.compare.section import (
    ComparisonCell,
    ComparisonRow,
    ComparisonSection,
    comparison_table,
    count_words,
    only_in_words,
)
from inspector.dashboard.compare.side import Sides
from inspector.formatting.humanize import plural
from inspector.formatting.invisible_characters import exact_segments


def compare_findings(sides: Sides) -> ComparisonSection:
    every = [side.analysis.findings if side.analysis else () for side in sides]
    before, after = (Counter(finding.code for finding in found) for found in every)
    firsts = {each.code: each for each in reversed(sorted_findings(sum(every, ())))}
    rows = [
        finding_row(each, before[each.code], after[each.code])
        for each in sorted_findings(tuple(firsts.values()))
    ]
    rows.sort(key=lambda row: row.is_same)
    differing = sum(row.differs for row in rows)
    alone = only_in_words(before, after, "finding")
    return ComparisonSection(
        slug="findings",
        title="Findings",
        sentence=findings_sentence(len(rows) - differing, len(rows)),
        content=comparison_table("Findings of each side", sides, rows) if rows else None,
        count=count_words(differing),
        clause=alone or ("" if before == after else "the same findings, not as often"),
    )


def findings_sentence(same: int, total: int) -> str:
    if not total:
        return "No finding on either side."
    if same == total:
        return f"The same on both: {plural(total, 'finding')}, by code."
    return f"{plural(same, 'finding')} the same on both." if same else ""


def finding_row(finding: Finding, before: int, after: int) -> ComparisonRow:
    return ComparisonRow(
        name=exact_segments(finding.code),
        cells=(number_cell(before), number_cell(after)),
        is_code=True,
        severity=str(finding.severity),
        aside=exact_segments(finding.message),
    )


def number_cell(number: int) -> ComparisonCell:
    if not number:
        return ComparisonCell("none", tone="faint")
    return ComparisonCell("once" if number == 1 else f"{number:,} times")
