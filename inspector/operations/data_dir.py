"""The data directory of ``up``: its folders, permissions, lock and secret key."""

import fcntl
import os
import secrets
import time
from argparse import ArgumentParser
from pathlib import Path

from django.conf import settings

from inspector.operations.operator_error import OperatorError

WAIT_FOR_ABANDONED_SECONDS = 8.0
"""Longer than guards give their programs (`ABANDONED_PATIENCE_SECONDS`) before they end them."""
PRIVATE_FOLDER = 0o700
PRIVATE_FILE = 0o600
OTHERS = 0o077
DATABASE, SECRET_KEY, LOCK = "inspector.sqlite3", "secret_key", "up.lock"
MADE_FIRST = {"logs", "static"}
"""Entries that may exist before the archive was created."""


def add_data_dir_argument(parser: ArgumentParser) -> None:
    """For ``--help`` alone: ``bootstrap`` takes it before settings are read, of every command."""
    parser.add_argument(
        "--data-dir",
        metavar="DIRECTORY",
        help="directory of all data; every command takes this option; default: var/ beside"
        " manage.py, response-inspector/ below ~/.local/share where it is installed",
    )


def logs() -> Path:
    return Path(settings.DATA_DIR) / "logs"


def prepare() -> bool:
    """Create all folders, private to the owner.

    Returns True if an existing directory was readable by others and was closed.
    """
    data = Path(settings.DATA_DIR)
    try:
        data.mkdir(mode=PRIVATE_FOLDER, parents=True, exist_ok=True)
        was_open = make_private(data)
        logs().mkdir(mode=PRIVATE_FOLDER, exist_ok=True)
    except OSError as error:
        raise cannot_write(error) from error
    return was_open


def make_private(data: Path) -> bool:
    """Remove others' permissions. Raises ``OperatorError`` for a directory that may be shared."""
    mode = data.stat().st_mode & 0o7777
    was_open = bool(mode & OTHERS)
    if was_open:
        if not is_data_dir(data):
            raise OperatorError(
                f"{data} is open to others (mode {mode:03o}), and responses are not for them: "
                f"chmod 700 {data}, or choose another directory with --data-dir."
            )
        data.chmod(PRIVATE_FOLDER)
    for file in data.glob(f"{DATABASE}*"):
        if file.stat().st_mode & OTHERS:
            file.chmod(PRIVATE_FILE)
    return was_open


def is_data_dir(data: Path) -> bool:
    # Decided by owner and contents, so that a mistyped path does not close /tmp.
    names = {path.name for path in data.iterdir()}
    has_archive = bool(names & {DATABASE, SECRET_KEY})
    return data.stat().st_uid == os.geteuid() and (has_archive or names <= MADE_FIRST)


def cannot_write(error: OSError) -> OperatorError:
    return OperatorError(
        f"Cannot write to {settings.DATA_DIR}: {error.strerror}. "
        "Choose another directory with --data-dir."
    )


def lock_data_dir(note: str) -> int:
    """Lock the directory against other instances of ``up``; return the lock's file descriptor.

    Guards inherit it. After a supervisor was killed they end its programs within seconds, so a lock
    without a living owner is waited for briefly.
    """
    try:
        lock = os.open(Path(settings.DATA_DIR) / LOCK, os.O_RDWR | os.O_CREAT, PRIVATE_FILE)
    except OSError as error:
        raise cannot_write(error) from error
    deadline = time.monotonic() + WAIT_FOR_ABANDONED_SECONDS
    while not try_lock(lock):
        owner, _, address = os.pread(lock, 500, 0).decode().partition(" ")
        if is_alive(owner) or time.monotonic() > deadline:
            os.close(lock)
            raise OperatorError(
                f"Already running on {settings.DATA_DIR}: {address} (process {owner})."
            )
        time.sleep(0.1)
    os.ftruncate(lock, 0)
    os.pwrite(lock, f"{os.getpid()} {note}".encode(), 0)
    return lock


def is_locked() -> bool:
    """Return True while an instance of ``up`` runs on the directory."""
    try:
        lock = os.open(Path(settings.DATA_DIR) / LOCK, os.O_RDWR)
    except OSError:
        return False
    try:
        return not try_lock(lock)
    finally:
        os.close(lock)


def try_lock(lock: int) -> bool:
    """Lock an open file without waiting; return False if another process has the lock."""
    try:
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True


def is_alive(process: str) -> bool:
    # An owner that has not written its id yet has only just started.
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
    """Create the secret key file unless the key comes from the environment."""
    if not os.environ.get("INSPECTOR_SECRET_KEY"):
        path = Path(settings.DATA_DIR) / SECRET_KEY
        if not path.exists():
            write_private(path, secrets.token_urlsafe(48))


def write_private(path: Path, text: str) -> None:
    """Write the file atomically, with private permissions from the start."""
    fresh = path.with_name(path.name + ".new")
    fresh.unlink(missing_ok=True)
    with open(os.open(fresh, os.O_WRONLY | os.O_CREAT | os.O_EXCL, PRIVATE_FILE), "w") as file:
        file.write(text)
    fresh.replace(path)
