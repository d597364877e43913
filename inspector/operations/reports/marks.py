"""Verdicts and findings in the terminal: always a word and a shape, never a colour alone."""

from __future__ import annotations

from collections.abc import Iterator

from rich.text import Text

from inspector.core.analysis import Verdict
from inspector.core.findings import Finding, Severity
from inspector.dashboard.templatetags.formats import plural
from inspector.dashboard.verdicts import TONES, Tone
from inspector.operations.reports.inspected import Inspected
from inspector.operations.reports.page import Line
from inspector.operations.reports.places import Place, said_of
from inspector.operations.reports.visible import visible

STYLES = {Severity.ERROR: "red", Severity.WARNING: "yellow", Severity.INFO: "blue"}
SHAPES = {Severity.ERROR: "■", Severity.WARNING: "▲", Severity.INFO: "●"}
TONE_STYLES = {
    Tone.GOOD: "green",
    Tone.PARTIAL: "yellow",
    Tone.BROKEN: "red",
    Tone.CANCELLED: "blue",
    Tone.WAITING: "blue",
}
TONE_SHAPES = {
    Tone.GOOD: "✓",
    Tone.PARTIAL: "▲",
    Tone.BROKEN: "■",
    Tone.CANCELLED: "○",
    Tone.WAITING: "…",
}


def verdict_mark(verdict: Verdict) -> tuple[str, str]:
    """Shape and style; the word stands beside them."""
    tone = TONES.get(verdict, Tone.BROKEN)
    return TONE_SHAPES[tone], TONE_STYLES[tone]


def severities(one: Inspected) -> Text:
    """``1 error, 2 warnings``; nothing where nothing was found."""
    counted = one.severities
    said = [
        (plural(counted[severity], severity, "info" if severity is Severity.INFO else None), style)
        for severity, style in STYLES.items()
        if counted[severity]
    ]
    return Text(", ").join(Text(text, style) for text, style in said)


def finding_lines(finding: Finding, place: Place, indent: int) -> Iterator[Line]:
    """Severity and code, the sentence, where it is."""
    severity = (f"{SHAPES[finding.severity]} {finding.severity}  ", STYLES[finding.severity])
    yield Text.assemble(severity, finding.code), indent
    yield Text(visible(finding.message)), indent + 2
    if where := _where(finding, place):
        yield Text(where, "dim"), indent + 2


def _where(finding: Finding, place: Place) -> str:
    parts = [visible(said)] if (said := said_of(finding.where)) else []
    if place.start is not None and place.byte_start is not None:
        parts.append(f"line {place.start.line}:{place.start.column}")
    return ", ".join(parts)
