"""Several inputs in the terminal: one line each, and a total."""

from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field

from rich.console import Console
from rich.text import Text

from inspector.core.analysis import Analysis, Verdict
from inspector.core.completion import Result
from inspector.core.findings import Severity
from inspector.formatting.humanize import plural
from inspector.formatting.verdicts import RESULT_PHRASES, analysis_label, result_tone, worse_tone
from inspector.operations.reports.finding_locations import located_findings
from inspector.operations.reports.inspected_file import InspectedFile
from inspector.operations.reports.marks import SHAPES, STYLES, finding_lines, severities, tone_mark
from inspector.operations.reports.terminal_escape import escape_for_terminal
from inspector.operations.reports.terminal_lines import TerminalLine, put

LABEL_CHARACTERS = max(len(f"{Verdict.COMPLETE}, {result}") for result in RESULT_PHRASES)


@dataclass
class ReportTotals:
    verdicts: Counter[Verdict] = field(default_factory=Counter)
    results: Counter[Result] = field(default_factory=Counter)
    codes: Counter[tuple[Severity, str]] = field(default_factory=Counter)
    inputs_of_code: Counter[str] = field(default_factory=Counter)
    dialects: Counter[str] = field(default_factory=Counter)
    vendors: Counter[str] = field(default_factory=Counter)
    ignored: int = 0

    def add(self, one: InspectedFile) -> None:
        self.verdicts[one.analysis.verdict] += 1
        self.results[one.analysis.result] += 1
        self.codes.update((finding.severity, finding.code) for finding in one.findings)
        self.inputs_of_code.update({finding.code for finding in one.findings})
        self.dialects[one.analysis.dialect or "unknown"] += 1
        self.vendors[one.analysis.vendor or "unknown"] += 1
        self.ignored += one.ignored


def show_summary(
    console: Console,
    inputs: Iterable[InspectedFile],
    fails_on: frozenset[Severity],
    failing_results: frozenset[Result] = frozenset(),
) -> None:
    """Print the lines; below each, what makes the command fail: a result, and findings."""
    totals = ReportTotals()
    for one in inputs:
        totals.add(one)
        console.print(_line(console, one), soft_wrap=True)
        if one.analysis.result in failing_results:
            for text, indent in _result_lines(one.analysis):
                put(console, text, indent)
        for finding, place in located_findings(one):
            if finding.severity in fails_on:
                for text, indent in finding_lines(finding, place):
                    put(console, text, indent)
    for text, indent in _closing(totals):
        put(console, text, indent)


def _result_lines(analysis: Analysis) -> Iterator[TerminalLine]:
    shape, style = tone_mark(result_tone(analysis.result))
    yield Text(f"{shape} result  {analysis.result}", style), 2
    yield Text(escape_for_terminal(analysis.result_reason)), 4


def _line(console: Console, one: InspectedFile) -> Text:
    label = analysis_label(one.analysis)
    shape, style = tone_mark(label.tone)
    head = Text(f"{shape} {label.words:<{LABEL_CHARACTERS}}  ", style)
    found = severities(one)
    path = Text(escape_for_terminal(one.name))
    room = console.width - head.cell_len - found.cell_len - 2
    if console.is_terminal and path.cell_len > room > 1:
        # Paths are shortened at the start, because the end is more informative.
        path = Text("…" + path.plain[-(room - 1) :])
    return Text.assemble(head, path, "  " if found else "", found)


def _closing(totals: ReportTotals) -> Iterator[TerminalLine]:
    yield Text(), 0
    yield Text(plural(totals.verdicts.total(), "input"), "bold"), 0
    yield from _count_table(
        "verdicts", [_verdict_row(*row) for row in totals.verdicts.most_common()]
    )
    yield from _count_table("results", [_result_row(*row) for row in totals.results.most_common()])
    yield from _count_table("findings", [_code_row(totals, *row) for row in _worst_first(totals)])
    if totals.ignored:
        yield Text(f"{plural(totals.ignored, 'finding')} ignored", "dim"), 2
    for title, counter in (("formats", totals.dialects), ("vendors", totals.vendors)):
        yield from _count_table(
            title, [(n, Text(escape_for_terminal(name))) for name, n in counter.most_common()]
        )


def _count_table(title: str, rows: list[tuple[int, Text]]) -> Iterator[TerminalLine]:
    if not rows:
        return
    yield Text(title, "bold"), 0
    width = max(len(f"{number:,}") for number, _ in rows)
    for number, text in rows:
        yield Text(f"{number:>{width},}  ").append_text(text), 2


def _verdict_row(verdict: Verdict, number: int) -> tuple[int, Text]:
    shape, style = tone_mark(worse_tone(verdict))
    return number, Text(f"{shape} {verdict}", style)


def _result_row(result: Result, number: int) -> tuple[int, Text]:
    shape, style = tone_mark(result_tone(result))
    return number, Text(f"{shape} {result}", style)


def _worst_first(totals: ReportTotals) -> list[tuple[Severity, str, int]]:
    rank = {severity: number for number, severity in enumerate(SHAPES)}
    rows = [(severity, code, number) for (severity, code), number in totals.codes.items()]
    return sorted(rows, key=lambda row: (rank[row[0]], -row[2], row[1]))


def _code_row(totals: ReportTotals, severity: Severity, code: str, number: int) -> tuple[int, Text]:
    inputs = plural(totals.inputs_of_code[code], "input")
    shape = (f"{SHAPES[severity]} ", STYLES[severity])
    return number, Text.assemble(shape, f"{code} ", (f"in {inputs}", "dim"))
