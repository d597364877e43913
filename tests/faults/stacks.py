"""One installation on servers of its own, in real processes that may be held, struck and ended."""

import json
import os
import secrets
import signal
import socket
import sqlite3
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, closing, contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from threading import Event, RLock, Thread
from typing import TypeVar

import psycopg
import zstandard
from django.conf import settings
from django.test import override_settings

from development import servers
from development.servers import Programs
from inspector.operations.up import programs
from inspector.operations.up.address import ListenAddress
from inspector.operations.up.supervisor import Child, Program
from tests.faults.form import Form
from tests.faults.ledger import Ledger
from tests.faults.sender import Sender, body_of, next_key

Found = TypeVar("Found")

EMBEDDED, PRODUCTION = "embedded", "production"
SMALL_DISK = "small disk"
"""As in production, with PostgreSQL on a disk of its own that may be filled."""
BOUND_SECONDS = 300.0
# $0: its options, $1: its place; it ends with the pipe that only this process holds open.
KEEPS_DISK = (
    'mount -t tmpfs -o "$0" faults "$1" && echo made && read -r _; umount -l "$1"; rmdir "$1"'
)
DISK_BYTES = {EMBEDDED: 128 * 1024 * 1024, SMALL_DISK: 256 * 1024 * 1024}
# Of the log that PostgreSQL keeps; as shipped it would be larger than that disk.
SMALL_LOG = ("min_wal_size=32MB", "max_wal_size=48MB")
PREPARES = """
from pathlib import Path
from django.conf import settings
from django.core.management import call_command
from inspector.operations import data_dir
from inspector.teams import first_team
from inspector.teams.accounts import create_owner, find_team
from inspector.teams.keys import create_api_key
data_dir.prepare()
call_command("migrate", interactive=False, verbosity=0)
create_owner("faults")
Path(settings.STATIC_ROOT).mkdir(exist_ok=True)
print(create_api_key(find_team(first_team.SLUG), "sender"))
"""


@dataclass(frozen=True, slots=True)
class Kept:
    """A capture as the database has it, asked without the product."""

    id: str
    key: str | None
    state: str
    reason: str | None
    attempt: int
    inspections: int
    choices: int


