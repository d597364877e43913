"""``load_samples``: stores the sample captures in a team's archive."""

from argparse import ArgumentParser
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from inspector.archive.intake.submission import accept
from inspector.teams import first_team
from inspector.teams.access import for_team
from inspector.transfer.samples import samples


class Command(BaseCommand):
    help = "Stores sample captures written for this project in a team's archive."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("--team", default=first_team.SLUG, help="slug of the team")

    def handle(self, *, team: str, **options: Any) -> None:
        principal = for_team(team)
        if principal is None:
            raise CommandError(f"There is no team {team!r}; create_owner makes the first one.")
        stored = [accept(principal, sample) for sample in samples()]
        self.stdout.write(f"{len(stored)} samples are in the archive of {team}.")
