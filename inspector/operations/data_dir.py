"""The data directory: what ``up`` needs in it, and that only one ``up`` uses it."""

from __future__ import annotations

import fcntl
import os
import secrets
import time
from pathlib import Path

from django.conf import settings

from inspector.operations.refusal import Refusal

WAIT_FOR_ABANDONED_SECONDS = 8.0
PRIVATE_FOLDER = 0o700
PRIVATE_FILE = 0o600
OTHERS = 0o077
DATABASE, SECRET_KEY = "inspector.sqlite3", "secret_key"
MADE_FIRST = {"broker", "logs", "static"}
"""What may stand in a data directory before there is an archive in it."""


def logs() -> Path:
    return Path(settings.DATA_DIR) / "logs"


def prepare() -> bool:
    """Make every folder; captures are private, so the data directory is.

    True where one that was there was open to others, and is no more.
    """
    broker, data = Path(settings.BROKER_DIR), Path(settings.DATA_DIR)
    try:
        data.mkdir(mode=PRIVATE_FOLDER, parents=True, exist_ok=True)
        was_open = close(data)
        for folder in (logs(), broker / "queue", broker / "control"):
            folder.mkdir(mode=PRIVATE_FOLDER, parents=True, exist_ok=True)
    except OSError as error:
        raise cannot_write(error) from error
    return was_open


def close(data: Path) -> bool:
    """Nobody but the owner looks in. Refuses a directory that may be there for others, too."""
    mode = data.stat().st_mode & 0o7777
    was_open = bool(mode & OTHERS)
    if was_open:
        if not is_ours(data):
            raise Refusal(
                f"{data} is open to others (mode {mode:03o}), and responses are not for them: "
                f"chmod 700 {data}, or choose another directory with --data-dir."
            )
        data.chmod(PRIVATE_FOLDER)
    for file in data.glob(f"{DATABASE}*"):
        if file.stat().st_mode & OTHERS:
            file.chmod(PRIVATE_FILE)
    return was_open


def is_ours(data: Path) -> bool:
    """By its owner and by what is in it: nobody wants a closed /tmp."""
    names = {path.name for path in data.iterdir()}
    has_archive = bool(names & {DATABASE, SECRET_KEY})
    return data.stat().st_uid == os.geteuid() and (has_archive or names <= MADE_FIRST)


def cannot_write(error: OSError) -> Refusal:
    return Refusal(
        f"Cannot write to {settings.DATA_DIR}: {error.strerror}. "
        "Choose another directory with --data-dir."
    )


def hold(note: str) -> int:
    """Keep every other ``up`` off this directory; returns the descriptor that holds the lock.

    Guards inherit it. After a supervisor was killed they end its programs within seconds, so a
    lock whose owner is gone is worth a short wait.
    """
    try:
        lock = os.open(Path(settings.DATA_DIR) / "up.lock", os.O_RDWR | os.O_CREAT, PRIVATE_FILE)
    except OSError as error:
        raise cannot_write(error) from error
    deadline = time.monotonic() + WAIT_FOR_ABANDONED_SECONDS
    while not is_taken(lock):
        owner, _, address = os.pread(lock, 500, 0).decode().partition(" ")
        if is_alive(owner) or time.monotonic() > deadline:
            os.close(lock)
            raise Refusal(f"Already running on {settings.DATA_DIR}: {address} (process {owner}).")
        time.sleep(0.1)
    os.ftruncate(lock, 0)
    os.pwrite(lock, f"{os.getpid()} {note}".encode(), 0)
    return lock


def is_taken(lock: int) -> bool:
    try:
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True


def is_alive(process: str) -> bool:
    """An owner that has not yet noted who it is has only just begun."""
    if not process.isdigit():
        return True
    try:
        os.kill(int(process), 0)
    except ProcessLookupError:
        return False
    except PermissionError:
        pass
    return True


def ensure_secret_key() -> None:
    """Written once, readable by the owner only; the environment's key needs no file."""
    if not os.environ.get("INSPECTOR_SECRET_KEY"):
        path = Path(settings.DATA_DIR) / SECRET_KEY
        if not path.exists():
            write(path, secrets.token_urlsafe(48))


def write(path: Path, text: str) -> None:
    """All of it or nothing, and private from the first byte on."""
    fresh = path.with_name(path.name + ".new")
    fresh.unlink(missing_ok=True)
    with open(os.open(fresh, os.O_WRONLY | os.O_CREAT | os.O_EXCL, PRIVATE_FILE), "w") as file:
        file.write(text)
    fresh.replace(path)
