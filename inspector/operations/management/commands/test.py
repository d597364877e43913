"""``manage.py test [pytest arguments]``: all tests, with pytest in place of Django's runner."""

from __future__ import annotations

import sys
from typing import Any

from django.core.management.base import BaseCommand

from inspector.operations import suite


class Command(BaseCommand):
    help = (
        "Runs all tests, pages in Chromium included. Arguments are pytest's own: paths, -k, -x … "
        "(pytest's help: test -- --help)"
    )
    requires_system_checks = ()

    def run_from_argv(self, argv: list[str]) -> None:
        """Hand on what Django would refuse as unknown options."""
        arguments = argv[2:]
        if arguments in (["--help"], ["-h"]):
            self.print_help(argv[0], argv[1])
            return
        if arguments[:1] == ["--"]:
            arguments = arguments[1:]
        try:
            sys.exit(suite.run(arguments))
        except KeyboardInterrupt:
            sys.exit(130)

    def handle(self, *args: Any, **options: Any) -> None:
        sys.exit(suite.run(args))