class Stack:
    """Programs are started again as soon as they end, unless they are held."""

    def __init__(self, name: str, form: Form, folder: Path, found: Programs) -> None:
        self.name, self.form, self.folder, self.found = name, form, folder, found
        self.servers = ExitStack()
        self.armed = folder / "armed"
        self.armed.mkdir()
        self.data = folder / "data"
        self.disk: Path | None = None
        """Its own, where it has one and may have one."""
        self.metrics_key = secrets.token_hex(16)
        self.database_url = self.redis_url = ""
        self.proxy_flags: tuple[str, ...] = ()
        self.ports = {"web": servers.free_port(), "web-2": servers.free_port()}
        self.owed: list[tuple[str, bytes]] = []
        """Refused, and to be sent again when all is well."""
        self._children: dict[str, Child] = {}
        self._held: set[str] = set()
        self._lock = RLock()
        self._ending = Event()
        self._keeper = Thread(target=self._keep, name="keeper", daemon=True)
        self._lifeline, self._held_open = os.pipe()
        self._secret = secrets.token_urlsafe(48)

    def pay(self) -> None:
        while self.owed:
            self.sender.send(*self.owed.pop())

    # -- from start to end --------------------------------------------------------------------

    def start(self) -> None:
        if self.name in DISK_BYTES:
            self.disk = self.servers.enter_context(own_disk(DISK_BYTES[self.name]))
        if self.name == EMBEDDED:
            self.data = (self.disk or self.folder) / "data"
        else:
            self.cluster = self.servers.enter_context(servers.cluster(self.found, self.disk))
            self.postgresql = self.servers.enter_context(ExitStack())
            self.start_postgresql()
            self.redis = self.servers.enter_context(ExitStack())
            self.start_redis()
        self.sender = Sender(self._prepare(), [self.ports["web"]], Ledger(self.folder / "ledger"))
        self._keeper.start()
        self.release("web", "worker", "sweep")
        self.wait_until_ready()

    def end(self) -> None:
        if self._ending.is_set():
            return
        self._ending.set()
        if self._keeper.is_alive():
            self._keeper.join()
        for child in self._children.values():
            child.kill()
        os.close(self._held_open)
        os.close(self._lifeline)
        self.servers.close()

    def start_postgresql(self) -> None:
        safety = (*servers.CARELESS, *(SMALL_LOG if self.name == SMALL_DISK else ()))
        server = servers.postgresql_in(self.found, self.cluster, safety)
        self.database_url = self.postgresql.enter_context(server)

    def start_redis(self) -> None:
        self.redis_url = self.redis.enter_context(servers.redis_server(self.found, self.redis_url))

    def _prepare(self) -> str:
        return self.done("shell", "--no-imports", "-c", PREPARES).strip()

    def done(self, *command: str, **more: str) -> str:
        """What a command of the product printed; ``more`` goes into its environment."""
        with self.begin(*command, **more) as process:
            try:
                told, errors = process.communicate()
            finally:
                # Also where the test is out of time: nobody else ends it.
                process.kill()
        assert process.returncode == 0, errors
        return told

    def begin(self, *command: str, **more: str) -> subprocess.Popen[str]:
        return subprocess.Popen(
            [sys.executable, "manage.py", *command],
            cwd=settings.BASE_DIR,
            env=self._environment("command", **more),
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )

    def _environment(self, role: str, **more: str) -> dict[str, str]:
        return {
            **os.environ,
            "DATABASE_URL": self.database_url,
            "REDIS_URL": self.redis_url,
            **programs.role(role),
            "DJANGO_SETTINGS_MODULE": "tests.faults.settings",
            "FAULTS": self.form.name,
            "FAULTS_FOLDER": str(self.folder),
            "INSPECTOR_DATA_DIR": str(self.data),
            "INSPECTOR_METRICS_KEY": self.metrics_key,
            "INSPECTOR_PROXY_NETWORKS": "127.0.0.0/8",
            "INSPECTOR_SECRET_KEY": self._secret,
            **more,
        }

    # -- programs -----------------------------------------------------------------------------

    def _program(self, name: str, **more: str) -> Program:
        role = name.partition("-")[0]
        environment = self._environment(role, **more)
        log = self.folder / f"{name}.log"
        # Of this stack, and not of the tests, which have one of their own.
        with override_settings(IS_EMBEDDED=self.name == EMBEDDED):
            return Program(name, self._command(name, role), environment, settings.BASE_DIR, log)

    def _command(self, name: str, role: str) -> tuple[str, ...]:
        address = ListenAddress("127.0.0.1", self.ports.get(name, 0))
        if role == "web":
            return programs.web(address, processes=1)
        if role == "worker":
            return programs.worker(processes=2)
        if role == "proxy":
            return (*programs.proxy(address), *self.proxy_flags)
        older_than = self.form.choose(1, 5)
        return (sys.executable, "manage.py", "sweep", "--older-than", str(older_than))

    def release(self, *names: str, **more: str) -> None:
        """Start what is not running and keep it so; ``more`` goes into its environment."""
        with self._lock:
            for name in names:
                if name not in self._children or more:
                    self.hold(name)
                    self._children[name] = Child(self._program(name, **more), self._lifeline, ())
                self._held.discard(name)
                if self._children[name].group is None:
                    self._children[name].start()

    def hold(self, *names: str) -> None:
        """End it as a machine that fails does, and leave it so."""
        with self._lock:
            self._held.update(names)
            for name in names:
                if child := self._children.get(name):
                    child.kill()
                    child.has_ended()

    @contextmanager
    def held(self, *names: str) -> Iterator[None]:
        self.hold(*names)
        try:
            yield
        finally:
            self.release(*names)

    def ask_to_end(self, name: str) -> None:
        """As a supervisor does on a new release; it is not started again until released."""
        with self._lock:
            self._held.add(name)
            self._children[name].ask_to_end()
        wait_until(lambda: self._has_ended(name), "it ends when asked")

    def _has_ended(self, name: str) -> bool:
        with self._lock:
            return self._children[name].group is None or self._children[name].has_ended()

    def leader(self, name: str) -> int:
        """The program itself."""
        return wait_for(lambda: self._children[name].group, f"{name} runs") or 0

    def processes(self, name: str) -> list[int]:
        """Those that do the program's work: the worker's pool, where it has one, the web's."""
        if self.name == EMBEDDED and name == "worker":
            return [self.leader(name)]
        return wait_for(lambda: children_of(self.leader(name)), f"{name} has processes")

    def family(self, name: str) -> list[int]:
        leader = self.leader(name)
        return [leader, *children_of(leader)]

    def signal_group(self, name: str, number: signal.Signals) -> None:
        """All of a program at once."""
        with self._lock:
            group = self._children[name].group
        if group is not None:
            with suppress(ProcessLookupError):
                os.killpg(group, number)

    def _keep(self) -> None:
        while not self._ending.wait(0.1):
            with self._lock:
                for name, child in self._children.items():
                    ended = child.has_ended()
                    if name not in self._held and (ended or child.group is None):
                        child.start()

    def logs(self) -> str:
        return "".join(file.read_text(errors="replace") for file in self.folder.glob("*.log"))

    # -- strikes ------------------------------------------------------------------------------

    def arm(self, name: str) -> None:
        (self.armed / f"{name}.struck").unlink(missing_ok=True)
        (self.armed / name).touch()

    def disarm(self, name: str) -> None:
        (self.armed / name).unlink(missing_ok=True)

    @contextmanager
    def slow_reading(self) -> Iterator[None]:
        """So that somebody is always in the middle of a claim."""
        self.arm("slow")
        try:
            yield
        finally:
            self.disarm("slow")

    def wait_until_struck(self, name: str) -> int:
        """The process that was."""
        struck = self.armed / f"{name}.struck"
        found = wait_for(lambda: struck.exists() and struck.read_text(), f"{name} strikes")
        return int(found)

    # -- asking -------------------------------------------------------------------------------

    def wait_until_ready(self) -> None:
        wait_until(self._is_ready, "web is ready")

    def _is_ready(self) -> bool:
        with suppress(OSError, json.JSONDecodeError):
            return self.sender.get("/readyz").status == 200
        return False

    def is_listening(self, name: str) -> bool:
        with suppress(OSError), socket.create_connection(("127.0.0.1", self.ports[name]), 1):
            return True
        return False

    def counts(self) -> dict[str, int]:
        """The account, by state, as the product tells it."""
        lines = self.sender.get("/metrics", self.metrics_key).body.decode().splitlines()
        told = [line for line in lines if line.startswith("inspector_captures{")]
        assert told, "the metrics tell no account"
        return {line.split('"')[1]: int(float(line.split()[-1])) for line in told}

    def ask(self, sql: str) -> list[tuple[object, ...]]:
        if self.name != EMBEDDED:
            with psycopg.connect(self.database_url) as connection:
                return connection.execute(sql.encode()).fetchall()
        with closing(sqlite3.connect(self.sqlite, timeout=30)) as file:
            return file.execute(sql).fetchall()

    @property
    def sqlite(self) -> Path:
        return self.data / "inspector.sqlite3"

    def kept(self) -> dict[str, Kept]:
        found = self.ask(KEPT)
        return {plain(row[0]): Kept(plain(row[0]), *row[1:]) for row in found}  # type: ignore[arg-type]

    def wait_until_rung(self) -> None:
        """The worker has taken a ring that was sent after this began."""
        before = self.pool_log().count("inspected")
        wait_until(lambda: self.pool_log().count("inspected") > before, "the worker hears rings")

    def pool_log(self) -> str:
        return (self.folder / "worker.log").read_text(errors="replace")

    def bodies(self) -> Iterator[tuple[str, bytes]]:
        for capture_id, body in self.ask("SELECT capture_id, body FROM archive_evidence"):
            yield plain(capture_id), zstandard.decompress(bytes(body))  # type: ignore[arg-type]

    def pending(self) -> int:
        found = self.ask(
            "SELECT count(*) FROM archive_capture WHERE state NOT IN ('inspected', 'quarantined')"
        )
        (count,) = found[0]
        return int(str(count))


