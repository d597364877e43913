from typing import Any

from django.conf import settings
from django.core.management.base import BaseCommand, CommandError, CommandParser

from inspector.configuration.archive_command import archive_command
from inspector.operations.command_errors import one_line_errors
from inspector.teams.accounts import find_person, first_owner
from inspector.teams.models import User
from inspector.teams.sign_in_links import create_link


class Command(BaseCommand):
    help = "Print a link that signs in whoever opens it: once, within 24 hours."
    requires_system_checks = ()

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument(
            "name", nargs="?", help="user to sign in; default: the owner of the first team"
        )

    def handle(self, *args: Any, **options: Any) -> None:
        with one_line_errors():
            self.stdout.write(f"{settings.ORIGIN}{create_link(_person(options['name']))}")


def _person(name: str | None) -> User:
    person = find_person(name) if name else first_owner()
    if person is None:
        who = f"nobody is called {name}" if name else "the first team has no owner"
        raise CommandError(f"{who}; {archive_command('create_owner NAME')} makes one")
    return person
