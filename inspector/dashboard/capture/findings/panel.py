"""Panel with the findings, most severe first, each with links to its locations."""

from dataclasses import dataclass, replace
from itertools import groupby

from inspector.core.analysis import Analysis, Repair, Verdict
from inspector.core.findings import Finding, Where, by_rank
from inspector.core.json.edits import EditKind, edits_between, proposal_of
from inspector.core.rules import finding_type_of, impact_of, rules
from inspector.core.tool_calls.argument_repair import MAX_CHARACTERS
from inspector.dashboard.capture.page.capture_view import CaptureView
from inspector.dashboard.capture.page.locations import element_id_of, panel_of_pointer
from inspector.dashboard.capture.page.panel_body import Panel, PanelBody, unread_reason
from inspector.dashboard.capture.page.why_empty import not_empty
from inspector.dashboard.capture.raw.panel import byte_of_location
from inspector.dashboard.capture.tool_calls.argument_text import ArgumentTextPart, repaired_parts
from inspector.formatting.invisible_characters import TextSegment, exact_segments
from inspector.formatting.wire_values import json_text

PROVIDER_ERROR = "envelope.provider-error"
GROUPED = 5
"""More findings of one code than this are grouped into one row."""
MAX_PLACES = 50
"""Places of one code, on one part of the page (docs/limits.md)."""
MAX_PROPOSED = 20_000
"""Characters of a proposed repair that are shown."""


@dataclass(frozen=True, slots=True)
class FindingLocation:
    event: int | None
    byte: int | None
    pointer: str | None
    target: str
    """Element id of the choice, call or panel that shows the value."""


@dataclass(frozen=True, slots=True)
class FindingDisplay:
    severity: str
    code: str
    means: str
    """Description of the rule; empty if the previous row has the same rule."""
    impact: str
    message: tuple[TextSegment, ...]
    places: tuple[FindingLocation, ...]
    number: int
    start: int
    """Index of the first location shown."""
    later: int
    """Index of the first location of the next page; 0 on the last."""

    @property
    def earlier(self) -> int:
        return max(self.start - MAX_PLACES, 0)


@dataclass(frozen=True, slots=True)
class RepairDisplay:
    steps: tuple[str, ...]
    pieces: tuple[ArgumentTextPart, ...]
    """Diff between the body and the repair; empty if they differ too much to be readable."""
    completion: tuple[TextSegment, ...]
    left_out: int
    """Characters of the repaired object left out."""
    is_read: bool
    """Choices, usage and model of the page are read from it."""


@dataclass(frozen=True, slots=True)
class FindingsDisplay:
    findings: tuple[FindingDisplay, ...]
    number: int
    available: int
    """Number of locations available: the stored analysis keeps only the first ones."""
    rules: int
    repair: RepairDisplay | None
    version: int


def draw(view: CaptureView) -> PanelBody:
    if view.analysis is None:
        return PanelBody(why_empty=unread_reason(view))
    found = view.findings
    displays = finding_displays(view, sorted_findings(found))
    content = FindingsDisplay(
        findings=displays,
        number=count_findings(view),
        available=len(found),
        rules=len(rules()),
        repair=repair_display(view, view.analysis.repair) if view.analysis.repair else None,
        version=view.analysis.analysis_version,
    )
    tone = next((str(finding.severity) for finding in sorted_findings(found)), "")
    if not found and content.repair is None:
        return PanelBody(why_empty=why_no_findings(view.analysis))
    return PanelBody(f"{content.number:,}", content, tone="" if tone == "info" else tone)


def why_no_findings(analysis: Analysis) -> str:
    if analysis.verdict is Verdict.OTHER:
        return "The call asked for no completion, so only its transport was checked."
    return not_empty(f"{len(rules())} rules, nothing to say").sentence


def count_findings(view: CaptureView) -> int:
    cut = next((cut.length for cut in view.cuts if cut.pointer == "/findings"), 0)
    return max(cut, len(view.findings))


def sorted_findings(findings: tuple[Finding, ...]) -> list[Finding]:
    return sorted(findings, key=by_rank)


