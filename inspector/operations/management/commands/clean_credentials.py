from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from inspector.archive.credential_cleanup import CleanupReport, clean_stored
from inspector.operations.command_errors import one_line_errors
from inspector.operations.data_dir import add_data_dir_argument
from inspector.teams.accounts import find_team

PROGRESS_INTERVAL = 1_000
"""A line every few seconds: large archives take hours."""
PLACES = {
    "request_headers": "headers of requests",
    "response_headers": "headers of responses",
    "address": "addresses",
    "metadata": "values of metadata",
    "request_body": "in bodies of requests",
    "response_body": "in bodies of responses",
}

OUT_OF_REACH = (
    "Backups, replicas, downloaded files and sent spans still have them: take a new backup and"
    " delete the old ones (docs/credentials.md)."
)


class Command(BaseCommand):
    help = (
        "Remove credentials from stored captures (docs/credentials.md). Everything may keep"
        " running; after an interruption it continues where it stopped."
    )
    requires_system_checks = ()

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("--team", metavar="SLUG", help="one team's captures; all if not given")
        parser.add_argument(
            "--dry-run", action="store_true", help="only count what would be removed"
        )
        add_data_dir_argument(parser)

    def handle(self, *args: Any, **options: Any) -> None:
        report = CleanupReport()
        with one_line_errors():
            team_id = _team_id(options["team"])
            try:
                for step in clean_stored(team_id, is_dry_run=options["dry_run"], report=report):
                    if step.looked_at % PROGRESS_INTERVAL == 0:
                        self.stderr.write(f"{step.looked_at:,} captures …")
            except KeyboardInterrupt:
                self.stderr.write("Interrupted. The same command goes on from here.")
        self._tell(report, options["dry_run"])
        if report.failed:
            raise CommandError(f"{len(report.failed):,} captures are as they were")

    def _tell(self, report: CleanupReport, is_dry_run: bool) -> None:
        verb = "would be cleaned" if is_dry_run else "cleaned"
        self.stdout.write(
            f"{report.looked_at:,} captures looked at, {report.done_before:,} of them were clean"
            f" already; {report.cleaned:,} {verb}, {report.read_again:,} read again."
        )
        for name, words in PLACES.items():
            self.stdout.write(f"{report.found[name]:>9,}  {words}")
        if report.cleaned:
            self.stdout.write(OUT_OF_REACH)
        for capture_id, error in report.failed:
            self.stderr.write(f"{capture_id}  {error}")


def _team_id(slug: str | None) -> int | None:
    if slug is None:
        return None
    team = find_team(slug)
    if team is None:
        raise CommandError(f"there is no team {slug}")
    return team.pk
