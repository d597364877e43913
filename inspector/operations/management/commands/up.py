"""``up``, for those who call it by Django. The program runs it without."""

from argparse import Namespace
from typing import Any

from django.core.management.base import BaseCommand, CommandParser

from inspector.operations.up import command


class Command(BaseCommand):
    help = command.HELP
    requires_system_checks = ()

    def add_arguments(self, parser: CommandParser) -> None:
        command.add_arguments(parser)

    def handle(self, *args: Any, **options: Any) -> None:
        command.run(Namespace(**options))
