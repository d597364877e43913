"""Refuses captures on a nearly full disk while there is still room to work and to delete."""

import os
import sqlite3
from pathlib import Path

from django.conf import settings
from django.db import OperationalError

from inspector.database.portability import DISK_FULL, sqlstate

# On a disk so small that the floor would be most of it, this fraction is kept free instead.
SMALLEST_SHARE = 20


class DiskNearlyFull(OperationalError):
    """The disk is nearly full. Derived from the error that a database raises on a full disk."""


def has_space() -> bool:
    # Only the embedded stack's database lies on this disk.
    return not settings.IS_EMBEDDED or has_space_at(settings.DATA_DIR)


def has_space_at(folder: Path) -> bool:
    try:
        disk = os.statvfs(folder)
    except OSError:
        # What is written into a directory that was removed is lost.
        return False
    # On a small disk the usual floor would be most of it.
    floor = min(settings.DISK_FLOOR_BYTES, disk.f_blocks * disk.f_frsize // SMALLEST_SHARE)
    return disk.f_bavail * disk.f_frsize >= floor


def require_space() -> None:
    if not has_space():
        raise DiskNearlyFull("the disk of the data directory is nearly full")


def is_disk_full(error: Exception) -> bool:
    """Return True for our own error before anything was written, and for a full disk's."""
    of_sqlite = getattr(error.__cause__, "sqlite_errorcode", None) == sqlite3.SQLITE_FULL
    return of_sqlite or sqlstate(error) == DISK_FULL or isinstance(error, DiskNearlyFull)
