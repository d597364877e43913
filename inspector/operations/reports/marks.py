"""Verdict and finding marks for the terminal: always a word and a shape, never a colour alone."""

from collections.abc import Iterator

from rich.text import Text

from inspector.core.findings import Finding, Severity
from inspector.formatting.humanize import plural
from inspector.formatting.verdicts import VerdictTone
from inspector.operations.reports.finding_locations import FileLocation, response_location
from inspector.operations.reports.inspected_file import InspectedFile
from inspector.operations.reports.terminal_escape import escape_for_terminal
from inspector.operations.reports.terminal_lines import TerminalLine

STYLES = {Severity.ERROR: "red", Severity.WARNING: "yellow", Severity.INFO: "blue"}
SHAPES = {Severity.ERROR: "■", Severity.WARNING: "▲", Severity.INFO: "●"}
TONE_STYLES = {
    VerdictTone.GOOD: "green",
    VerdictTone.PARTIAL: "yellow",
    VerdictTone.BROKEN: "red",
    VerdictTone.CANCELLED: "blue",
    VerdictTone.WAITING: "blue",
}
TONE_SHAPES = {
    VerdictTone.GOOD: "✓",
    VerdictTone.PARTIAL: "▲",
    VerdictTone.BROKEN: "■",
    VerdictTone.CANCELLED: "○",
    VerdictTone.WAITING: "…",
}


def tone_mark(tone: VerdictTone) -> tuple[str, str]:
    """Shape and style, to stand beside a word."""
    return TONE_SHAPES[tone], TONE_STYLES[tone]


def severities(one: InspectedFile) -> Text:
    """``1 error, 2 warnings``; empty without findings."""
    counted = one.severities
    parts = [
        (plural(counted[severity], severity, "info" if severity is Severity.INFO else None), style)
        for severity, style in STYLES.items()
        if counted[severity]
    ]
    return Text(", ").join(Text(text, style) for text, style in parts)


def finding_lines(finding: Finding, place: FileLocation) -> Iterator[TerminalLine]:
    """Yield severity and code, message, and location, each with its indent."""
    severity = (f"{SHAPES[finding.severity]} {finding.severity}  ", STYLES[finding.severity])
    yield Text.assemble(severity, finding.code), 2
    yield Text(escape_for_terminal(finding.message)), 4
    if where := _where(finding, place):
        yield Text(where, "dim"), 4


def _where(finding: Finding, place: FileLocation) -> str:
    parts = (
        [escape_for_terminal(location)] if (location := response_location(finding.where)) else []
    )
    if place.start is not None and place.byte_start is not None:
        parts.append(f"line {place.start.line}:{place.start.column}")
    return ", ".join(parts)
