"""Broken installations, and what is said of each."""

import os
import sys
from collections.abc import Iterator
from contextlib import ExitStack
from datetime import UTC, datetime, timedelta
from io import StringIO
from pathlib import Path
from typing import Any

import pytest
import time_machine
from django.core.management import CommandError, call_command
from django.db import OperationalError
from django.utils import timezone

from inspector.archive.models import Capture
from inspector.archive.status import readiness
from inspector.archive.storage import disk_space
from inspector.operations import doctor
from inspector.web.page_files import whole
from tests.archive.disks import disk
from tests.archive.samples import accept
from tests.http_server import Handler, served
from tests.people import Person

SLASH = "\N{RIGHTWARDS ARROW}"


class Web(Handler):
    headers_sent: dict[str, str] = {}
    text = b'{"alive": true}'

    def do_GET(self) -> None:
        self.answer(200, self.text, self.headers_sent)


class Proxy(Web):
    headers_sent = {"X-Inspector-Error": "no_key"}


class Other(Web):
    text = b"<html>"


@pytest.fixture
def origins() -> Iterator[list[str]]:
    """Yield the origins of web, proxy, and a server of somebody else."""
    with ExitStack() as ending:
        yield [ending.enter_context(served(kind)) for kind in (Web, Proxy, Other)]


@pytest.fixture
def healthy(
    owner: Person,
    settings: Any,
    tmp_path: Path,
    origins: list[str],
    monkeypatch: pytest.MonkeyPatch,
) -> Path:
    """One with nothing wrong, at which the tests break a single thing."""
    folder = tmp_path / "data"
    folder.mkdir()
    os.mkfifo(folder / "bell")
    folder.chmod(0o700)
    (folder / "secret_key").write_text("x" * 64)
    settings.DATA_DIR, settings.BELL = folder, folder / "bell"
    settings.ORIGIN, settings.PROXY_ORIGIN = origins[:2]
    settings.STATIC_ROOT = folder / "static"
    settings.STORAGES = {
        **settings.STORAGES,
        "staticfiles": {
            "BACKEND": "django.contrib.staticfiles.storage.StaticFilesStorage",
            "OPTIONS": {"location": folder / "static"},
        },
    }
    (folder / "static" / "dashboard").mkdir(parents=True)
    (folder / "static" / "staticfiles.json").write_text("{}")
    collected = whole(
        doctor.STYLE, lambda name: Path(settings.BASE_DIR, "static", name).read_text()
    )
    (folder / "static" / doctor.STYLE).write_text(collected)
    monkeypatch.delenv("INSPECTOR_SECRET_KEY", raising=False)
    monkeypatch.setattr(doctor, "has_archive", lambda: True)
    return folder


def troubles() -> dict[str, doctor.Trouble]:
    return {each.part: each.trouble for each in doctor.examine() if each.trouble}


def only(part: str) -> tuple[str, str]:
    found = troubles()
    assert set(found) == {part}
    return found[part].what, found[part].remedy


def test_a_healthy_installation_needs_nothing(healthy: Path) -> None:
    out = StringIO()
    call_command("doctor", stdout=out)
    parts = [line.rsplit(maxsplit=1) for line in out.getvalue().splitlines()]
    assert {word for _, word in parts} == {"ok"}
    assert [part for part, _ in parts] == [
        "Python", "directory", "room", "static files", "broker", "web", "proxy", "database",
        "clocks", "workers",
    ]  # fmt: skip


def test_a_broken_one_is_told_with_its_remedy_and_fails(healthy: Path) -> None:
    (healthy / "static" / "staticfiles.json").unlink()
    out = StringIO()
    with pytest.raises(CommandError, match="1 of 10 parts need something") as failed:
        call_command("doctor", stdout=out)
    assert failed.value.returncode == 1
    assert "static files  they were not collected" in out.getvalue()
    assert f"{SLASH} " in out.getvalue() and "collectstatic --no-input" in out.getvalue()


def test_a_python_that_is_too_old(healthy: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "version_info", (3, 10, 4))
    assert only("Python")[1] == "run it with Python 3.11 or later"


