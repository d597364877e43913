"""One input that was read, with the findings that are to be told."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass

from inspector.core.analysis import Analysis
from inspector.core.findings import Finding, Severity
from inspector.core.reading import Reading, read
from inspector.core.tape import Tape
from inspector.operations.recordings import Recording


@dataclass(frozen=True, slots=True)
class Inspected:
    recording: Recording
    reading: Reading
    findings: tuple[Finding, ...]
    """Those that nobody asked to ignore; the analysis holds all."""

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


def inspected(recording: Recording, ignored: frozenset[str]) -> Inspected:
    """``ignored`` are codes of findings."""
    reading = read(recording.exchange)
    found = reading.analysis().findings
    return Inspected(recording, reading, tuple(one for one in found if one.code not in ignored))
