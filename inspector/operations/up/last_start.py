"""Whether all stands as the last start left it: then this one has nothing to make.

Compared are the names, lengths and times of files, and what the archive says was done to it: to
import what would find that nothing is to be done takes longer than all else of a start.
"""

import os
import sqlite3
import sys
from collections.abc import Iterator, Sequence
from contextlib import closing, suppress
from hashlib import sha256
from pathlib import Path

import django
from django.conf import settings

from inspector import installation
from inspector.operations import data_dir
from inspector.version import VERSION

NOTE = "last_start"
MADE_BY = installation.PACKAGE / "web" / "page_files.py"
"""It makes of the files of pages what is served."""
BRIEF_SECONDS = 0.1
"""For those who read or write the archive just now."""


def still_stands() -> bool:
    """Return False also where that cannot be told: then making it anew tells why."""
    with suppress(OSError, ValueError, sqlite3.Error):
        digest, *folders = _note().read_text().splitlines()
        return digest == _digest(folders)
    return False


def remember(apps: Sequence[Path]) -> None:
    """Note how all stands that was made of what lies in the folders of ``apps``."""
    folders = [str(app / name) for app in apps for name in ("static", "migrations")]
    with suppress(OSError, sqlite3.Error):
        data_dir.write_private(_note(), "\n".join([_digest(folders), *folders]))


def opened_archive() -> "closing[sqlite3.Connection]":
    """Raise ``sqlite3.Error`` where there is none."""
    place = (Path(settings.DATA_DIR) / data_dir.DATABASE).as_uri()
    return closing(sqlite3.connect(f"{place}?mode=rw", BRIEF_SECONDS, uri=True))


def _note() -> Path:
    return Path(settings.DATA_DIR) / NOTE


def _digest(folders: Sequence[str]) -> str:
    said = [VERSION, django.__version__, sys.version, settings.INSTALLED_APPS, _file(MADE_BY)]
    with opened_archive() as archive:
        said += archive.execute("SELECT app, name FROM django_migrations ORDER BY id").fetchall()
        said += archive.execute("SELECT count(*) > 0 FROM teams_team").fetchall()
    for folder in map(str, (*settings.STATICFILES_DIRS, *folders, settings.STATIC_ROOT)):
        said += sorted(_files(folder))
    return sha256(repr(said).encode()).hexdigest()


def _files(folder: str) -> Iterator[tuple[str, int, int]]:
    for place, folders, names in os.walk(folder):
        # What Python keeps of a migration is written later, and again.
        folders[:] = [name for name in folders if name != "__pycache__"]
        for name in names:
            yield _file(Path(place, name))


def _file(path: Path) -> tuple[str, int, int]:
    found = path.stat()
    return str(path), found.st_size, found.st_mtime_ns