def refuses(stack: Stack, code: str | None = None) -> bool:
    """As the contract has it, to somebody who asks once. What is taken all the same is kept."""
    key = next_key()
    body = body_of(key)
    stack.sender.ledger.sent(key, body)
    answer = stack.sender.post(body, key)
    if answer.status in (200, 202):
        stack.sender.ledger.acknowledge(key, str(answer.json["id"]))
        return False
    assert answer.status == 503 and answer.headers["Retry-After"], answer
    # Whether it was kept is told to whoever sends it again.
    stack.owed.append((key, body))
    assert code is None or answer.code == code, answer
    return True


def shows(stack: Stack) -> bool:
    """Tell whether the captures that are there already can be listed."""
    answer = stack.sender.get("/api/v1/captures/")
    assert answer.status == 200, answer
    return True


KEPT = """
SELECT id, idempotency_key, state, quarantine_reason, attempt,
    (SELECT count(*) FROM archive_inspection i WHERE i.capture_id = c.id),
    (SELECT count(*) FROM archive_choicerow r WHERE r.capture_id = c.id)
FROM archive_capture c
"""


@contextmanager
def own_disk(size_bytes: int) -> Iterator[Path | None]:
    """A small one that may be filled, gone with this process; None where none may be made."""
    # Not below the folder of the tests, which PostgreSQL's user may not enter.
    folder = tempfile.mkdtemp(prefix="inspector-disk-")
    keeper = subprocess.Popen(
        ["/bin/sh", "-c", KEEPS_DISK, f"size={size_bytes}", folder],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        start_new_session=True,
    )
    with keeper:
        assert keeper.stdin is not None and keeper.stdout is not None
        yield Path(folder) if keeper.stdout.readline() == b"made\n" else None
        keeper.stdin.close()


