"""What the rules remarked, the worst first, each with the places that show it."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from itertools import groupby

from inspector.core.analysis import Repair
from inspector.core.documents import linked
from inspector.core.findings import Finding, Severity, Where
from inspector.core.passages import Change, compared, proposal_of
from inspector.core.rules import meaning_of, rules
from inspector.core.tool_calls.proposal import MAX_CHARACTERS
from inspector.dashboard.argument_text import Piece, told
from inspector.dashboard.capture_view import CaptureView
from inspector.dashboard.marks import Segment, exact
from inspector.dashboard.panel import Drawn, Panel
from inspector.dashboard.panels import unread
from inspector.dashboard.panels.raw import place
from inspector.dashboard.targets import target_of
from inspector.dashboard.why_empty import nothing
from inspector.dashboard.wire import json_text

GROUPED = 5
"""More findings of one code than this are one row with a count."""
MOST_PLACES = 50
MOST_PROPOSED = 20_000
"""Characters of a proposed object that are shown."""
RANK = {Severity.ERROR: 0, Severity.WARNING: 1, Severity.INFO: 2}


@dataclass(frozen=True, slots=True)
class Place:
    event: int | None
    byte: int | None
    pointer: str | None
    target: str
    """The id of what shows the pointed-at value: a choice, a call or a panel."""


@dataclass(frozen=True, slots=True)
class MeaningPart:
    """A part of what a rule looks for: plain, as code, or as a link to a reference document."""

    text: str
    is_code: bool = False
    address: str | None = None


@dataclass(frozen=True, slots=True)
class ShownFinding:
    severity: str
    code: str
    means: tuple[MeaningPart, ...]
    """What its rule looks for. Empty where the row before says the same."""
    breaks: str
    message: tuple[Segment, ...]
    places: tuple[Place, ...]
    number: int
    start: int
    """The first of its places that is shown."""
    later: int
    """The first of those that follow; 0 where none do."""

    @property
    def earlier(self) -> int:
        return max(self.start - MOST_PLACES, 0)


@dataclass(frozen=True, slots=True)
class ShownRepair:
    steps: tuple[str, ...]
    pieces: tuple[Piece, ...]
    """The body with what the proposal puts in and leaves out; empty where too much differs."""
    completion: tuple[Segment, ...]
    left_out: int
    """Characters of a long object that are not shown."""


@dataclass(frozen=True, slots=True)
class Findings:
    findings: tuple[ShownFinding, ...]
    number: int
    kept: int
    """How many of them are known here: the stored analysis has no more than so many."""
    rules: int
    repair: ShownRepair | None
    version: int


def draw(view: CaptureView) -> Drawn:
    if view.analysis is None:
        return Drawn(why_empty=unread(view))
    found = view.findings
    shown = shown_findings(view, sorted_findings(found))
    content = Findings(
        findings=shown,
        number=number_of(view),
        kept=len(found),
        rules=len(rules()),
        repair=shown_repair(view, view.analysis.repair) if view.analysis.repair else None,
        version=view.analysis.analysis_version,
    )
    tone = next((str(finding.severity) for finding in sorted_findings(found)), "")
    if not found and content.repair is None:
        return Drawn(why_empty=nothing(f"{len(rules())} rules, nothing to say").sentence)
    return Drawn(f"{content.number:,}", content, tone="" if tone == "info" else tone)


def number_of(view: CaptureView) -> int:
    cut = next((cut.length for cut in view.cuts if cut.pointer == "/findings"), 0)
    return max(cut, len(view.findings))


def sorted_findings(findings: tuple[Finding, ...]) -> list[Finding]:
    return sorted(findings, key=lambda finding: (RANK[finding.severity], byte_rank(finding.where)))


def byte_rank(where: Where) -> tuple[int, int]:
    """Findings without a place come last within their severity."""
    if where.byte_start is not None:
        return 0, where.byte_start
    return (0, where.event) if where.event is not None else (1, 0)


def shown_findings(view: CaptureView, findings: list[Finding]) -> tuple[ShownFinding, ...]:
    rows = [shown_finding(view, same) for same in grouped(findings)]
    before = ["", *(row.code for row in rows)]
    return tuple(
        replace(row, means=()) if row.code == last else row
        for row, last in zip(rows, before, strict=False)
    )


def grouped(findings: list[Finding]) -> list[list[Finding]]:
    """What stands in one row each: one finding, or where the first of them stood all those of a
    code that has more than five."""
    by_code: dict[str, list[Finding]] = {}
    told: set[str] = set()
    for finding in findings:
        by_code.setdefault(finding.code, []).append(finding)
    rows = []
    for finding in findings:
        same = by_code[finding.code]
        if len(same) <= GROUPED:
            rows.append([finding])
        elif finding.code not in told:
            told.add(finding.code)
            rows.append(same)
    return rows


def shown_finding(view: CaptureView, same: list[Finding]) -> ShownFinding:
    first = same[0]
    meaning = meaning_of(first.code)
    start = start_asked(view, first.code) if len(same) > GROUPED else 0
    start = start if start < len(same) else 0
    shown = same[start : start + MOST_PLACES]
    places = [place_of(view, finding.where) for finding in shown]
    end = start + len(shown)
    return ShownFinding(
        severity=str(first.severity),
        code=first.code,
        means=tuple(meaning_parts(meaning.help)) if meaning else (),
        breaks=meaning.breaks if meaning else "",
        message=exact(shown[0].message),
        places=tuple(spot for spot in places if spot is not None),
        number=len(same),
        start=start,
        later=end if end < len(same) else 0,
    )


def meaning_parts(text: str) -> Iterator[MeaningPart]:
    """A docstring's line: what stands between double backticks is code, references are links."""
    for number, part in enumerate(text.split("``")):
        if number % 2:
            yield MeaningPart(part, is_code=True)
        else:
            yield from (MeaningPart(words, address=address) for words, address in linked(part))


def start_asked(view: CaptureView, code: str) -> int:
    """With which of its places a group begins that somebody leafs through."""
    is_meant = view.asked.get("findings") == code
    return (view.number("place") or 0) if is_meant else 0


def place_of(view: CaptureView, where: Where) -> Place | None:
    byte = place(view, where.byte_start, where.event)
    if byte is None and where.pointer is None:
        return None
    target = ""
    if where.pointer is not None:
        through_chunk = where.event is not None and "/message/" not in where.pointer
        analysis = None if through_chunk else view.analysis
        target = target_of(analysis, where.pointer)
    return Place(where.event, byte, where.pointer, target)


def shown_repair(view: CaptureView, repair: Repair) -> ShownRepair:
    text = json_text(repair.completion)
    pieces = difference(view.body, text)
    return ShownRepair(
        steps=repair.steps,
        pieces=pieces,
        completion=() if pieces else exact(text[:MOST_PROPOSED]),
        left_out=0 if pieces else max(len(text) - MOST_PROPOSED, 0),
    )


def difference(body: bytes, text: str) -> tuple[Piece, ...]:
    """Empty where the object does not come out of the body by changes that can be looked at."""
    if max(len(body), len(text)) > MAX_CHARACTERS:
        return ()
    came = body.decode(errors="replace")
    proposal = proposal_of(compared(came, text), came)
    if proposal is None or proposal.length(Change.KEPT) < len(text) / 2:
        return ()
    return tuple(told(proposal.passages, None))


def counts(findings: tuple[Finding, ...]) -> dict[str, int]:
    ranked = sorted(str(finding.severity) for finding in findings)
    return {severity: len(list(group)) for severity, group in groupby(ranked)}


PANEL = Panel(position=50, slug="findings", title="Findings", draw=draw)