def test_no_directory_ends_the_examination(healthy: Path, settings: Any) -> None:
    settings.DATA_DIR = healthy / "elsewhere"
    what, remedy = only("directory")
    assert what.endswith("elsewhere is no directory") and "manage.py up" in remedy


def test_a_directory_that_is_open_to_others(healthy: Path) -> None:
    healthy.chmod(0o755)
    assert only("directory") == (f"{healthy} is open to others", f"chmod 700 {healthy}")


def test_a_secret_key_that_is_gone(healthy: Path) -> None:
    (healthy / "secret_key").unlink()
    assert only("directory")[0].startswith("the secret key is missing")


def test_a_disk_that_is_nearly_full(healthy: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(disk_space.os, "statvfs", lambda _: disk(1 << 40, 1 << 20))
    assert only("room")[0].startswith("less than 1024 MiB are left")


def test_static_files_of_another_release(healthy: Path) -> None:
    (healthy / "static" / doctor.STYLE).write_text("p {}")
    assert only("static files")[0] == "they are those of another release"


def test_a_bell_that_no_worker_made(healthy: Path, settings: Any) -> None:
    settings.BELL = healthy / "nowhere"
    assert only("broker")[0].endswith("nowhere is missing")


def test_web_that_does_not_run(healthy: Path, settings: Any) -> None:
    settings.ORIGIN = "http://127.0.0.1:1"
    what, remedy = only("web")
    assert what.startswith("nobody answers at http://127.0.0.1:1")
    assert remedy == "start web, or set INSPECTOR_ORIGIN"


def test_a_proxys_origin_that_is_somebody_elses(
    healthy: Path, settings: Any, origins: list[str]
) -> None:
    settings.PROXY_ORIGIN = origins[2]
    assert only("proxy") == (
        f"at {origins[2]} answers something else (200)",
        "start the proxy, or set INSPECTOR_PROXY_ORIGIN",
    )


def test_a_proxy_at_the_origin_of_the_pages(healthy: Path, settings: Any) -> None:
    settings.PROXY_ORIGIN = settings.ORIGIN
    assert only("proxy")[0].startswith("it has the pages' origin")


@pytest.mark.parametrize(
    ("checks", "what", "remedy"),
    [
        ({"migrated": False}, "it is not migrated, or cannot be reached", "migrate"),
        ({"first_team": False}, "it has no team yet", "create_owner NAME"),
        ({"can_commit": False}, "nothing can be written", "see the database's own log"),
    ],
)
def test_a_database_that_is_not_ready(
    healthy: Path,
    monkeypatch: pytest.MonkeyPatch,
    checks: dict[str, bool],
    what: str,
    remedy: str,
) -> None:
    passed = dict.fromkeys(("migrated", "first_team", "can_commit", "has_room"), True)
    monkeypatch.setattr(readiness, "run_checks", lambda: passed | checks)
    found = only("database")
    assert found[0] == what and remedy in found[1]


def test_a_database_that_is_none(healthy: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def fails() -> None:
        raise OperationalError("file is not a database")

    monkeypatch.setattr(readiness, "run_checks", fails)
    assert only("database")[0] == "it cannot be used (file is not a database)"


def test_an_archive_that_was_never_made(healthy: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(doctor, "has_archive", lambda: False)
    assert only("database")[0] == "there is none yet"


def test_clocks_that_differ(healthy: Path) -> None:
    with time_machine.travel(datetime.now(UTC) + timedelta(minutes=1)):
        what, _ = only("clocks")
    assert what in (
        "the database's is 60 s behind this one",
        "the database's is 59 s behind this one",
    )


def test_captures_that_nobody_inspects(healthy: Path, owner: Person) -> None:
    waits, past = accept(owner), timezone.now() - timedelta(hours=1)
    Capture.objects.filter(id=waits).update(finished_at=past, due_at=past)
    what, remedy = only("workers")
    assert what.startswith("1 captures are due and taken by nobody")
    assert "worker" in remedy and "sweep" in remedy
