import sys
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO, Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from inspector.archive.intake.imports import Imported
from inspector.operations.backup import command_output
from inspector.operations.data_dir import add_data_dir_argument
from inspector.operations.operator_error import OperatorError
from inspector.operations.reports.terminal_escape import escape_for_terminal
from inspector.teams.access import for_team
from inspector.transfer.archive_import import ImportedLine, RefusedLine, import_lines

STANDARD_INPUT = "-"
PIECE_BYTES = 1 << 20
"""In memory of a file of any size."""


class Command(BaseCommand):
    help = (
        "Store the captures of an export (JSONL) in a team's archive. What was imported before, or"
        " comes from this team, stays as it is; what was deleted here stays deleted. Exits with 1"
        " if a line was refused, with 2 for wrong arguments."
    )
    requires_system_checks = ()

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("file", metavar="FILE", help="- for the input")
        parser.add_argument("--team", required=True, metavar="SLUG")
        parser.add_argument(
            "--expect",
            type=int,
            metavar="LINES",
            help="the number of captures that export_archive told: with fewer or more lines in the"
            " file nothing is imported",
        )
        add_data_dir_argument(parser)

    def handle(self, *, file: str, team: str, expect: int | None, **options: Any) -> None:
        with command_output.exit_codes():
            if expect is not None:
                _require_lines(file, expect)
            counts = Counter(self._report(line) for line in _imported(file, team, options))
        self.stdout.write(", ".join(f"{counts[what]} {what}" for what in OUTCOMES))
        if counts[REFUSED]:
            raise CommandError("not everything was imported", returncode=command_output.DAMAGED)

    def _report(self, line: ImportedLine) -> str:
        if isinstance(line.result, RefusedLine):
            reason = escape_for_terminal(line.result.reason)
            self.stderr.write(f"line {line.number}: {reason}")
        return outcome_of(line.result)


NEW, KNOWN, DELETED, REFUSED = "imported", "there before", "deleted here before", "refused"
OUTCOMES = (NEW, KNOWN, DELETED, REFUSED)


def outcome_of(result: Imported | RefusedLine) -> str:
    if isinstance(result, RefusedLine):
        return REFUSED
    if result.is_deleted:
        return DELETED
    return KNOWN if result.is_known else NEW


def _imported(file: str, team: str, options: dict[str, Any]) -> Iterator[ImportedLine]:
    principal = for_team(team)
    if principal is None:
        raise OperatorError(f"There is no team {team}.")
    length = 0 if file == STANDARD_INPUT else Path(file).stat().st_size
    with _opened(file) as opened, command_output.watch(options)("Importing", length) as advance:
        yield from import_lines(principal, _pieces(opened, advance))


def _pieces(opened: IO[bytes], advance: Any) -> Iterator[bytes]:
    while piece := opened.read(PIECE_BYTES):
        yield piece
        advance(len(piece))


def _require_lines(file: str, expected: int) -> None:
    if file == STANDARD_INPUT:
        raise OperatorError("--expect needs a file that can be read twice.")
    with _opened(file) as opened:
        found = sum(piece.count(b"\n") for piece in _pieces(opened, lambda _: None))
    if found != expected:
        raise OperatorError(f"{file}: {found} lines where {expected} were to be.")


@contextmanager
def _opened(file: str) -> Iterator[IO[bytes]]:
    if file == STANDARD_INPUT:
        yield sys.stdin.buffer
        return
    with Path(file).open("rb") as opened:
        yield opened
