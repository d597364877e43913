import sqlite3
from pathlib import Path

import psycopg
import pytest
from django.conf import LazySettings
from django.db import OperationalError

from inspector.archive.storage import disk_space
from tests.archive.disks import disk

GIB, MIB = 1 << 30, 1 << 20


@pytest.mark.embedded
@pytest.mark.parametrize(
    ("total", "left", "is_there"),
    [
        (100 * GIB, GIB, True),
        (100 * GIB, GIB - MIB, False),
        (64 * MIB, 4 * MIB, True),
        (64 * MIB, 3 * MIB, False),
        (64 * MIB, 0, False),
    ],
)
def test_a_gibibyte_is_left_or_a_twentieth_of_a_small_disk(
    monkeypatch: pytest.MonkeyPatch, total: int, left: int, is_there: bool
) -> None:
    monkeypatch.setattr(disk_space.os, "statvfs", lambda path: disk(total, left))
    assert disk_space.has_space() is is_there


@pytest.mark.embedded
def test_a_directory_that_was_removed_has_no_room(settings: LazySettings, tmp_path: Path) -> None:
    settings.DATA_DIR = tmp_path / "removed"
    assert not disk_space.has_space()


def test_the_disk_of_another_database_is_not_ours_to_judge(
    settings: LazySettings, monkeypatch: pytest.MonkeyPatch
) -> None:
    settings.IS_EMBEDDED = False
    monkeypatch.setattr(disk_space.os, "statvfs", lambda path: disk(GIB, 0))
    assert disk_space.has_space()


def of(cause: Exception) -> OperationalError:
    error = OperationalError("said by Django")
    error.__cause__ = cause
    return error


def test_both_databases_are_understood_when_they_say_it_themselves() -> None:
    full, busy = sqlite3.OperationalError("full"), sqlite3.OperationalError("locked")
    full.sqlite_errorcode, busy.sqlite_errorcode = sqlite3.SQLITE_FULL, sqlite3.SQLITE_BUSY
    assert disk_space.is_disk_full(of(full)) and disk_space.is_disk_full(
        of(psycopg.errors.DiskFull())
    )
    assert not disk_space.is_disk_full(of(busy)) and not disk_space.is_disk_full(
        of(psycopg.OperationalError())
    )
