from argparse import ArgumentTypeError
from datetime import timedelta
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser
from django.utils import timezone

from inspector.operations.command_errors import one_line_errors
from inspector.operations.data_dir import add_data_dir_argument
from inspector.teams.access import INGEST, KEY_SCOPES, READ
from inspector.teams.accounts import find_team
from inspector.teams.keys import create_api_key

LONGEST_NAME = 100
"""The width of the column."""
LONGEST_DAYS = 3650
"""Ten years; without an end is a choice of its own."""


class Command(BaseCommand):
    help = "Print a new API key, and nothing else. It cannot be shown again."
    requires_system_checks = ()

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("--team", required=True, metavar="SLUG")
        parser.add_argument("--name", required=True, help="name of the service that will use it")
        parser.add_argument(
            "--scope",
            action="append",
            choices=KEY_SCOPES,
            help="may be given several times (capture stands alone); default: ingest and read",
        )
        parser.add_argument(
            "--origin",
            action="append",
            default=[],
            help="of a page that sends with the key, such as https://app.example; may be given"
            " several times. Such a key has the scope ingest and no other",
        )
        parser.add_argument(
            "--expires", type=days, metavar="DAYS", help="days until it expires; default: never"
        )
        add_data_dir_argument(parser)

    def handle(self, *args: Any, **options: Any) -> None:
        name = options["name"].strip()
        if not 0 < len(name) <= LONGEST_NAME:
            raise CommandError(f"a name has 1 to {LONGEST_NAME} characters")
        with one_line_errors():
            team = find_team(options["team"])
            if team is None:
                raise CommandError(f"there is no team {options['team']}")
            usual = (INGEST,) if options["origin"] else (INGEST, READ)
            scopes, life = options["scope"] or usual, options["expires"]
            expires_at = timezone.now() + life if life else None
            self.stdout.write(
                create_api_key(team, name, scopes, expires_at, origins=options["origin"])
            )


def days(text: str) -> timedelta:
    number = int(text) if text.isascii() and text.isdigit() and len(text) < 6 else 0
    if not 0 < number <= LONGEST_DAYS:
        raise ArgumentTypeError(f"a key works for 1 to {LONGEST_DAYS} days")
    return timedelta(days=number)
