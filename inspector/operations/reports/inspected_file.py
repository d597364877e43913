"""One analysed input with the findings to report, and as a JSON line: a stable interface."""

import json
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

import msgspec

from inspector.core.analysis import Analysis, analysis_to_json
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
    def name(self) -> str:
        return self.recording.name

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


def json_lines(inputs: Iterable[InspectedFile], *, with_tape: bool = False) -> Iterator[str]:
    """Yield ``{"path", "analysis"}``, and ``"tape"`` if requested, always complete: one line per
    input, a stable interface. ``"entry"`` is the number of an entry, where
    the file has several.
    """
    for one in inputs:
        parts = [b'{"path":' + json.dumps(one.path).encode()]
        if one.recording.entry is not None:
            parts.append(b'"entry":%d' % one.recording.entry)
        parts.append(b'"analysis":' + analysis_to_json(one.analysis))
        if with_tape:
            parts.append(b'"tape":' + msgspec.json.encode(one.tape))
        yield (b",".join(parts) + b"}").decode()
