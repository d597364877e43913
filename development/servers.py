"""Private, temporary PostgreSQL and Redis servers.

PostgreSQL listens on a socket in a folder of its own, Redis on a free loopback port with a
password. A shell process waits for EOF on a pipe that only this process holds open, then stops the
server and removes its folder, however this process ended.
"""

import os
import pwd
import secrets
import shutil
import socket
import subprocess
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import urlsplit

import psycopg
import redis

from development import packages

HOW_TO_GET_THEM = (
    "apt-get install postgresql redis-server, or set TEST_DATABASE_URL and TEST_REDIS_URL"
)
SHIPPED_NGINX = Path(__file__).resolve().parents[1] / "deploy" / "nginx"
DEBIAN_POSTGRESQL = Path("/usr/lib/postgresql")
NOBODYS_PORT = 1
READY_WITHIN_SECONDS = 30.0
ENDED_WITHIN_SECONDS = 20.0
FOR_EVER_SECONDS = "2147483647"
# PostgreSQL refuses to run as root.
ORDINARY_USERS = ("postgres", "nobody")
POSTGRESQL_OPTIONS = ("listen_addresses=", "max_connections=100")
# No durability: the data is never needed after a crash.
CARELESS = ("fsync=off", "full_page_writes=off")

# $0 is the signal that stops the server, $1 its folder; the rest is its command line.
KEEPER = 'f=$1; shift; "$@" </dev/null & read -r _; kill -s "$0" $!; wait $!; rm -rf "$f"'


@dataclass(frozen=True, slots=True)
class Programs:
    """Paths of the server programs."""

    initdb: Path
    postgres: Path
    redis: Path


@dataclass(frozen=True, slots=True)
class Servers:
    database_url: str
    redis_url: str


def find() -> Programs | None:
    """Find them on PATH, or PostgreSQL in Debian's versioned folder, newest first."""
    newest = sorted(DEBIAN_POSTGRESQL.glob("*/bin"), key=_version, reverse=True)
    path = os.pathsep.join([os.environ.get("PATH", ""), *map(str, newest)])
    found = [shutil.which(name, path=path) for name in ("initdb", "postgres", "redis-server")]
    paths = [Path(name) for name in found if name]
    return Programs(*paths) if len(paths) == len(found) else None


def find_or_install() -> Programs | None:
    found = find()
    if (found is None or find_nginx() is None) and packages.may_install():
        packages.install("postgresql", "redis-server", "nginx-light")
        found = find()
    return found


def find_nginx() -> str | None:
    return shutil.which("nginx", path=os.pathsep.join([os.environ.get("PATH", ""), "/usr/sbin"]))


def _version(folder: Path) -> int:
    name = folder.parent.name
    return int(name) if name.isdecimal() else 0


def trouble_at(url: str) -> str:
    """One line on why the server at a URL cannot be used; "" if it can."""
    try:
        if url.startswith("redis"):
            with redis.Redis.from_url(url) as client:
                client.ping()
        else:
            psycopg.connect(url).close()
    except (psycopg.OperationalError, redis.RedisError, ValueError) as error:
        return str(error).strip().partition("\n")[0]
    return ""


@contextmanager
def running(programs: Programs) -> Iterator[Servers]:
    with postgresql(programs) as database_url, redis_server(programs) as redis_url:
        yield Servers(database_url, redis_url)


@contextmanager
def postgresql(programs: Programs, safety: Sequence[str] = CARELESS) -> Iterator[str]:
    """Start a server on an empty cluster; yields its URL."""
    with cluster(programs) as folder, postgresql_in(programs, folder, safety) as url:
        yield url


@contextmanager
def cluster(programs: Programs, place: Path | None = None) -> Iterator[Path]:
    """Create an empty cluster that outlives its servers, in ``place`` or a temporary folder."""
    folder = _folder(place)
    # The C locale compares by code point, as SQLite does, and makes initdb faster.
    made = ("-A", "trust", "-U", "inspector", "-E", "UTF8", "--locale=C", "--no-sync")
    _run(folder, str(programs.initdb), "-D", str(folder / "data"), *made)
    with _kept(folder, "TERM", "sleep", FOR_EVER_SECONDS):
        yield folder


@contextmanager
def postgresql_in(
    programs: Programs, cluster: Path, safety: Sequence[str] = CARELESS
) -> Iterator[str]:
    """Start a server on a cluster; it stops immediately, as in a crash, and the next one recovers.

    Without options in ``safety`` commits are as durable, and as slow, as in production.
    """
    folder = _folder()
    options = (*POSTGRESQL_OPTIONS, *safety, f"unix_socket_directories={cluster}")
    flags = [part for option in options for part in ("-c", option)]
    url = f"postgresql://inspector@/postgres?host={cluster}"
    with _kept(folder, "QUIT", str(programs.postgres), "-D", str(cluster / "data"), *flags):
        _wait_until_ready(lambda: psycopg.connect(url).close(), folder)
        yield url


