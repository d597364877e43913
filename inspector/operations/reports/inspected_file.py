"""One analysed input with the findings to report."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass

from inspector.core.analysis import Analysis
from inspector.core.findings import Finding, Severity
from inspector.core.reading import Reading, read
from inspector.core.tape import Tape
from inspector.operations.reports.input_files import InputFile


@dataclass(frozen=True, slots=True)
class InspectedFile:
    recording: InputFile
    reading: Reading
    findings: tuple[Finding, ...]
    """Findings without the ignored codes; the analysis holds all."""

    @property
    def path(self) -> str:
        return self.recording.path

    @property
    def analysis(self) -> Analysis:
        return self.reading.analysis()

    @property
    def tape(self) -> Tape:
        return self.reading.tape()

    @property
    def ignored(self) -> int:
        return len(self.analysis.findings) - len(self.findings)

    @property
    def severities(self) -> Counter[Severity]:
        return Counter(finding.severity for finding in self.findings)


def inspect_file(recording: InputFile, ignored: frozenset[str]) -> InspectedFile:
    """Analyses an input; ``ignored`` are finding codes."""
    reading = read(recording.exchange)
    found = reading.analysis().findings
    return InspectedFile(recording, reading, tuple(one for one in found if one.code not in ignored))
