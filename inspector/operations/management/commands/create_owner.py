import shlex
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser
from django.core.validators import validate_slug

from inspector.configuration.archive_command import archive_command
from inspector.operations.command_errors import one_line_errors
from inspector.teams import first_team
from inspector.teams.accounts import create_owner

LONGEST_NAME = 150
"""The width of Django's column."""


class Command(BaseCommand):
    help = "Make a person the owner of a team, creating either if it does not exist."
    requires_system_checks = ()

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("name", help="e-mail address or name to sign in with")
        parser.add_argument("--team", default=first_team.SLUG, metavar="SLUG")
        parser.add_argument("--team-name", default=first_team.NAME, metavar="NAME")

    def handle(self, *args: Any, **options: Any) -> None:
        name, team = options["name"].strip(), options["team"]
        if not 0 < len(name) <= LONGEST_NAME:
            raise CommandError(f"a name has 1 to {LONGEST_NAME} characters")
        with one_line_errors():
            validate_slug(team)
            create_owner(name, team_slug=team, team_name=options["team_name"])
        typed = shlex.quote(name)
        self.stdout.write(
            f"{name} owns the team {team}. To sign in: {archive_command('sign_in_link', typed)},"
            f" or set a password: {archive_command('changepassword', typed)}"
        )
