"""Who takes the load: ours as ``manage.py up`` starts it, a bare skeleton, and Arize Phoenix.

Each is a process group of its own (``inspector.operations.up.supervisor``), on a port of the
loopback and a database of its own; it ends with the measurement, however that ends.
"""

import http.client
import json
import os
import struct
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path

from databases import Database
from environments import python_of
from load import HOST, request

from development.servers import free_port
from inspector.operations.up.supervisor import Program, Supervisor

HERE = Path(__file__).resolve().parent
ROOT = HERE.parent
OURS, SKELETON, PHOENIX = "ours", "skeleton", "Phoenix"
READY_WITHIN_SECONDS = 300.0
NO_RATE_LIMIT = "1000000"
WEB_THREADS = 2
"""As in inspector.settings, which cannot be read without being configured by it."""
NDJSON = "application/x-ndjson"
SSE_TYPE = "text/event-stream"
PROTOBUF = "application/x-protobuf"
CLOCK_TICKS = os.sysconf("SC_CLK_TCK")
PAGE_BYTES = os.sysconf("SC_PAGE_SIZE")


@dataclass(frozen=True, slots=True)
class Load:
    """Bodies, and how many of them one call carries."""

    name: str
    content_type: str
    bodies: Sequence[bytes]
    per_call: int = 1

    def calls(self) -> Iterator[Sequence[bytes]]:
        for at in range(0, len(self.bodies), self.per_call):
            yield self.bodies[at : at + self.per_call]


@dataclass(frozen=True, slots=True)
class System:
    name: str
    port: int
    database: Database
    processed: str
    """SQL that counts what is inspected, queryable, or simply there."""
    requests: Callable[[Load], list[bytes]]
    root: int
    """The process above all of its processes."""


@dataclass(frozen=True, slots=True)
class Process:
    id: int
    parent: int
    rss_bytes: int
    cpu_seconds: float


def processes(root: int) -> list[Process]:
    """``root`` and those below it; a guard is none of the program's own."""
    every = {process.id: process for process in every_process()}
    found = [p for p in every.values() if p.id == root or root in above(p, every)]
    return [process for process in found if b"guard.py" not in command(process.id)]


def every_process() -> Iterator[Process]:
    for folder in Path("/proc").glob("[0-9]*"):
        with suppress(OSError):
            told = (folder / "stat").read_text().rpartition(")")[2].split()
            rss_bytes = int(told[21]) * PAGE_BYTES
            cpu_seconds = (int(told[11]) + int(told[12])) / CLOCK_TICKS
            yield Process(int(folder.name), int(told[1]), rss_bytes, cpu_seconds)


def above(process: Process, every: dict[int, Process]) -> Iterator[int]:
    while process.parent in every:
        yield process.parent
        process = every[process.parent]


def command(pid: int) -> bytes:
    with suppress(OSError):
        return Path(f"/proc/{pid}/cmdline").read_bytes()
    return b""


@contextmanager
def ours(
    folder: Path, database: Database, redis_url: str | None, proxy_port: int = 0
) -> Iterator[System]:
    """Web, worker and sweep, and the proxy if it has a port; ``folder`` is the data directory."""
    port = free_port()
    environment = environment_of_ours(folder, database, redis_url)
    ports = ("--port", str(port), "--proxy-port", str(proxy_port))
    command = (sys.executable, "manage.py", "up", *ports)
    with running(Program(OURS, command, environment, ROOT, folder / "up.log")) as root:
        wait_until_ready(port, folder / "up.log")
        key = _key(environment)
        # The samples of a first start are inspected before anything is counted.
        while database.number("SELECT count(*) FROM archive_capture WHERE state <> 'inspected'"):
            time.sleep(0.1)
        processed = "SELECT count(*) FROM archive_capture WHERE state = 'inspected'"
        yield System(OURS, port, database, processed, lambda load: _posts(load, key), root)


def environment_of_ours(folder: Path, database: Database, redis_url: str | None) -> dict[str, str]:
    environment = environment_in(folder)
    environment |= {"INSPECTOR_REQUESTS_PER_SECOND": NO_RATE_LIMIT}
    # The embedded stack lets its owner name upstreams on the loopback.
    if redis_url:
        environment |= {"DATABASE_URL": database.url, "REDIS_URL": redis_url}
        environment |= {"INSPECTOR_SECRET_KEY": "of a measurement, and of nothing else"}
        environment |= {"INSPECTOR_PROXY_NETWORKS": f"{HOST}/32"}
    return environment


def key_in(folder: Path) -> str:
    """Return a key for the installation whose data directory this is."""
    return _key(environment_in(folder))


def environment_in(folder: Path) -> dict[str, str]:
    return environment_of(INSPECTOR_BOOTSTRAP="0", INSPECTOR_DATA_DIR=str(folder))


