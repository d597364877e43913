"""``inspect``: analyses files and prints reports for people, programs and CI. Needs no database."""

from __future__ import annotations

import io
import os
import sys
from argparse import ArgumentParser, ArgumentTypeError
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from functools import partial, reduce
from itertools import chain, islice
from operator import or_
from typing import Any

from django.core.management.base import BaseCommand, CommandError
from rich.console import Console

from inspector.core.completion import Result
from inspector.core.findings import Severity
from inspector.core.formats import dialects
from inspector.core.rules import rules
from inspector.core.translation import targets
from inspector.operations.reports import input_files, summary, terminal
from inspector.operations.reports.github import github_annotations, without_commands
from inspector.operations.reports.inspected_file import (
    InspectedFile,
    inspect_file,
    json_lines,
    translations,
)
from inspector.operations.reports.sarif import sarif_log
from inspector.operations.reports.terminal_escape import escape_for_terminal

SEVERITIES = {
    "warning": frozenset({Severity.ERROR, Severity.WARNING}),
    "error": frozenset({Severity.ERROR}),
}
RESULT_PREFIX = "result="
FORMATS = ("text", "json", "github", "sarif")
FAILED = 1
UNUSABLE = 2


@dataclass(frozen=True, slots=True)
class FailureCondition:
    """The findings (by severity) and results on which the command fails."""

    severities: frozenset[Severity] = frozenset()
    results: frozenset[Result] = frozenset()

    def __or__(self, other: FailureCondition) -> FailureCondition:
        return FailureCondition(self.severities | other.severities, self.results | other.results)

    def holds_for(self, one: InspectedFile) -> bool:
        return bool(self.severities & set(one.severities)) or one.analysis.result in self.results


@dataclass
class InspectRun:
    """Reads the inputs one after the other and collects the exit code."""

    paths: list[str]
    dialect: str | None
    ignored: frozenset[str]
    fails_on: FailureCondition
    has_failed: bool = False
    refusals: list[str] = field(default_factory=list)

    def __iter__(self) -> Iterator[InspectedFile]:
        for path in self.paths:
            for found in input_files.load_inputs(path, self.dialect):
                if isinstance(found, input_files.InputRefusal):
                    self.refusals.append(escape_for_terminal(found.message))
                    continue
                one = inspect_file(found, self.ignored)
                self.has_failed = self.has_failed or self.fails_on.holds_for(one)
                yield one


