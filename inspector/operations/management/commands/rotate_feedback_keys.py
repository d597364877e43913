from __future__ import annotations

from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from inspector.feedback import keys
from inspector.operations.trouble import one_line
from inspector.teams.access import for_team


class Command(BaseCommand):
    help = "Let a new key sign a team's feedback tokens; those that were signed before stay good."
    requires_system_checks = ()

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("--team", required=True, metavar="SLUG")
        parser.add_argument(
            "--revoke",
            action="store_true",
            help="refuse everything that was signed before: for a key that somebody else has",
        )

    def handle(self, *args: Any, **options: Any) -> None:
        with one_line():
            team = for_team(options["team"])
            if team is None:
                raise CommandError(f"there is no team {options['team']}")
            made = keys.revoke(team) if options["revoke"] else keys.rotate(team)
            if made is None:
                raise CommandError("somebody else did it in this moment")
            before = "are refused" if options["revoke"] else "stay good until they expire"
            self.stdout.write(f"key {made.id} signs from now on; tokens of before {before}")
