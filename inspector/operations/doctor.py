"""Looks through an installation: what is wrong with it, and what to do."""

import http.client
import os
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import urlsplit

from django.conf import settings
from django.contrib.staticfiles import finders
from django.contrib.staticfiles.storage import staticfiles_storage
from django.db import DatabaseError

from inspector.archive.status import readiness
from inspector.archive.status.installation import installation_totals
from inspector.archive.storage import disk_space
from inspector.bootstrap import OLDEST_PYTHON
from inspector.configuration.archive_command import archive_command
from inspector.operations import data_dir
from inspector.web.page_files import whole

STYLE = "dashboard/style.css"
"""Every page has it."""
OWN_ERROR = "X-Inspector-Error"
CLOCK_SECONDS = 5
"""Clocks that NTP sets differ by milliseconds."""
ANSWER_SECONDS = 5.0
"""Time for an answer of what runs beside it: slower is a trouble to tell."""


@dataclass(frozen=True, slots=True)
class Trouble:
    what: str
    remedy: str


@dataclass(frozen=True, slots=True)
class Examined:
    """A part of the installation; ``trouble`` is None where nothing is wrong with it."""

    part: str
    trouble: Trouble | None


def examine() -> Iterator[Examined]:
    yield Examined("Python", python())
    yield Examined("directory", directory())
    if not Path(settings.DATA_DIR).is_dir():
        # All else is in there.
        return
    yield Examined("room", room())
    yield Examined("static files", static_files())
    yield Examined("broker", broker())
    yield Examined("web", web())
    if settings.PROXY_ORIGIN:
        yield Examined("proxy", proxy())
    broken = database()
    yield Examined("database", broken)
    if broken is None:
        yield Examined("clocks", clocks())
        yield Examined("workers", workers())


def python() -> Trouble | None:
    if sys.version_info >= OLDEST_PYTHON:
        return None
    oldest = ".".join(map(str, OLDEST_PYTHON))
    return Trouble(f"this is {sys.version.split()[0]}", f"run it with Python {oldest} or later")


def directory() -> Trouble | None:
    folder = Path(settings.DATA_DIR)
    if not folder.is_dir():
        return Trouble(f"{folder} is no directory", f"{archive_command('up')} makes it")
    if not os.access(folder, os.W_OK | os.X_OK):
        return Trouble(f"{folder} cannot be written", f"chown -R {os.geteuid()} {folder}")
    if settings.IS_EMBEDDED and folder.stat().st_mode & data_dir.OTHERS:
        return Trouble(f"{folder} is open to others", f"chmod 700 {folder}")
    key = Path(settings.DATA_DIR, data_dir.SECRET_KEY)
    if settings.IS_EMBEDDED and not (os.environ.get("INSPECTOR_SECRET_KEY") or key.is_file()):
        return Trouble(
            "the secret key is missing: sessions and links of before do not hold",
            f"put secret_key back from a backup, or {archive_command('up')} makes a new one",
        )
    return None


def room() -> Trouble | None:
    if disk_space.has_space_at(settings.DATA_DIR):
        return None
    floor = settings.DISK_FLOOR_BYTES >> 20
    return Trouble(
        f"less than {floor} MiB are left beside {settings.DATA_DIR}, so nothing more is taken",
        "make room, or delete captures by a rule of retention",
    )


def static_files() -> Trouble | None:
    collect = archive_command("collectstatic --no-input")
    if not staticfiles_storage.exists("staticfiles.json"):
        return Trouble("they were not collected, so that no page can be shown", collect)
    kept = Path(staticfiles_storage.path(STYLE))
    if not kept.exists() or kept.read_text() != whole(STYLE, _own_text):
        return Trouble("they are those of another release", collect)
    return None


def _own_text(name: str) -> str:
    found = finders.find(name)
    assert found, "a release has all of its files"
    return Path(found).read_text()


def broker() -> Trouble | None:
    if settings.IS_EMBEDDED:
        if settings.BELL.is_fifo():
            return None
        return Trouble(f"{settings.BELL} is missing", f"{archive_command('up')} makes it")
    # Imported here: no embedded installation needs it.
    from inspector.celery import app

    try:
        with app.connection_for_write() as connection:
            connection.ensure_connection(max_retries=1, timeout=int(ANSWER_SECONDS))
    except Exception as error:
        # Of redis, kombu or the socket: whatever it is, captures are inspected all the same.
        return Trouble(
            f"Redis cannot be reached ({type(error).__name__}); captures wait for the sweep",
            "start Redis, or correct REDIS_URL",
        )
    return None


def web() -> Trouble | None:
    return _wrong_at(
        settings.ORIGIN,
        "/livez",
        lambda answer: answer.status == 200 and answer.read(1) == b"{",
        "start web, or set INSPECTOR_ORIGIN",
    )


def proxy() -> Trouble | None:
    if settings.PROXY_ORIGIN == settings.ORIGIN:
        return Trouble(
            "it has the pages' origin: what a provider answers could speak for them in a browser",
            "give it a port or a name of its own, and set INSPECTOR_PROXY_ORIGIN",
        )
    return _wrong_at(
        settings.PROXY_ORIGIN,
        "/proxy/",
        # It refuses what names no key.
        lambda answer: OWN_ERROR in answer.headers,
        "start the proxy, or set INSPECTOR_PROXY_ORIGIN",
    )


def _wrong_at(
    origin: str, path: str, is_ours: Callable[[http.client.HTTPResponse], bool], remedy: str
) -> Trouble | None:
    parts = urlsplit(origin)
    secure = parts.scheme == "https"
    kind = http.client.HTTPSConnection if secure else http.client.HTTPConnection
    connection = kind(parts.netloc, timeout=ANSWER_SECONDS)
    try:
        connection.request("GET", path)
        answer = connection.getresponse()
        if is_ours(answer):
            return None
        return Trouble(f"at {origin} answers something else ({answer.status})", remedy)
    except (OSError, http.client.HTTPException) as error:
        return Trouble(f"nobody answers at {origin} ({error})", remedy)
    finally:
        connection.close()


def database() -> Trouble | None:
    if not has_archive():
        return Trouble("there is none yet", f"{archive_command('up')} makes it")
    try:
        checks = readiness.run_checks()
    except DatabaseError as error:
        return Trouble(f"it cannot be used ({error})", f"{archive_command('restore BACKUP')}")
    if not checks["migrated"]:
        return Trouble("it is not migrated, or cannot be reached", archive_command("migrate"))
    if not checks["first_team"]:
        return Trouble("it has no team yet", archive_command("create_owner NAME"))
    if not checks["can_commit"]:
        return Trouble("nothing can be written", "see the database's own log")
    return None


def has_archive() -> bool:
    """To connect to an embedded one would make it."""
    return not settings.IS_EMBEDDED or Path(settings.DATA_DIR, data_dir.DATABASE).is_file()


def clocks() -> Trouble | None:
    seconds = readiness.clock_difference().total_seconds()
    if abs(seconds) <= CLOCK_SECONDS:
        return None
    return Trouble(
        f"the database's is {abs(seconds):.0f} s {'before' if seconds > 0 else 'behind'} this one",
        "let NTP set both",
    )


def workers() -> Trouble | None:
    overdue = installation_totals().overdue
    if not overdue:
        return None
    return Trouble(
        f"{overdue:,} captures are due and taken by nobody: neither worker nor sweep runs",
        f"start them: {archive_command('worker')}, {archive_command('sweep')}",
    )
