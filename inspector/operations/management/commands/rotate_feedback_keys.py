from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from inspector.feedback import signing_keys
from inspector.operations.command_errors import one_line_errors
from inspector.teams.access import for_team


class Command(BaseCommand):
    help = "Sign a team's feedback tokens with a new key; existing tokens stay valid."
    requires_system_checks = ()

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("--team", required=True, metavar="SLUG")
        parser.add_argument(
            "--revoke",
            action="store_true",
            help="refuse all existing tokens, in case a key has leaked",
        )

    def handle(self, *args: Any, **options: Any) -> None:
        with one_line_errors():
            team = for_team(options["team"])
            if team is None:
                raise CommandError(f"there is no team {options['team']}")
            made = (
                signing_keys.revoke_keys(team)
                if options["revoke"]
                else signing_keys.rotate_key(team)
            )
            if made is None:
                raise CommandError("somebody else did it in this moment")
            before = "are refused" if options["revoke"] else "stay good until they expire"
            self.stdout.write(f"key {made.id} signs from now on; tokens of before {before}")
