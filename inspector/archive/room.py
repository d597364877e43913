"""Room on the disk: nothing more is taken while there is still enough to work and to delete."""

from __future__ import annotations

import os
import sqlite3

from django.conf import settings
from django.db import OperationalError
from psycopg.errors import DiskFull

SMALLEST_SHARE = 20
"""Of a disk that is so small that the floor would be most of it, one part in so many is kept."""


class NoRoom(OperationalError):
    """As the database would say it of a full disk, before it has to."""


def is_there() -> bool:
    """Of the embedded stack; of the disk that another database lies on only that one knows."""
    if not settings.IS_EMBEDDED:
        return True
    try:
        disk = os.statvfs(settings.DATA_DIR)
    except OSError:
        # What is written into a directory that was removed is lost.
        return False
    floor = min(settings.DISK_FLOOR_BYTES, disk.f_blocks * disk.f_frsize // SMALLEST_SHARE)
    return disk.f_bavail * disk.f_frsize >= floor


def require() -> None:
    if not is_there():
        raise NoRoom("the disk of the data directory is nearly full")


def is_lacking(error: Exception) -> bool:
    """Whether this says so: ours before anything was written, or the database's own."""
    cause = error.__cause__
    of_sqlite = getattr(cause, "sqlite_errorcode", None) == sqlite3.SQLITE_FULL
    return of_sqlite or isinstance(cause, DiskFull) or isinstance(error, NoRoom)
