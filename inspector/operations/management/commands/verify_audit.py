import argparse
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from inspector.operations.data_dir import add_data_dir_argument
from inspector.operations.reports.audit_report import report_lines
from inspector.teams import audit_chain
from inspector.teams.audit_chain import NotedHead

BROKEN = 1


def noted_head(text: str) -> NotedHead:
    """Parse ``CHAIN:NUMBER:SHA256`` as the command prints it."""
    chain, number, sha256 = text.rsplit(":", 2)
    return NotedHead(chain, int(number), sha256)


class Command(BaseCommand):
    help = (
        "Check the chains of the audit log: print the end of each, to be noted elsewhere, or the"
        " first entry that is broken. Exits with 1 if one is."
    )
    requires_system_checks = ()

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument(
            "--end",
            action="append",
            default=[],
            type=_end,
            metavar="CHAIN:NUMBER:SHA256",
            help="an end that was noted earlier; it must still be in its chain, or forgotten",
        )
        add_data_dir_argument(parser)

    def handle(self, *, end: list[NotedHead], **options: Any) -> None:
        reports = audit_chain.verify(end)
        for line in report_lines(reports, audit_chain.count_unsealed()):
            self.stdout.write(line)
        if any(report.broken for report in reports):
            raise CommandError("the audit log was changed", returncode=BROKEN)


def _end(text: str) -> NotedHead:
    try:
        return noted_head(text)
    except ValueError as error:
        raise argparse.ArgumentTypeError("write it as it was printed") from error
