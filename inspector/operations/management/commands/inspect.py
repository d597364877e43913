"""``inspect``, for those who call it by Django. The program runs it without."""

import sys
from argparse import ArgumentParser, Namespace
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from inspector.operations.reports import inspect_command
from inspector.operations.reports.inspect_command import InspectRefusal


class Command(BaseCommand):
    help = inspect_command.HELP
    requires_system_checks: list[str] = []

    def add_arguments(self, parser: ArgumentParser) -> None:
        inspect_command.add_arguments(parser)

    def handle(self, **options: Any) -> None:
        try:
            code = inspect_command.inspect(
                Namespace(**options), options.get("stdout") or sys.stdout
            )
        except InspectRefusal as refusal:
            raise CommandError(str(refusal), returncode=inspect_command.UNUSABLE) from refusal
        if code:
            sys.exit(code)