class Command(BaseCommand):
    help = (
        "Analyses responses: files or folders (.json .sse .ndjson .txt .reads.jsonl), whatever is "
        "read of other programs (HAR, batch outputs, JSONL, cassettes, logs), or -. "
        "Exits with 1 for findings of the severity or answers of the results in --fail-on, "
        "with 2 for unreadable input."
    )
    requires_system_checks: list[str] = []

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("path", nargs="+", metavar="PATH")
        form = parser.add_mutually_exclusive_group()
        form.add_argument(
            "--format", choices=FORMATS, default="text", help="default: text for people"
        )
        form.add_argument(
            "--json",
            action="store_const",
            dest="format",
            const="json",
            help="one JSON line for each input",
        )
        parser.add_argument(
            "--as",
            dest="target",
            choices=sorted(targets()),
            help="print the answer in the form of this format as JSON, with a list of what that "
            "loses; with --json beside the analysis",
        )
        form.add_argument(
            "--fixture",
            metavar="KIND",
            help="print the one input as a file for tests: pytest, vitest, curl, har or reads",
        )
        parser.add_argument("--tape", action="store_true", help="--json with the tape in each line")
        parser.add_argument(
            "--dialect", choices=sorted(dialects()), help="use this dialect instead of detecting it"
        )
        parser.add_argument(
            "--fail-on",
            action="append",
            default=[],
            type=failure_condition,
            metavar="CONDITION",
            help="exit with 1 on a finding of this severity or worse (error, warning), or on an "
            f"answer of these results (result=empty,refused; there are {', '.join(Result)}); "
            "repeatable",
        )
        parser.add_argument(
            "--ignore",
            action="append",
            default=[],
            type=code_of_rule,
            metavar="CODE",
            help="finding code to leave out and not fail on; JSON still has it; repeatable",
        )

    def handle(self, *, path: list[str], dialect: str | None, **options: Any) -> None:
        if options["tape"] and options["format"] in ("github", "sarif"):
            raise CommandError("--tape is for JSON only", returncode=UNUSABLE)
        if options["target"] and options["format"] in ("github", "sarif"):
            raise CommandError("--as is for text and JSON only", returncode=UNUSABLE)
        if options["fixture"]:
            if options["tape"] or options["target"]:
                raise CommandError("--fixture takes neither --tape nor --as", returncode=UNUSABLE)
            self._print_fixture(path, dialect, options["fixture"])
            return
        run = InspectRun(
            list(input_files.find_input_files(path)),
            dialect,
            frozenset(options["ignore"]),
            reduce(or_, options["fail_on"], FailureCondition()),
        )
        try:
            self._tell(run, options)
        except BrokenPipeError:
            # The reader closed the pipe. Without this, Python would fail again when closing the
            # stream.
            os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        if run.refusals:
            raise CommandError("\n".join(run.refusals), returncode=UNUSABLE)
        if run.has_failed:
            sys.exit(FAILED)

    def _print_fixture(self, paths: list[str], dialect: str | None, kind: str) -> None:
        # Imported here: fixtures know captures, and importing these is slow.
        from inspector.operations.reports.file_fixture import FixtureError, file_fixture

        try:
            self.stdout.write(file_fixture(paths, dialect, kind), ending="")
        except (FixtureError, input_files.InputFileError) as error:
            raise CommandError(escape_for_terminal(str(error)), returncode=UNUSABLE) from error

    def _tell(self, run: InspectRun, options: dict[str, Any]) -> None:
        failing = run.fails_on.results
        target = targets().get(options["target"])
        reports: dict[str, Callable[[InspectRun], Iterator[str]]] = {
            "json": partial(json_lines, with_tape=options["tape"], target=target),
            "github": partial(github_annotations, failing_results=failing),
            "sarif": partial(sarif_log, refusals=run.refusals, failing_results=failing),
        }
        if target is not None:
            reports["text"] = partial(translations, target=target)
        report = reports.get("json" if options["tape"] else options["format"])
        if report is None:
            show(console_for(options), run)
            return
        for text in report(run):
            self.stdout.write(text)
            self.stdout.flush()


def failure_condition(text: str) -> FailureCondition:
    """Parses the value of ``--fail-on``: ``warning``, ``error`` or ``result=NAME,…``. Raises
    ``ArgumentTypeError`` for anything else.
    """
    if text in SEVERITIES:
        return FailureCondition(severities=SEVERITIES[text])
    names = text.removeprefix(RESULT_PREFIX).split(",")
    if not text.startswith(RESULT_PREFIX):
        raise ArgumentTypeError(f"{text!r} is neither error, warning nor {RESULT_PREFIX}NAME,…")
    for name in names:
        if name not in [*Result]:
            known = ", ".join(Result)
            raise ArgumentTypeError(f"no result has the name {name!r}; there are {known}")
    return FailureCondition(results=frozenset(map(Result, names)))


def code_of_rule(code: str) -> str:
    if code not in {rule.code for rule in rules()}:
        raise ArgumentTypeError(f"no rule has the code {code!r}")
    return code


def console_for(options: dict[str, Any]) -> Console:
    """Console without markup, since model output must not be read as such; unencodable text is
    replaced.
    """
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


def show(console: Console, run: InspectRun) -> None:
    with without_commands(console):
        inputs = iter(run)
        # One file may hold many responses, and is read as it is shown.
        begun = list(islice(inputs, 2))
        if len(run.paths) > 1 or len(begun) > 1:
            fails_on = run.fails_on
            listed = chain(begun, inputs)
            summary.show_summary(console, listed, fails_on.severities, fails_on.results)
            return
        for one in begun:
            terminal.show_one(console, one)
