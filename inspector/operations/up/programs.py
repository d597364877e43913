"""Command lines of an installation's programs: web, worker, sweep, proxy."""

import os
import sys
from pathlib import Path
from typing import NoReturn

from django.conf import settings

from inspector import logs
from inspector.operations import data_dir
from inspector.operations.up import supervisor
from inspector.operations.up.address import ListenAddress, UpAddresses
from inspector.operations.up.supervisor import PATIENCE_SECONDS, Program

MAX_WORKER_PROCESSES = 4
"""With web, sweep and proxy eight processes at most: more is what PostgreSQL is for."""
WEB_PATIENCE_SECONDS = 8
"""Less than the supervisor's own patience: granian ends its workers itself."""
CONNECTIONS = 8192
"""Connections per web process, and open files if the system allows it."""
BACKLOG = 2048
HEADER_MILLISECONDS = 10_000
"""The time in nginx's configuration; idle keep-alive connections are closed after it, too."""
GRANIAN_LOG = Path(logs.__file__).with_name("granian.json")
GIVE_WAY = ("worker", "sweep")
PROXY_EXIT_SECONDS = 1
"""For the proxy itself, after its calls and its recorder have ended."""
RECORDER_EXIT_SECONDS = 5
"""As the proxy has it: for a recorder that hangs, before it is killed."""


def embedded(addresses: UpAddresses) -> list[Program]:
    commands = {
        "web": web(addresses.web),
        "worker": worker(),
        "sweep": (*python_module("inspector"), "sweep"),
    }
    if addresses.proxy:
        commands["proxy"] = proxy(addresses.proxy)
    return [program(name, command, addresses) for name, command in commands.items()]


def program(name: str, command: tuple[str, ...], addresses: UpAddresses) -> Program:
    return Program(
        name=name,
        command=command,
        environment={**os.environ, **environment(name, addresses)},
        directory=settings.BASE_DIR,
        log=data_dir.logs() / f"{name}.log",
        gives_way=name in GIVE_WAY,
        patience_seconds=patience_seconds(name),
    )


def patience_seconds(name: str) -> float:
    """Return an answer that streams through the proxy gets longer than what can be done again."""
    if name == "proxy":
        own = settings.PROXY_DRAIN_SECONDS + settings.PROXY_RECORDER_SECONDS
        return own + RECORDER_EXIT_SECONDS + PROXY_EXIT_SECONDS
    return PATIENCE_SECONDS


def environment(name: str, addresses: UpAddresses) -> dict[str, str]:
    chosen = os.environ.get("INSPECTOR_ALLOWED_HOSTS", "")
    return {
        **role(name),
        "INSPECTOR_ALLOWED_HOSTS": ",".join([*addresses.web.names(), chosen]),
        "INSPECTOR_DATA_DIR": str(settings.DATA_DIR),
        "INSPECTOR_ORIGIN": addresses.origin,
        "INSPECTOR_PROXY_ORIGIN": addresses.proxy_origin,
    }


def role(name: str) -> dict[str, str]:
    return {
        **(proxy_secrets() if name == "proxy" else {}),
        # Celery's start would import every page and route for Django's system checks.
        "CELERY_SKIP_CHECKS": "true",
        "DJANGO_SETTINGS_MODULE": "inspector.settings",
        "INSPECTOR_BOOTSTRAP": "0",
        "INSPECTOR_ROLE": name,
        "PYTHONUNBUFFERED": "1",
    }


def proxy_secrets() -> dict[str, str]:
    """Return what the proxy is told by its environment: it reads no settings; a command line would
    be readable by others.
    """
    return {"INSPECTOR_METRICS_KEY": settings.METRICS_KEY, "INSPECTOR_METRICS_KEY_FILE": ""}


def become(name: str, command: tuple[str, ...]) -> NoReturn:
    """Replace this process by the program, for external supervisors."""
    os.chdir(settings.BASE_DIR)
    if name in GIVE_WAY:
        supervisor.lower_priority()
    os.execve(command[0], command, {**os.environ, **role(name)})


def web(address: ListenAddress, processes: int | None = None) -> tuple[str, ...]:
    # nginx buffers bodies, so no thread waits for a slow client.
    interface = "rsgi" if settings.IS_EMBEDDED else "wsgi"
    options = {
        "--interface": interface,
        "--http": "1",
        "--host": address.host,
        "--port": address.port,
        "--workers": processes or cores(),
        "--blocking-threads": settings.WSGI_THREADS if interface == "wsgi" else 1,
        # Granian's limit is on connections, idle ones included, so it exceeds the number of
        # threads.
        "--backpressure": CONNECTIONS,
        "--backlog": BACKLOG,
        "--http1-header-read-timeout": HEADER_MILLISECONDS,
        "--workers-kill-timeout": WEB_PATIENCE_SECONDS,
        "--respawn-interval": 0.5,
        "--log-config": GRANIAN_LOG,
    }
    module = "inspector.web.rsgi" if interface == "rsgi" else "inspector.wsgi"
    flags = ("--no-ws", "--respawn-failed-workers")
    server = python_module("inspector.web.server")
    return (*server, *flat(options), *flags, f"{module}:application")


def worker(processes: int | None = None) -> tuple[str, ...]:
    if settings.IS_EMBEDDED:
        # One writer at a time is all that SQLite has.
        return (*python_module("inspector"), "worker")
    concurrency = processes or worker_processes()
    options = {"--concurrency": concurrency, "--pool": "prefork", "--loglevel": "WARNING"}
    # Workers need no gossip: a message only says to look at the table.
    flags = ("--without-gossip", "--without-mingle", "--without-heartbeat")
    library = (*python_module("inspector.logs.run_program"), "worker", "celery")
    celery = (*library, "--quiet", "-A", "inspector.celery")
    return (*celery, "worker", *flat(options), *flags)


def proxy(address: ListenAddress) -> tuple[str, ...]:
    options = {
        "--host": address.host,
        "--port": address.port,
        "--capture-bytes": settings.MAX_BODY_BYTES,
        "--request-bytes": settings.PROXY_REQUEST_BYTES,
        "--connect-seconds": settings.PROXY_CONNECT_SECONDS,
        "--first-byte-seconds": settings.PROXY_FIRST_BYTE_SECONDS,
        "--idle-seconds": settings.PROXY_IDLE_SECONDS,
        "--drain-seconds": settings.PROXY_DRAIN_SECONDS,
        "--recorder-seconds": settings.PROXY_RECORDER_SECONDS,
        "--networks": ",".join(map(str, settings.PROXY_NETWORKS)),
    }
    return (*python_module("inspector.proxy"), *flat(options))


def worker_processes() -> int:
    """At least two, so that one capture at its time limit does not block the others."""
    return max(2, min(cores() - 1, MAX_WORKER_PROCESSES))


def cores() -> int:
    return os.cpu_count() or 1


def python_module(name: str) -> tuple[str, ...]:
    return (sys.executable, "-m", name)


def flat(options: dict[str, object]) -> list[str]:
    return [str(part) for option in options.items() for part in option]
