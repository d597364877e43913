"""``inspect``: analyses of files, for people, for programs and for CI; it needs no database."""

from __future__ import annotations

import io
import os
import sys
from argparse import ArgumentParser, ArgumentTypeError
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from functools import partial
from typing import Any

from django.core.management.base import BaseCommand, CommandError
from rich.console import Console

from inspector.core.dialects import dialects
from inspector.core.findings import Severity
from inspector.core.rules import rules
from inspector.operations import recordings
from inspector.operations.reports import roll, terminal
from inspector.operations.reports.github import github, without_commands
from inspector.operations.reports.inspected import Inspected, inspected
from inspector.operations.reports.lines import lines
from inspector.operations.reports.sarif import sarif
from inspector.operations.reports.visible import visible

FAILS_ON = {
    "warning": frozenset({Severity.ERROR, Severity.WARNING}),
    "error": frozenset({Severity.ERROR}),
    None: frozenset[Severity](),
}
FORMATS = ("text", "json", "github", "sarif")
FAILED = 1
UNUSABLE = 2


@dataclass
class Run:
    """The inputs, read one after the other, and what that comes to."""

    paths: list[str]
    dialect: str | None
    ignored: frozenset[str]
    fails_on: frozenset[Severity]
    has_failed: bool = False
    refusals: list[str] = field(default_factory=list)

    def __iter__(self) -> Iterator[Inspected]:
        for path in self.paths:
            try:
                recording = recordings.load(path, self.dialect)
            except recordings.RecordingError as error:
                self.refusals.append(visible(str(error)))
                continue
            one = inspected(recording, self.ignored)
            self.has_failed = self.has_failed or bool(self.fails_on & set(one.severities))
            yield one


class Command(BaseCommand):
    help = (
        "Takes responses apart: files or folders (.json .sse .ndjson .txt .reads.jsonl), or -. "
        "Exits with 1 for findings that --fail-on names, with 2 for what it cannot read."
    )
    requires_system_checks: list[str] = []

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("path", nargs="+", metavar="PATH")
        form = parser.add_mutually_exclusive_group()
        form.add_argument(
            "--format", choices=FORMATS, default="text", help="text for people is the default"
        )
        form.add_argument(
            "--json",
            action="store_const",
            dest="format",
            const="json",
            help="one JSON line for each input",
        )
        parser.add_argument("--tape", action="store_true", help="--json with the tape in each line")
        parser.add_argument("--dialect", choices=sorted(dialects()), help="do not recognise it")
        parser.add_argument(
            "--fail-on",
            choices=["error", "warning"],
            help="exit with 1 on such a finding or a worse",
        )
        parser.add_argument(
            "--ignore",
            action="append",
            default=[],
            type=code_of_rule,
            metavar="CODE",
            help="a finding neither to tell nor to fail on; JSON has it all the same; repeatable",
        )

    def handle(self, *, path: list[str], dialect: str | None, **options: Any) -> None:
        if options["tape"] and options["format"] in ("github", "sarif"):
            raise CommandError("--tape is for JSON only", returncode=UNUSABLE)
        run = Run(
            list(recordings.find(path)),
            dialect,
            frozenset(options["ignore"]),
            FAILS_ON[options["fail_on"]],
        )
        try:
            self._tell(run, options)
        except BrokenPipeError:
            # Whoever read has enough. Python would complain again when it closes the stream.
            os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        if run.refusals:
            raise CommandError("\n".join(run.refusals), returncode=UNUSABLE)
        if run.has_failed:
            sys.exit(FAILED)

    def _tell(self, run: Run, options: dict[str, Any]) -> None:
        reports: dict[str, Callable[[Run], Iterator[str]]] = {
            "json": partial(lines, with_tape=options["tape"]),
            "github": github,
            "sarif": partial(sarif, refusals=run.refusals),
        }
        report = reports.get("json" if options["tape"] else options["format"])
        if report is None:
            show(console_for(options), run)
            return
        for text in report(run):
            self.stdout.write(text)
            self.stdout.flush()


def code_of_rule(code: str) -> str:
    if code not in {rule.code for rule in rules()}:
        raise ArgumentTypeError(f"no rule has the code {code!r}")
    return code


def console_for(options: dict[str, Any]) -> Console:
    """What a model wrote must not be taken for markup, and no encoding be too small for it."""
    if isinstance(sys.stdout, io.TextIOWrapper):
        sys.stdout.reconfigure(errors="backslashreplace")
    return Console(
        file=options.get("stdout") or sys.stdout,
        markup=False,
        highlight=False,
        emoji=False,
        no_color=options["no_color"] or None,
        force_terminal=options["force_color"] or None,
    )


def show(console: Console, run: Run) -> None:
    with without_commands(console):
        if len(run.paths) > 1:
            roll.show(console, run, run.fails_on)
            return
        for one in run:
            terminal.show(console, one)
