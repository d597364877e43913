import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO, Any

from django.core.management.base import BaseCommand, CommandError, CommandParser
from django.utils import timezone

from inspector.archive import queries
from inspector.archive.listing.capture_fields import ARRIVED_UNTIL
from inspector.archive.listing.filter_params import FilterParams, parse_filter_params
from inspector.operations.atomic_file import atomic_file
from inspector.operations.backup import command_output
from inspector.operations.data_dir import add_data_dir_argument
from inspector.operations.operator_error import OperatorError
from inspector.teams.access import for_team
from inspector.transfer.exports.file import ExportTotals, write_export
from inspector.transfer.exports.forms import FORMS, ExportSource
from inspector.usage.rollup import queries as usage

STANDARD_OUTPUT = "-"


class Command(BaseCommand):
    help = (
        "Write the captures of a team into a file, oldest first: by default one envelope a line,"
        " which import_archive stores again, byte for byte. Exits with 2 for wrong arguments."
    )
    requires_system_checks = ()

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("file", metavar="FILE", help="must not exist yet; - for the output")
        parser.add_argument("--team", required=True, metavar="SLUG")
        parser.add_argument(
            "--query", default="", metavar="QUERY", help="as in the archive's search field"
        )
        parser.add_argument("--format", choices=FORMS, default="jsonl")
        add_data_dir_argument(parser)

    def handle(self, *, file: str, team: str, query: str, **options: Any) -> None:
        with command_output.exit_codes():
            totals = _export(file, team, _conditions(query), options)
        skipped = f", {totals.skipped} left out" if totals.skipped else ""
        self.stderr.write(
            f"{totals.captures} captures{skipped}, {totals.byte_length} bytes", self.style.NOTICE
        )


def _conditions(query: str) -> FilterParams:
    found = parse_filter_params({"q": [query]} if query else {}, timezone.now())
    if found.mistakes:
        raise CommandError(f"the query: {found.mistakes[0]}", returncode=command_output.UNUSABLE)
    return found


def _export(
    file: str, team: str, conditions: FilterParams, options: dict[str, Any]
) -> ExportTotals:
    principal = for_team(team)
    if principal is None:
        raise OperatorError(f"There is no team {team}.")
    captures = queries.for_principal(principal)
    source = ExportSource(captures, usage.for_principal(principal))
    # What arrives meanwhile is left out, or the export might never end.
    filters = conditions.filters.with_value(ARRIVED_UNTIL, captures.newest_bound())
    count = captures.count(filters)
    total = count.number if count and count.is_all else 0
    with _opened(file) as opened, command_output.watch(options)("Exporting", total) as advance:
        return write_export(opened, source, FORMS[options["format"]], filters, advance)


@contextmanager
def _opened(file: str) -> Iterator[IO[bytes]]:
    if file == STANDARD_OUTPUT:
        yield sys.stdout.buffer
        sys.stdout.buffer.flush()
        return
    path = Path(file)
    if path.exists():
        raise OperatorError(f"{path} is there already.")
    if not path.parent.is_dir():
        raise OperatorError(f"{path.parent} is no directory.")
    with atomic_file(path) as opened:
        yield opened
