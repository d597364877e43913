"""The command ``inspect``: analyses files and prints reports for people, programs and CI.

It knows no framework: the program runs it before one is imported, and a distribution of its own
has nothing else.
"""

from __future__ import annotations

import os
import re
import sys
from argparse import ArgumentParser, ArgumentTypeError, Namespace
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import partial, reduce
from operator import or_
from pathlib import Path
from typing import TextIO

from inspector.core.completion import Result
from inspector.core.findings import Severity
from inspector.core.formats import dialects
from inspector.core.rules import rules
from inspector.operations.reports import input_files
from inspector.operations.reports.github import github_annotations
from inspector.operations.reports.inspected_file import InspectedFile, inspect_file, json_lines
from inspector.operations.reports.sarif import sarif_log
from inspector.operations.reports.terminal_escape import escape_for_terminal
from inspector.transfer.source import STANDARD_INPUT
from inspector.version import VERSION

HELP = (
    "Analyses responses: files or folders (.json .sse .ndjson .txt .reads.jsonl), whatever is "
    "read of other programs (HAR, batch outputs, JSONL, cassettes, logs), or -. "
    "Exits with 1 for findings of the severity or answers of the results in --fail-on, "
    "with 2 for unreadable input."
)
SEVERITIES = {
    "warning": frozenset({Severity.ERROR, Severity.WARNING}),
    "error": frozenset({Severity.ERROR}),
}
RESULT_PREFIX = "result="
FORMATS = ("text", "json", "github", "sarif")
DONE = 0
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
    part: int | None = None
    has_failed: bool = False
    refusals: list[str] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)

    def __iter__(self) -> Iterator[InspectedFile]:
        for path in self.paths:
            for found in self._loaded(path):
                if isinstance(found, input_files.InputNote):
                    self.notes.append(escape_for_terminal(found.message))
                    continue
                if isinstance(found, input_files.InputRefusal):
                    self.refusals.append(escape_for_terminal(found.message))
                    continue
                one = inspect_file(found, self.ignored)
                self.has_failed = self.has_failed or self.fails_on.holds_for(one)
                yield one

    def _loaded(
        self, path: str
    ) -> Iterable[input_files.InputFile | input_files.InputRefusal | input_files.InputNote]:
        if self.part is None:
            return input_files.load_inputs(path, self.dialect)
        return (input_files.load_part(path, self.dialect, self.part),)


class InspectRefusal(Exception):
    """Raised where something could not be inspected; the message is for people, a line for each."""


def main(program: str, arguments: Sequence[str]) -> int:
    """Return the exit code. ``program`` is what was typed before ``arguments``."""
    parser = ArgumentParser(prog=program, description=HELP)
    parser.add_argument("--version", action="version", version=f"%(prog)s {VERSION}")
    add_arguments(parser)
    colours = parser.add_mutually_exclusive_group()
    colours.add_argument("--no-color", action="store_true", help="without colours")
    colours.add_argument("--force-color", action="store_true", help="with colours, in a file too")
    options = parser.parse_args(arguments)
    try:
        return inspect(options, sys.stdout)
    except InspectRefusal as refusal:
        print(refusal, file=sys.stderr)
        return UNUSABLE


