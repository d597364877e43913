"""What a start finds as the last one left it is not made again; whatever differs is."""

import os
import shutil
import sqlite3
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import pytest
from django.conf import LazySettings

from inspector.operations.up import last_start


def archive(data: Path) -> "closing[sqlite3.Connection]":
    return closing(sqlite3.connect(data / "inspector.sqlite3", isolation_level=None))


@pytest.fixture
def left(tmp_path: Path, settings: LazySettings) -> Path:
    """A folder of data as a start left it, beside the app of which it was made."""
    data, app = tmp_path / "data", tmp_path / "app"
    settings.DATA_DIR, settings.STATIC_ROOT, settings.STATICFILES_DIRS = data, data / "static", []
    for folder in (data / "static", app / "static", app / "migrations"):
        folder.mkdir(parents=True)
    (app / "static" / "page.css").write_text("p {}")
    (app / "migrations" / "0001_initial.py").write_text("operations = []")
    (data / "static" / "page.4f.css").write_text("p {}")
    with archive(data) as made:
        made.execute("CREATE TABLE django_migrations (id INTEGER, app TEXT, name TEXT)")
        made.execute("INSERT INTO django_migrations VALUES (1, 'app', '0001_initial')")
        made.execute("CREATE TABLE teams_team (id INTEGER)")
        made.execute("INSERT INTO teams_team VALUES (1)")
    last_start.remember([app])
    return tmp_path


def test_what_nobody_touched_still_stands(left: Path) -> None:
    (left / "app" / "migrations" / "__pycache__").mkdir()
    (left / "app" / "migrations" / "__pycache__" / "0001_initial.pyc").touch()
    assert last_start.still_stands()


def deletes(path: str) -> Callable[[Path], None]:
    return lambda left: (left / path).unlink()


def writes(path: str, text: str) -> Callable[[Path], None]:
    def write(left: Path) -> None:
        (left / path).write_text(text)

    return write


def executes(statement: str) -> Callable[[Path], None]:
    def execute(left: Path) -> None:
        with archive(left / "data") as made:
            made.execute(statement)

    return execute


@pytest.mark.parametrize(
    "change",
    [
        writes("app/static/new.css", ""),
        writes("app/static/page.css", "p { margin: 0 }"),
        deletes("app/static/page.css"),
        lambda left: os.utime(left / "app" / "static" / "page.css", (1, 1)),
        writes("app/migrations/0002_more.py", ""),
        deletes("data/static/page.4f.css"),
        executes("DELETE FROM django_migrations"),
        executes("INSERT INTO django_migrations VALUES (2, 'app', '0002_more')"),
        executes("DELETE FROM teams_team"),
        executes("DROP TABLE teams_team"),
        deletes("data/inspector.sqlite3"),
        writes("data/inspector.sqlite3", "no database"),
        deletes("data/last_start"),
        writes("data/last_start", ""),
    ],
)
def test_whatever_changed_is_made_again(left: Path, change: Callable[[Path], None]) -> None:
    change(left)
    assert not last_start.still_stands()


@pytest.mark.parametrize(
    ("name", "value"),
    [("VERSION", "9.0"), ("django.__version__", "9.0"), ("settings.INSTALLED_APPS", ["app"])],
)
def test_another_release_makes_all_again(
    left: Path, monkeypatch: pytest.MonkeyPatch, name: str, value: object
) -> None:
    monkeypatch.setattr(f"inspector.operations.up.last_start.{name}", value)
    assert not last_start.still_stands()


def test_an_app_that_brings_no_files_may_bring_some_later(left: Path) -> None:
    last_start.remember([left / "app", left / "later"])
    assert last_start.still_stands()
    (left / "later" / "static").mkdir(parents=True)
    (left / "later" / "static" / "page.js").touch()
    assert not last_start.still_stands()


def test_a_copy_of_a_folder_of_data_gets_what_is_served_of_its_own(
    left: Path, settings: LazySettings
) -> None:
    settings.DATA_DIR, settings.STATIC_ROOT = left / "copy", left / "copy" / "static"
    shutil.copytree(left / "data", left / "copy", ignore=shutil.ignore_patterns("static"))
    assert not last_start.still_stands()


def test_what_cannot_be_noted_is_made_again(left: Path) -> None:
    (left / "data" / "last_start").unlink()
    (left / "data" / "inspector.sqlite3").unlink()
    last_start.remember([left / "app"])
    assert not (left / "data" / "last_start").exists()


def test_the_note_is_its_owners(left: Path) -> None:
    note = left / "data" / "last_start"
    assert note.stat().st_mode & 0o777 == 0o600
