"""The chains of the audit log as lines for a terminal."""

from collections.abc import Iterator, Sequence

from inspector.formatting.humanize import plural
from inspector.operations.reports.terminal_escape import escape_for_terminal
from inspector.teams.audit_chain import ChainBreak, ChainReport, time_of


def report_lines(reports: Sequence[ChainReport], unsealed: int) -> Iterator[str]:
    if not reports and not unsealed:
        yield "The audit log has no entries."
    for report in reports:
        yield escape_for_terminal(_line(report))
    if unsealed:
        yield f"{plural(unsealed, 'entry', 'entries')} not sealed yet: the sweep does it"


def _line(report: ChainReport) -> str:
    if report.broken is not None:
        return f"{report.chain}: BROKEN at entry {_place(report.broken)}"
    whole = f"{report.chain}: {plural(report.count, 'entry', 'entries')}, unbroken"
    if report.head is None:
        return whole
    return f"{whole}; end {report.head.chain}:{report.head.number}:{report.head.sha256}"


def _place(broken: ChainBreak) -> str:
    if broken.entry is None:
        return f"{broken.number}: {broken.fault.value}"
    entry = broken.entry
    return f"{broken.number} (id {entry.pk}, {time_of(entry)}, {entry}): {broken.fault.value}"
