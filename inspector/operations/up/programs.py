"""Command lines of an installation's programs: web, worker, sweep."""

from __future__ import annotations

import os
import sys
from typing import NoReturn

from django.conf import settings

from inspector.operations import data_dir
from inspector.operations.up import process_priority
from inspector.operations.up.address import ListenAddress
from inspector.operations.up.supervisor import Program

MOST_WORKER_PROCESSES = 4
WEB_PATIENCE_SECONDS = 8
CONNECTIONS = 8192
"""Connections per web process, and open files if the system allows it."""
BACKLOG = 2048
HEADER_MILLISECONDS = 10_000
"""The same time as in nginx's configuration. Idle keep-alive connections are closed after it,
too.
"""
GIVE_WAY = ("worker", "sweep")


def embedded(address: ListenAddress, origin: str) -> list[Program]:
    return [
        program("web", web(address), address, origin),
        program("worker", worker(), address, origin),
        program("sweep", (sys.executable, "manage.py", "sweep"), address, origin),
    ]


def program(name: str, command: tuple[str, ...], address: ListenAddress, origin: str) -> Program:
    return Program(
        name=name,
        command=command,
        environment={**os.environ, **environment(name, address, origin)},
        directory=settings.BASE_DIR,
        log=data_dir.logs() / f"{name}.log",
        gives_way=name in GIVE_WAY,
    )


def environment(name: str, address: ListenAddress, origin: str) -> dict[str, str]:
    chosen = os.environ.get("INSPECTOR_ALLOWED_HOSTS", "")
    return {
        **role(name),
        "INSPECTOR_ALLOWED_HOSTS": ",".join([*address.names(), chosen]),
        "INSPECTOR_DATA_DIR": str(settings.DATA_DIR),
        "INSPECTOR_ORIGIN": origin,
    }


def role(name: str) -> dict[str, str]:
    return {
        # Celery's start would import every page and route for Django's system checks.
        "CELERY_SKIP_CHECKS": "true",
        "DJANGO_SETTINGS_MODULE": "inspector.settings",
        "INSPECTOR_BOOTSTRAP": "0",
        "INSPECTOR_ROLE": name,
        "PYTHONUNBUFFERED": "1",
    }


def become(name: str, command: tuple[str, ...]) -> NoReturn:
    """Replaces this process by the program, for external supervisors."""
    os.chdir(settings.BASE_DIR)
    if name in GIVE_WAY:
        process_priority.lower_priority()
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
    }
    module = "inspector.web.rsgi" if interface == "rsgi" else "inspector.wsgi"
    flags = ("--no-ws", "--respawn-failed-workers")
    return (*python_module("granian"), *flat(options), *flags, f"{module}:application")


def worker(processes: int | None = None) -> tuple[str, ...]:
    concurrency = processes or worker_processes()
    options = {"--concurrency": concurrency, "--pool": "prefork", "--loglevel": "WARNING"}
    # Workers need no gossip: a message only says to look at the table.
    flags = ("--without-gossip", "--without-mingle", "--without-heartbeat")
    return (*python_module("celery"), "-A", "inspector.celery", "worker", *flat(options), *flags)


def worker_processes() -> int:
    """At least two, so that one capture that uses its whole time limit does not block the
    others.
    """
    return max(2, min(cores() - 1, MOST_WORKER_PROCESSES))


def cores() -> int:
    return os.cpu_count() or 1


def python_module(name: str) -> tuple[str, ...]:
    return (sys.executable, "-m", name)


def flat(options: dict[str, object]) -> list[str]:
    return [str(part) for option in options.items() for part in option]
