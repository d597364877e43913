"""SARIF 2.1.0 (OASIS): all inputs as one run of one tool."""

import hashlib
import json
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any
from urllib.parse import quote

from inspector.core.completion import Result
from inspector.core.findings import Finding, Severity, Where
from inspector.core.rules import rules
from inspector.core.rules.rule import Rule
from inspector.operations.reports.finding_locations import (
    FileLocation,
    LocatedFinding,
    file_name,
    located_findings,
)
from inspector.operations.reports.inspected_file import InspectedFile
from inspector.transfer.source import STANDARD_INPUT
from inspector.version import VERSION

SCHEMA = "https://json.schemastore.org/sarif-2.1.0.json"
TOOL = "Response Inspector"
LEVELS = {Severity.ERROR: "error", Severity.WARNING: "warning", Severity.INFO: "note"}

Object = dict[str, Any]


def sarif_log(
    inputs: Iterable[InspectedFile],
    refusals: list[str],
    failing_results: frozenset[Result] = frozenset(),
) -> Iterator[str]:
    """Yield one document after all inputs were read; ``refusals`` are errors of unreadable
    ones. An answer whose result makes the command fail has a result of its own in the document.
    """
    described = [*map(_rule, rules()), *map(_rule_of_result, sorted(failing_results))]
    index_of = {rule["id"]: number for number, rule in enumerate(described)}
    results = [
        result | {"ruleIndex": index_of[result["ruleId"]]}
        for one in inputs
        for result in _results(one, failing_results)
    ]
    run = {
        "tool": {"driver": {"name": TOOL, "version": VERSION, "rules": described}},
        "columnKind": "unicodeCodePoints",
        "invocations": [_invocation(refusals)],
        "results": results,
    }
    yield json.dumps({"$schema": SCHEMA, "version": "2.1.0", "runs": [run]})


def _rule(rule: Rule) -> Object:
    return {
        "id": rule.code,
        "shortDescription": {"text": rule.help},
        "fullDescription": {"text": rule.help},
        "help": {"text": f"{rule.help}\nImpact: {rule.impact}"},
        "defaultConfiguration": {"level": LEVELS[rule.severity]},
    }


def _rule_of_result(result: Result) -> Object:
    text = f"An answer has the result {result}, which was chosen to fail on."
    return {
        "id": _code_of_result(result),
        "shortDescription": {"text": text},
        "fullDescription": {"text": text},
        "defaultConfiguration": {"level": LEVELS[Severity.ERROR]},
    }


def _code_of_result(result: Result) -> str:
    return f"result/{result}"


def _invocation(refusals: list[str]) -> Object:
    if not refusals:
        return {"executionSuccessful": True}
    notifications = [{"level": "error", "message": {"text": _plain(text)}} for text in refusals]
    return {"executionSuccessful": False, "toolExecutionNotifications": notifications}


def _results(one: InspectedFile, failing_results: frozenset[Result]) -> Iterator[Object]:
    uri = _uri(one.path)
    seen: Counter[str] = Counter()
    failures = [_failure(one)] if one.analysis.result in failing_results else []
    for finding, place in [*_located(one, failures), *located_findings(one)]:
        mark = _fingerprint(uri, finding)
        seen[mark] += 1
        yield {
            "ruleId": finding.code,
            "level": LEVELS[finding.severity],
            "message": {"text": _plain(finding.message)},
            "locations": [_location(uri, (finding, place))],
            "partialFingerprints": {"primaryLocationLineHash": f"{mark}:{seen[mark]}"},
            "properties": _properties(finding.where),
        }


def _failure(one: InspectedFile) -> Finding:
    """Return the result of the answer as a finding, at the place that decides it."""
    analysis = one.analysis
    places = (clause.where for clause in analysis.result_clauses if clause.where != Where())
    return Finding(
        code=_code_of_result(analysis.result),
        severity=Severity.ERROR,
        message=analysis.result_reason,
        where=next(places, Where()),
    )


def _located(one: InspectedFile, findings: Sequence[Finding]) -> list[LocatedFinding]:
    return located_findings(replace(one, findings=tuple(findings)))


def _uri(path: str) -> str:
    name = file_name(path)
    if path != STANDARD_INPUT and Path(name).is_absolute():
        return Path(name).as_uri()
    return quote(name)


def _fingerprint(uri: str, finding: Finding) -> str:
    """Stable over recordings: without text, bytes or events of this one."""
    parts = (uri, finding.code, finding.where.pointer or "")
    return hashlib.sha256("\0".join(parts).encode("utf-8", "replace")).hexdigest()[:16]


def _location(uri: str, each: LocatedFinding) -> Object:
    finding, place = each
    physical = {"artifactLocation": {"uri": uri}, "region": _region(place)}
    location: Object = {"physicalLocation": physical}
    if finding.where.pointer:
        location["logicalLocations"] = [{"fullyQualifiedName": finding.where.pointer}]
    return location


def _region(place: FileLocation) -> Object:
    """Region of a finding; line 1 without a location: GitHub hides results without a line."""
    if place.start is None:
        region: Object = {"startLine": 1}
    else:
        region = {"startLine": place.start.line, "startColumn": place.start.column}
    if place.end is not None:
        region |= {"endLine": place.end.line, "endColumn": place.end.column}
    if place.byte_start is not None and place.byte_end is not None:
        length = place.byte_end - place.byte_start
        region |= {"byteOffset": place.byte_start, "byteLength": length}
    return region


def _properties(where: Where) -> Object:
    """Return the location in the response, which differs from that in a container file."""
    fields = {
        "pointer": where.pointer,
        "event": where.event,
        "byteStart": where.byte_start,
        "byteEnd": where.byte_end,
    }
    return {name: value for name, value in fields.items() if value is not None}


def _plain(text: str) -> str:
    # Square brackets form links in SARIF messages, so those of model output are escaped.
    if "](" not in text:
        return text
    return text.replace("\\", "\\\\").replace("[", "\\[").replace("]", "\\]")