def add_arguments(parser: ArgumentParser) -> None:
    parser.add_argument("path", nargs="+", metavar="PATH")
    form = parser.add_mutually_exclusive_group()
    form.add_argument("--format", choices=FORMATS, default="text", help="default: text for people")
    form.add_argument(
        "--json",
        action="store_const",
        dest="format",
        const="json",
        help="one JSON line for each input",
    )
    form.add_argument(
        "--fixture", metavar="KIND", help="print the one input as a file for tests: har or reads"
    )
    parser.add_argument("--tape", action="store_true", help="--json with the tape in each line")
    parser.add_argument(
        "--dialect", choices=sorted(dialects()), help="use this format instead of detecting it"
    )
    parser.add_argument(
        "--part",
        type=number_of_part,
        metavar="N",
        help="read only the response N, from 1, of a text that holds several, or the entry N of a "
        "file",
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


def inspect(options: Namespace, out: TextIO) -> int:
    """0, or 1 where the condition of ``--fail-on`` holds. Raises ``InspectRefusal``."""
    _require_one_purpose(options)
    if options.fixture:
        out.write(_fixture(options.path, options.dialect, options.fixture))
        return DONE
    run = InspectRun(
        list(input_files.find_input_files(options.path)),
        options.dialect,
        frozenset(options.ignore),
        reduce(or_, options.fail_on, FailureCondition()),
        options.part,
    )
    try:
        _tell(run, options, out)
    except BrokenPipeError:
        # The reader closed the pipe. Without this, Python would fail again when closing the
        # stream.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    for note in run.notes:
        print(note, file=sys.stderr)
    if run.refusals:
        raise InspectRefusal("\n".join(run.refusals))
    return FAILED if run.has_failed else DONE


def _require_one_purpose(options: Namespace) -> None:
    if options.tape and options.format in ("github", "sarif"):
        raise InspectRefusal("--tape is for JSON only")
    if options.fixture and (options.tape or options.part):
        raise InspectRefusal("--fixture takes neither --tape nor --part")


def _fixture(paths: list[str], dialect: str | None, kind: str) -> str:
    # Imported here: few ask for one.
    from inspector.transfer.fixtures.registry import KINDS, build_fixture
    from inspector.transfer.fixtures.source import FixtureSource

    if kind not in KINDS:
        there = ", ".join(KINDS)
        raise InspectRefusal(
            escape_for_terminal(f"no fixture has the kind {kind!r}; there are {there}")
        )
    if len(paths) != 1:
        raise InspectRefusal("a fixture is made of one input")
    try:
        exchange = input_files.load_input_file(paths[0], dialect).exchange
    except input_files.InputFileError as error:
        raise InspectRefusal(escape_for_terminal(str(error))) from error
    name = "answer" if paths[0] == STANDARD_INPUT else Path(paths[0]).name.partition(".")[0]
    return build_fixture(FixtureSource(name, exchange), kind).content.decode()


def _tell(run: InspectRun, options: Namespace, out: TextIO) -> None:
    failing = run.fails_on.results
    reports: dict[str, Callable[[InspectRun], Iterator[str]]] = {
        "json": partial(json_lines, with_tape=options.tape),
        "github": partial(github_annotations, failing_results=failing),
        "sarif": partial(sarif_log, refusals=run.refusals, failing_results=failing),
    }
    report = reports.get("json" if options.tape else options.format)
    if report is None:
        _show(run, options, out)
        return
    for text in report(run):
        out.write(text if text.endswith("\n") else f"{text}\n")
        out.flush()


def _show(run: InspectRun, options: Namespace, out: TextIO) -> None:
    # Imported here: programs read the other forms, and rich is a part of the time of a start.
    from inspector.operations.reports.text_report import console_for, show_inputs

    console = console_for(out, options.no_color, options.force_color)
    condition = run.fails_on
    show_inputs(console, run, len(run.paths) > 1, condition.severities, condition.results)


def failure_condition(text: str) -> FailureCondition:
    """``--fail-on``: ``warning``, ``error``, ``result=NAME,…``. Raises ``ArgumentTypeError``."""
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


def number_of_part(text: str) -> int:
    """Parse the value of ``--part``. Raises ``ArgumentTypeError``."""
    if not re.fullmatch("[1-9][0-9]{0,8}", text):
        raise ArgumentTypeError(f"{text!r} is no number of a part: they count from 1")
    return int(text)


def code_of_rule(code: str) -> str:
    if code not in {rule.code for rule in rules()}:
        raise ArgumentTypeError(f"no rule has the code {code!r}")
    return code
