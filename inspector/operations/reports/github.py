"""GitHub workflow commands: every finding becomes an annotation on its file."""

from collections.abc import Iterable, Iterator

from inspector.core.completion import Result
from inspector.core.findings import Finding, Severity
from inspector.operations.reports.finding_locations import (
    LocatedFinding,
    file_name,
    located_findings,
    response_location,
)
from inspector.operations.reports.inspected_file import InspectedFile
from inspector.operations.reports.terminal_escape import escape_for_terminal

COMMANDS = {Severity.ERROR: "error", Severity.WARNING: "warning", Severity.INFO: "notice"}


def github_annotations(
    inputs: Iterable[InspectedFile], failing_results: frozenset[Result] = frozenset()
) -> Iterator[str]:
    """Yield a command for each finding, and for a result that fails; else on line 1."""
    for one in inputs:
        if one.analysis.result in failing_results:
            yield result_annotation(one)
        for each in located_findings(one):
            yield annotation(one.path, each)


def result_annotation(one: InspectedFile) -> str:
    properties = {"file": escape_for_terminal(file_name(one.path)), "line": "1", "col": "1"}
    properties["title"] = f"result {one.analysis.result}"
    listed = ",".join(f"{name}={_property(value)}" for name, value in properties.items())
    return f"::error {listed}::{_data(escape_for_terminal(one.analysis.result_reason))}"


def annotation(path: str, each: LocatedFinding) -> str:
    finding, place = each
    line, column = (place.start.line, place.start.column) if place.start else (1, 1)
    properties = {
        "file": escape_for_terminal(file_name(path)),
        "line": str(line),
        "col": str(column),
        "title": finding.code,
    }
    attributes = ",".join(f"{name}={_property(value)}" for name, value in properties.items())
    message = _data(escape_for_terminal(_message(finding)))
    return f"::{COMMANDS[finding.severity]} {attributes}::{message}"


def _message(finding: Finding) -> str:
    where = response_location(finding.where)
    return f"{finding.message} ({where})" if where else finding.message


def _data(text: str) -> str:
    return text.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")


def _property(text: str) -> str:
    return _data(text).replace(":", "%3A").replace(",", "%2C")
