"""What the rules remarked, the worst first, each with the places that show it."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import groupby

from inspector.core.analysis import Repair
from inspector.core.findings import Finding, Severity, Where
from inspector.core.rules import rules
from inspector.core.rules.rule import Rule
from inspector.dashboard.capture_view import CaptureView
from inspector.dashboard.marks import Segment, exact
from inspector.dashboard.panel import Drawn, Panel
from inspector.dashboard.panels import unread
from inspector.dashboard.panels.raw import place, visible
from inspector.dashboard.wire import json_text

GROUPED = 5
"""More findings of one code than this are one row with a count."""
MOST_PLACES = 50
PANEL_BY_STEP = (
    ("tool_calls", "tool_calls"),
    ("function_call", "tool_calls"),
    ("usage", "usage"),
    ("logprobs", "logprobs"),
    ("feedback_token", "feedback"),
    ("cost_usd", "feedback"),
    ("duration_seconds", "feedback"),
    ("choices", "choices"),
)
RANK = {Severity.ERROR: 0, Severity.WARNING: 1, Severity.INFO: 2}


@dataclass(frozen=True, slots=True)
class Place:
    event: int | None
    byte: int | None
    pointer: str | None
    panel: str
    """Where the pointed-at value is shown."""
    on_page: bool
    """Its line is among those that the raw panel shows."""


@dataclass(frozen=True, slots=True)
class ShownFinding:
    severity: str
    code: str
    breaks: str
    message: tuple[Segment, ...]
    places: tuple[Place, ...]
    number: int
    left_out: int


@dataclass(frozen=True, slots=True)
class ShownRepair:
    steps: tuple[str, ...]
    completion: tuple[Segment, ...]


@dataclass(frozen=True, slots=True)
class Findings:
    findings: tuple[ShownFinding, ...]
    number: int
    rules: int
    repair: ShownRepair | None
    version: int


def draw(view: CaptureView) -> Drawn:
    if view.analysis is None:
        return Drawn(why_empty=unread(view))
    found = view.analysis.findings
    content = Findings(
        findings=shown_findings(view, sorted_findings(found)),
        number=len(found),
        rules=len(rules()),
        repair=shown_repair(view.analysis.repair) if view.analysis.repair else None,
        version=view.analysis.analysis_version,
    )
    tone = next((str(finding.severity) for finding in sorted_findings(found)), "")
    if not found and content.repair is None:
        return Drawn(why_empty=f"{len(rules())} rules, nothing to say.")
    return Drawn(str(len(found)), content, tone="" if tone == "info" else tone)


def sorted_findings(findings: tuple[Finding, ...]) -> list[Finding]:
    return sorted(findings, key=lambda finding: (RANK[finding.severity], byte_rank(finding.where)))


def byte_rank(where: Where) -> tuple[int, int]:
    """Findings without a place come last within their severity."""
    if where.byte_start is not None:
        return 0, where.byte_start
    return (0, where.event) if where.event is not None else (1, 0)


def shown_findings(view: CaptureView, findings: list[Finding]) -> tuple[ShownFinding, ...]:
    """One row each; more than five of one code are one row where the first of them stood."""
    shown_lines = frozenset(visible(view)) if view.body else frozenset()
    codes = [finding.code for finding in findings]
    rows: list[ShownFinding] = []
    grouped: set[str] = set()
    for finding in findings:
        if codes.count(finding.code) <= GROUPED:
            rows.append(shown_finding(view, [finding], shown_lines))
        elif finding.code not in grouped:
            grouped.add(finding.code)
            same = [other for other in findings if other.code == finding.code]
            rows.append(shown_finding(view, same, shown_lines))
    return tuple(rows)


def shown_finding(
    view: CaptureView, same: list[Finding], shown_lines: frozenset[int]
) -> ShownFinding:
    first = same[0]
    rule = rule_of(first.code)
    places = [place_of(view, finding.where, shown_lines) for finding in same[:MOST_PLACES]]
    return ShownFinding(
        severity=str(first.severity),
        code=first.code,
        breaks=rule.breaks if rule else "",
        message=exact(first.message),
        places=tuple(spot for spot in places if spot is not None),
        number=len(same),
        left_out=max(0, len(same) - MOST_PLACES),
    )


def place_of(view: CaptureView, where: Where, shown_lines: frozenset[int]) -> Place | None:
    byte = place(view, where.byte_start, where.event)
    if byte is None and where.pointer is None:
        return None
    line = view.lines.position_of(byte) if byte is not None and view.body else None
    return Place(where.event, byte, where.pointer, panel_of(where.pointer), line in shown_lines)


def panel_of(pointer: str | None) -> str:
    """The panel that shows what a JSON Pointer points at."""
    for step, panel in PANEL_BY_STEP:
        if pointer is not None and f"/{step}" in pointer:
            return panel
    return "raw"


def rule_of(code: str) -> Rule | None:
    """None for a finding of something else than our rules, or of a rule that was retired."""
    return next((rule for rule in rules() if rule.code == code), None)


def shown_repair(repair: Repair) -> ShownRepair:
    return ShownRepair(repair.steps, exact(json_text(repair.completion)[:20_000]))


def counts(findings: tuple[Finding, ...]) -> dict[str, int]:
    ranked = sorted(str(finding.severity) for finding in findings)
    return {severity: len(list(group)) for severity, group in groupby(ranked)}


PANEL = Panel(position=50, slug="findings", title="Findings", draw=draw)