def plain(capture_id: object) -> str:
    return str(capture_id).replace("-", "")


def children_of(pid: int) -> list[int]:
    """Oldest first."""
    found = [int(entry.name) for entry in Path("/proc").iterdir() if entry.name.isdecimal()]
    return [child for child in sorted(found) if parent_of(child) == pid and not is_tracker(child)]


def parent_of(pid: int) -> int | None:
    with suppress(OSError):
        # The name before it may hold anything but this.
        state = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
        return int(state[1]) if state[0] != "Z" else None
    return None


def is_tracker(pid: int) -> bool:
    """Python's own, beside the processes that somebody asked for."""
    with suppress(OSError):
        return b"resource_tracker" in Path(f"/proc/{pid}/cmdline").read_bytes()
    return False


def wait_until(condition: Callable[[], object], what: str, seconds: float = BOUND_SECONDS) -> float:
    """How long it took."""
    started = time.monotonic()
    while not condition():
        assert time.monotonic() - started < seconds, f"not within {seconds:g} s: {what}"
        time.sleep(0.1)
    return time.monotonic() - started


def wait_for(look: Callable[[], Found], what: str, seconds: float = BOUND_SECONDS) -> Found:
    found: list[Found] = []

    def looks() -> bool:
        found[:] = [look()]
        return bool(found[0])

    wait_until(looks, what, seconds)
    return found[0]
