"""Many inputs in the terminal: a line for each as it is read, and what they add up to."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field

from rich.console import Console
from rich.text import Text

from inspector.core.analysis import Verdict
from inspector.core.findings import Severity
from inspector.dashboard.templatetags.formats import plural
from inspector.operations.reports.inspected import Inspected
from inspector.operations.reports.marks import (
    SHAPES,
    STYLES,
    finding_lines,
    severities,
    verdict_mark,
)
from inspector.operations.reports.page import Line, put
from inspector.operations.reports.places import placed
from inspector.operations.reports.visible import visible

VERDICT_CHARACTERS = max(len(verdict) for verdict in Verdict)


@dataclass
class Totals:
    verdicts: Counter[Verdict] = field(default_factory=Counter)
    codes: Counter[tuple[Severity, str]] = field(default_factory=Counter)
    inputs_of_code: Counter[str] = field(default_factory=Counter)
    dialects: Counter[str] = field(default_factory=Counter)
    vendors: Counter[str] = field(default_factory=Counter)
    ignored: int = 0

    def add(self, one: Inspected) -> None:
        self.verdicts[one.analysis.verdict] += 1
        self.codes.update((finding.severity, finding.code) for finding in one.findings)
        self.inputs_of_code.update({finding.code for finding in one.findings})
        self.dialects[one.analysis.dialect or "unknown"] += 1
        self.vendors[one.analysis.vendor or "unknown"] += 1
        self.ignored += one.ignored


def show(console: Console, inputs: Iterable[Inspected], fails_on: frozenset[Severity]) -> None:
    """Under the line of an input stand the findings that make the command fail."""
    totals = Totals()
    for one in inputs:
        totals.add(one)
        console.print(_line(console, one), soft_wrap=True)
        for finding, place in placed(one):
            if finding.severity in fails_on:
                for text, indent in finding_lines(finding, place, 2):
                    put(console, text, indent)
    for text, indent in _closing(totals):
        put(console, text, indent)


def _line(console: Console, one: Inspected) -> Text:
    shape, style = verdict_mark(one.analysis.verdict)
    head = Text(f"{shape} {one.analysis.verdict:<{VERDICT_CHARACTERS}}  ", style)
    found = severities(one)
    path = Text(visible(one.path))
    room = console.width - head.cell_len - found.cell_len - 2
    if console.is_terminal and path.cell_len > room > 1:
        # The end of a path tells more than its beginning.
        path = Text("…" + path.plain[-(room - 1) :])
    return Text.assemble(head, path, "  " if found else "", found)


def _closing(totals: Totals) -> Iterator[Line]:
    yield Text(), 0
    yield Text(plural(totals.verdicts.total(), "input"), "bold"), 0
    yield from _counted("verdicts", [_verdict_row(*row) for row in totals.verdicts.most_common()])
    yield from _counted("findings", [_code_row(totals, *row) for row in _worst_first(totals)])
    if totals.ignored:
        yield Text(f"{plural(totals.ignored, 'finding')} ignored", "dim"), 2
    for title, counter in (("dialects", totals.dialects), ("vendors", totals.vendors)):
        yield from _counted(title, [(n, Text(visible(name))) for name, n in counter.most_common()])


def _counted(title: str, rows: list[tuple[int, Text]]) -> Iterator[Line]:
    if not rows:
        return
    yield Text(title, "bold"), 0
    width = max(len(f"{number:,}") for number, _ in rows)
    for number, text in rows:
        yield Text(f"{number:>{width},}  ").append_text(text), 2


def _verdict_row(verdict: Verdict, number: int) -> tuple[int, Text]:
    shape, style = verdict_mark(verdict)
    return number, Text(f"{shape} {verdict}", style)


def _worst_first(totals: Totals) -> list[tuple[Severity, str, int]]:
    rank = {severity: number for number, severity in enumerate(SHAPES)}
    rows = [(severity, code, number) for (severity, code), number in totals.codes.items()]
    return sorted(rows, key=lambda row: (rank[row[0]], -row[2], row[1]))


def _code_row(totals: Totals, severity: Severity, code: str, number: int) -> tuple[int, Text]:
    inputs = plural(totals.inputs_of_code[code], "input")
    shape = (f"{SHAPES[severity]} ", STYLES[severity])
    return number, Text.assemble(shape, f"{code} ", (f"in {inputs}", "dim"))
