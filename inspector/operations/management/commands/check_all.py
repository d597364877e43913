"""``manage.py check_all [--fix]``: format, lint, templates, imports, migrations and types."""

from __future__ import annotations

import sys
from typing import Any

from django.core.management.base import BaseCommand, CommandParser

from inspector.operations import checks


class Command(BaseCommand):
    help = "Checks everything besides the tests; --fix mends what can be mended."
    requires_system_checks = ()

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("--fix", action="store_true", help="apply formatting and safe fixes")

    def handle(self, *args: Any, **options: Any) -> None:
        if not checks.run_all(checks.all_checks(), fix=options["fix"]):
            sys.exit(1)
