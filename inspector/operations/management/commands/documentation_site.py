from __future__ import annotations

from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from inspector.documentation.static_site import site_files


class Command(BaseCommand):
    help = (
        "Write the documentation as a static site: the pages of /docs/, with a search that needs no"
        " server. Needs no archive."
    )
    requires_system_checks = ()

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("folder", type=Path, metavar="FOLDER", help="must not exist yet")

    def handle(self, *, folder: Path, **options: Any) -> None:
        try:
            folder.mkdir(parents=True)
            number = sum(1 for name, content in site_files() if _written(folder / name, content))
        except OSError as error:
            raise CommandError(f"{error.filename}: {error.strerror}") from error
        self.stdout.write(f"{number} files, begin with {folder / 'index.html'}")


def _written(path: Path, content: bytes) -> int:
    path.parent.mkdir(parents=True, exist_ok=True)
    return path.write_bytes(content)
