"""GitHub's workflow commands: every finding an annotation on the file that was read."""

from __future__ import annotations

import os
import secrets
from collections.abc import Iterable, Iterator
from contextlib import contextmanager

from rich.console import Console

from inspector.core.findings import Finding, Severity
from inspector.operations.reports.inspected import Inspected
from inspector.operations.reports.places import Placed, file_name, placed, said_of
from inspector.operations.reports.visible import visible

COMMANDS = {Severity.ERROR: "error", Severity.WARNING: "warning", Severity.INFO: "notice"}


def github(inputs: Iterable[Inspected]) -> Iterator[str]:
    """One line for each finding, as it is found; a finding without a place is on line 1."""
    for one in inputs:
        for each in placed(one):
            yield annotation(one.path, each)


def annotation(path: str, each: Placed) -> str:
    finding, place = each
    line, column = (place.start.line, place.start.column) if place.start else (1, 1)
    properties = {
        "file": visible(file_name(path)),
        "line": str(line),
        "col": str(column),
        "title": finding.code,
    }
    said = ",".join(f"{name}={_property(value)}" for name, value in properties.items())
    return f"::{COMMANDS[finding.severity]} {said}::{_data(visible(_message(finding)))}"


def _message(finding: Finding) -> str:
    where = said_of(finding.where)
    return f"{finding.message} ({where})" if where else finding.message


@contextmanager
def without_commands(console: Console) -> Iterator[None]:
    """In a job's log any line can be a command to the runner: here none is, whoever wrote it."""
    if os.environ.get("GITHUB_ACTIONS") != "true":
        yield
        return
    token = secrets.token_hex(16)
    console.print(f"::stop-commands::{token}", soft_wrap=True)
    try:
        yield
    finally:
        console.print(f"::{token}::", soft_wrap=True)


def _data(text: str) -> str:
    return text.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")


def _property(text: str) -> str:
    return _data(text).replace(":", "%3A").replace(",", "%2C")
