"""Archives elsewhere: other data directories and databases, reached by the commands alone."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit
from uuid import uuid4

import msgspec
import psycopg
from django.conf import settings

from inspector.operations.backup.unpacking import open_backup

Rows = dict[str, list[dict[str, Any]]]


@dataclass(frozen=True)
class Place:
    environment: dict[str, str]

    def run(self, *command: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            [sys.executable, "manage.py", *command],
            cwd=settings.BASE_DIR,
            env=self.environment,
            capture_output=True,
            text=True,
            check=False,
        )

    def later(self) -> Place:
        """The same data under an invented later release."""
        settings_module = "tests.operations.later_settings"
        return Place(self.environment | {"DJANGO_SETTINGS_MODULE": settings_module})

    def done(self, *command: str) -> str:
        ended = self.run(*command)
        assert ended.returncode == 0, ended.stderr
        return ended.stdout

    def restored(self, file: Path) -> Rows:
        """What is in it after a restore, by a backup of its own."""
        self.done("restore", str(file))
        again = file.with_name(f"{file.stem}-{uuid4().hex[:6]}.tar")
        self.done("backup", str(again), "--verify")
        return rows_of(again)


def sqlite(folder: Path) -> Place:
    kept = {k: v for k, v in os.environ.items() if k not in ("DATABASE_URL", "REDIS_URL")}
    return Place(kept | {"INSPECTOR_DATA_DIR": str(folder)})


@contextmanager
def postgresql() -> Iterator[Place]:
    """A fresh database beside that of the tests."""
    name, server = f"restored_{uuid4().hex}", urlsplit(settings.DATABASE_URL)
    with psycopg.connect(settings.DATABASE_URL, autocommit=True) as connection:
        connection.execute(f"CREATE DATABASE {name}")  # type: ignore[arg-type]
        try:
            yield Place(os.environ | {"DATABASE_URL": server._replace(path=f"/{name}").geturl()})
        finally:
            connection.execute(f"DROP DATABASE {name} WITH (FORCE)")  # type: ignore[arg-type]


def rows_of(file: Path) -> Rows:
    """Return the rows of every table that has any, in the order of the file."""
    with open_backup(file) as backup:
        return {
            table.name: [msgspec.json.decode(line) for line in backup.lines(table.name)]
            for table in backup.manifest.tables
            if table.rows
        }