@contextmanager
def redis_server(programs: Programs, url: str = "") -> Iterator[str]:
    """Start Redis without persistence: its data is lost when it ends.

    With the URL of an earlier server it listens at the same address.
    """
    folder, earlier = _folder(), urlsplit(url)
    password, port = earlier.password or secrets.token_hex(16), earlier.port or free_port()
    configuration = folder / "redis.conf"
    # Passed in a file: other users can read command lines.
    configuration.write_text(
        f'bind 127.0.0.1\nport {port}\nrequirepass {password}\nsave ""\ndir {folder}\n'
    )
    _give_away(configuration)
    url = f"redis://:{password}@127.0.0.1:{port}/0"
    with _kept(folder, "TERM", str(programs.redis), str(configuration)):
        with redis.Redis.from_url(url) as client:
            _wait_until_ready(client.ping, folder)
        yield url


def nginx_configuration(
    folder: Path,
    port: int,
    webs: Sequence[int],
    proxies: Sequence[int] = (),
    calls_port: int | None = None,
) -> Path:
    """Copy the shipped nginx configuration to ``folder`` with site files for these ports."""
    shutil.copy(SHIPPED_NGINX / "nginx.conf", folder)
    listen = (SHIPPED_NGINX / "listen.conf").read_text()
    listen = listen.replace("listen 8080;", f"listen 127.0.0.1:{port};")
    calls = f"listen 127.0.0.1:{calls_port};" if calls_port else ""
    listen = listen.replace("listen 8081;", calls).replace("= 8081", f"= {calls_port}")
    (folder / "listen.conf").write_text(listen)
    groups = {"web": webs, "capturing_proxy": proxies or [NOBODYS_PORT]}
    lines = [line for name, ports in groups.items() for line in _nginx_group(name, ports)]
    (folder / "web.conf").write_text("\n".join(lines))
    return folder / "nginx.conf"


def _nginx_group(name: str, ports: Sequence[int]) -> Iterator[str]:
    servers = "".join(f" server 127.0.0.1:{port} max_fails=0;" for port in ports)
    yield f"upstream {name}_group {{{servers} }}"
    yield f"map '' ${name} {{ default {name}_group; }}"


def free_port() -> int:
    with socket.create_server(("127.0.0.1", 0)) as server:
        return int(server.getsockname()[1])


def _user() -> pwd.struct_passwd | None:
    """Account to run servers as; None unless this process is root."""
    if os.geteuid() != 0:
        return None
    names = {entry.pw_name: entry for entry in pwd.getpwall()}
    return next(names[name] for name in ORDINARY_USERS if name in names)


def _folder(place: Path | None = None) -> Path:
    folder = Path(tempfile.mkdtemp(prefix="inspector-server-", dir=place))
    _give_away(folder)
    return folder


def _give_away(path: Path) -> None:
    if user := _user():
        os.chown(path, user.pw_uid, user.pw_gid)


def _as_user() -> dict[str, int | list[int]]:
    user = _user()
    return {"user": user.pw_uid, "group": user.pw_gid, "extra_groups": []} if user else {}


def _run(folder: Path, *command: str) -> None:
    done = subprocess.run(
        command,
        cwd=folder,
        capture_output=True,
        text=True,
        check=False,
        **_as_user(),  # type: ignore[call-overload]
    )
    if done.returncode:
        shutil.rmtree(folder)
        raise RuntimeError(f"{command[0]} failed: {done.stderr.strip()}")


@contextmanager
def _kept(folder: Path, signal: str, *command: str) -> Iterator[None]:
    with (folder / "log").open("wb") as log:
        keeper = subprocess.Popen(
            ["/bin/sh", "-c", KEEPER, signal, str(folder), *command],
            cwd=folder,
            stdin=subprocess.PIPE,
            stdout=log,
            stderr=log,
            start_new_session=True,
            **_as_user(),  # type: ignore[call-overload]
        )
    try:
        yield
    finally:
        keeper.stdin.close()
        keeper.wait(ENDED_WITHIN_SECONDS)


def _wait_until_ready(ask: Callable[[], object], folder: Path) -> None:
    deadline = time.monotonic() + READY_WITHIN_SECONDS
    while True:
        try:
            ask()
            return
        except (psycopg.OperationalError, redis.RedisError) as error:
            if time.monotonic() > deadline:
                raise RuntimeError(f"not ready: {(folder / 'log').read_text()[-500:]}") from error
            time.sleep(0.05)
