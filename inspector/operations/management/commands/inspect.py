"""``inspect``: analyses of files, for people and for programs; it needs no database."""

from __future__ import annotations

import json
import sys
from argparse import ArgumentParser
from typing import Any

import msgspec
from django.core.management.base import BaseCommand, CommandError
from rich.console import Console

from inspector.core.analysis import Analysis, to_json
from inspector.core.dialects import dialects
from inspector.core.findings import Severity
from inspector.core.reading import Reading, read
from inspector.operations import recordings, terminal

FAILS_ON = {
    "warning": frozenset({Severity.ERROR, Severity.WARNING}),
    "error": frozenset({Severity.ERROR}),
}


class Command(BaseCommand):
    help = "Takes responses apart: files or folders (.json .sse .ndjson .txt .reads.jsonl), or -."
    requires_system_checks: list[str] = []

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("path", nargs="+", metavar="PATH")
        parser.add_argument("--json", action="store_true", help="one JSON line for each input")
        parser.add_argument("--tape", action="store_true", help="add the tape to the JSON line")
        parser.add_argument("--dialect", choices=sorted(dialects()), help="do not recognise it")
        parser.add_argument(
            "--fail-on", choices=sorted(FAILS_ON), help="exit with 1 on such a finding or a worse"
        )

    def handle(self, *, path: list[str], dialect: str | None, **options: Any) -> None:
        # What a model wrote must not be taken for markup.
        console = Console(markup=False, highlight=False, emoji=False)
        fails_on = FAILS_ON.get(options["fail_on"], frozenset())
        failed = False
        for one in recordings.find(path):
            try:
                reading = read(recordings.load(one, dialect))
            except recordings.RecordingError as error:
                raise CommandError(str(error), returncode=2) from error
            analysis = reading.analysis()
            if options["json"] or options["tape"]:
                self.stdout.write(line(one, reading, with_tape=options["tape"]))
            else:
                terminal.show(console, one, analysis)
            failed = failed or _has(analysis, fails_on)
        if failed:
            sys.exit(1)


def line(path: str, reading: Reading, *, with_tape: bool) -> str:
    """``{"path", "analysis"}``, with ``"tape"`` where it is asked for."""
    parts = [
        b'{"path":' + json.dumps(path).encode(),
        b'"analysis":' + to_json(reading.analysis()),
    ]
    if with_tape:
        parts.append(b'"tape":' + msgspec.json.encode(reading.tape()))
    return (b",".join(parts) + b"}").decode()


def _has(analysis: Analysis, severities: frozenset[Severity]) -> bool:
    return any(finding.severity in severities for finding in analysis.findings)