def finding_displays(view: CaptureView, findings: list[Finding]) -> tuple[FindingDisplay, ...]:
    rows = [finding_display(view, same) for same in group_findings(findings)]
    before = ["", *(row.code for row in rows)]
    return tuple(
        replace(row, means="") if row.code == last else row
        for row, last in zip(rows, before, strict=False)
    )


def group_findings(findings: list[Finding]) -> list[list[Finding]]:
    """Group findings into rows: one each, or all of a code that has more than ``GROUPED``."""
    by_code: dict[str, list[Finding]] = {}
    grouped: set[str] = set()
    for finding in findings:
        by_code.setdefault(finding.code, []).append(finding)
    rows = []
    for finding in findings:
        same = by_code[finding.code]
        if len(same) <= GROUPED:
            rows.append([finding])
        elif finding.code not in grouped:
            grouped.add(finding.code)
            rows.append(same)
    return rows


def finding_display(view: CaptureView, same: list[Finding]) -> FindingDisplay:
    first = same[0]
    meaning = finding_type_of(first.code)
    start = requested_location(view, first.code) if len(same) > GROUPED else 0
    start = start if start < len(same) else 0
    page = same[start : start + MAX_PLACES]
    places = [finding_location(view, finding.where) for finding in page]
    end = start + len(page)
    is_bodiless = view.row.body_deleted_at is not None
    return FindingDisplay(
        severity=str(first.severity),
        code=first.code,
        # Of a deleted body the message is what the rule looks for.
        means=meaning.help if meaning and not is_bodiless else "",
        impact=impact_of(first),
        message=exact_segments(message_of(view, page[0])),
        places=tuple(spot for spot in places if spot is not None),
        number=len(same),
        start=start,
        later=end if end < len(same) else 0,
    )


def message_of(view: CaptureView, finding: Finding) -> str:
    """Return the message, without what the headline has of it: the provider's own words."""
    verdict = view.analysis.verdict if view.analysis else None
    if finding.code == PROVIDER_ERROR and verdict is Verdict.PROVIDER_ERROR:
        return f"{finding.message.partition(':')[0]}."
    return finding.message


def requested_location(view: CaptureView, code: str) -> int:
    """Index of the location a group starts with, from the query."""
    is_requested = view.query_params.get("findings") == code
    return (view.number("place") or 0) if is_requested else 0


def finding_location(view: CaptureView, where: Where) -> FindingLocation | None:
    byte = byte_of_location(view, where.byte_start, where.event)
    if byte is None and where.pointer is None:
        return None
    target = ""
    if where.pointer is not None:
        target = element_of_location(view, where.event, where.pointer)
    return FindingLocation(where.event, byte, where.pointer, target)


def element_of_location(view: CaptureView, event: int | None, pointer: str) -> str:
    """Element id for a pointer into the whole answer, or into the object of an event."""
    if event is None or "/message/" in pointer:
        return element_id_of(view.analysis, pointer)
    return panel_of_pointer(pointer, view.analysis.dialect if view.analysis else None)


def repair_display(view: CaptureView, repair: Repair) -> RepairDisplay:
    text = json_text(repair.completion)
    pieces = repair_diff(view.body, text)
    return RepairDisplay(
        steps=repair.steps,
        pieces=pieces,
        completion=() if pieces else exact_segments(text[:MAX_PROPOSED]),
        left_out=0 if pieces else max(len(text) - MAX_PROPOSED, 0),
        is_read=repair.is_read,
    )


def repair_diff(body: bytes, text: str) -> tuple[ArgumentTextPart, ...]:
    """Return the diff, or nothing if the repair is not reachable by readable edits."""
    if max(len(body), len(text)) > MAX_CHARACTERS:
        return ()
    text_received = body.decode(errors="replace")
    proposal = proposal_of(edits_between(text_received, text), text_received)
    if proposal is None or proposal.length(EditKind.KEPT) < len(text) / 2:
        return ()
    return tuple(repaired_parts(proposal.passages, None))


def severity_counts(findings: tuple[Finding, ...]) -> dict[str, int]:
    ranked = sorted(str(finding.severity) for finding in findings)
    return {severity: len(list(group)) for severity, group in groupby(ranked)}


PANEL = Panel(position=50, slug="findings", title="Findings", draw=draw)