def _key(environment: dict[str, str]) -> str:
    return manage(environment, "create_api_key", "--team", "default", "--name", "load")


def manage(environment: dict[str, str], *words: str) -> str:
    """Return what a command of manage.py prints."""
    command = [sys.executable, "manage.py", *words]
    done = subprocess.run(
        command, cwd=ROOT, env=environment, capture_output=True, text=True, check=True
    )
    return done.stdout.strip()


def _posts(load: Load, key: str) -> list[bytes]:
    place = "/api/v1/captures/"
    if load.per_call == 1:
        return [request(place, load.content_type, body, key) for body in load.bodies]
    batches = (b"".join(map(_envelope, bodies)) for bodies in load.calls())
    return [request(f"{place}batch/", NDJSON, batch, key) for batch in batches]


def _envelope(body: bytes) -> bytes:
    return json.dumps({"response": {"body": body.decode()}}).encode() + b"\n"


@contextmanager
def skeleton(folder: Path, database: Database) -> Iterator[System]:
    """Serve as ``inspector.operations.up.programs`` serves ours."""
    port, workers = free_port(), os.cpu_count() or 1
    environment = environment_of(
        PYTHONPATH=f"{ROOT}{os.pathsep}{HERE}",
        SKELETON_DATABASE=database.url,
    )
    served = f"granian --interface wsgi --http 1 --host {HOST} --port {port} --workers {workers}"
    threads = ("--blocking-threads", str(WEB_THREADS), "--no-ws", "skeleton:application")
    command = (sys.executable, "-m", *served.split(), *threads)
    database.make_table()
    with running(Program(SKELETON, command, environment, HERE, folder / "log")) as root:
        wait_until_ready(port, folder / "log")
        yield System(SKELETON, port, database, "SELECT count(*) FROM bare", _bare, root)


def _bare(load: Load) -> list[bytes]:
    if load.per_call == 1:
        return [request("/", load.content_type, body) for body in load.bodies]
    batches = (b"".join(map(_envelope, bodies)) for bodies in load.calls())
    return [request("/batch/", NDJSON, batch) for batch in batches]


@contextmanager
def phoenix(folder: Path, database: Database, peer: Path) -> Iterator[System]:
    """Serve the peer from an environment of its own in the folder ``peer``, made where none is."""
    python, port = python_of(peer, HERE / "phoenix.lock"), free_port()
    url = database.url if database.is_postgresql else f"sqlite:///{database.url}"
    environment = environment_of(
        PHOENIX_ALLOW_EXTERNAL_RESOURCES="false",
        PHOENIX_GRPC_PORT=str(free_port()),
        PHOENIX_HOST=HOST,
        PHOENIX_PORT=str(port),
        PHOENIX_SQL_DATABASE_URL=url,
        PHOENIX_TELEMETRY_ENABLED="false",
        PHOENIX_WORKING_DIR=str(folder),
    )
    command = (str(python.with_name("phoenix")), "serve")
    with running(Program(PHOENIX, command, environment, folder, folder / "log")) as root:
        wait_until_ready(port, folder / "log")
        processed = "SELECT count(*) FROM spans"
        yield System(PHOENIX, port, database, processed, lambda load: _spans(load, python), root)


def _spans(load: Load, python: Path) -> list[bytes]:
    """Made by the peer's own library, with ids that were never sent before."""
    bodies = b"".join(struct.pack("!I", len(body)) + body for body in load.bodies)
    command = [str(python), str(HERE / "spans.py"), str(load.per_call)]
    made = subprocess.run(command, input=bodies, capture_output=True, check=True).stdout
    requests, at = [], 0
    while at < len(made):
        (length,) = struct.unpack_from("!I", made, at)
        requests.append(request("/v1/traces", PROTOBUF, made[at + 4 : at + 4 + length]))
        at += 4 + length
    return requests


def environment_of(**variables: str) -> dict[str, str]:
    """Nothing of this shell's, so that every run is alike."""
    return {"PATH": os.environ["PATH"], "HOME": os.environ.get("HOME", "/"), **variables}


@contextmanager
def running(program: Program) -> Iterator[int]:
    supervisor = Supervisor([program], print)
    try:
        supervisor.start()
        yield supervisor.children[0].group or 0
    finally:
        supervisor.end()


def wait_until_ready(port: int, log: Path, path: str = "/readyz") -> None:
    deadline = time.monotonic() + READY_WITHIN_SECONDS
    while not _is_ready(port, path):
        if time.monotonic() > deadline:
            raise SystemExit(f"not ready: {log.read_text(errors='replace')[-800:]}")
        time.sleep(0.2)


def _is_ready(port: int, path: str) -> bool:
    connection = http.client.HTTPConnection(HOST, port, timeout=5)
    try:
        connection.request("GET", path)
        return connection.getresponse().status == 200
    except (OSError, http.client.HTTPException):
        return False
    finally:
        connection.close()
