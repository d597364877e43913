"""The programs of an installation as command lines: web, worker, sweep."""

from __future__ import annotations

import os
import sys
from typing import NoReturn

from django.conf import settings

from inspector.operations import background, data_dir
from inspector.operations.address import Address
from inspector.operations.supervisor import Program

MOST_WORKER_PROCESSES = 4
WEB_PATIENCE_SECONDS = 8
CONNECTIONS = 8192
"""That one web process holds; as many files may be open if the machine allows it."""
BACKLOG = 2048
HEADER_MILLISECONDS = 10_000
"""As nginx is told, too. A kept connection that says nothing for so long is closed."""
GIVE_WAY = ("worker", "sweep")


def embedded(address: Address, origin: str) -> list[Program]:
    return [
        program("web", web(address), address, origin),
        program("worker", worker(), address, origin),
        program("sweep", (sys.executable, "manage.py", "sweep"), address, origin),
    ]


def program(name: str, command: tuple[str, ...], address: Address, origin: str) -> Program:
    return Program(
        name=name,
        command=command,
        environment={**os.environ, **environment(name, address, origin)},
        directory=settings.BASE_DIR,
        log=data_dir.logs() / f"{name}.log",
        gives_way=name in GIVE_WAY,
    )


def environment(name: str, address: Address, origin: str) -> dict[str, str]:
    chosen = os.environ.get("INSPECTOR_ALLOWED_HOSTS", "")
    return {
        **role(name),
        "INSPECTOR_ALLOWED_HOSTS": ",".join([*address.names(), chosen]),
        "INSPECTOR_DATA_DIR": str(settings.DATA_DIR),
        "INSPECTOR_ORIGIN": origin,
    }


def role(name: str) -> dict[str, str]:
    return {
        # The worker's start would load every page and route only to check them.
        "CELERY_SKIP_CHECKS": "true",
        "DJANGO_SETTINGS_MODULE": "inspector.settings",
        "INSPECTOR_BOOTSTRAP": "0",
        "INSPECTOR_ROLE": name,
        "PYTHONUNBUFFERED": "1",
    }


def become(name: str, command: tuple[str, ...]) -> NoReturn:
    """Where somebody else supervises: this process goes on as the program."""
    os.chdir(settings.BASE_DIR)
    if name in GIVE_WAY:
        background.give_way()
    os.execve(command[0], command, {**os.environ, **role(name)})


def web(address: Address, processes: int | None = None) -> tuple[str, ...]:
    # Behind nginx no client has to be waited for.
    interface = "rsgi" if settings.IS_EMBEDDED else "wsgi"
    options = {
        "--interface": interface,
        "--http": "1",
        "--host": address.host,
        "--port": address.port,
        "--workers": processes or cores(),
        "--blocking-threads": settings.WSGI_THREADS if interface == "wsgi" else 1,
        # It counts connections; those that say nothing must not be all of them.
        "--backpressure": CONNECTIONS,
        "--backlog": BACKLOG,
        "--http1-header-read-timeout": HEADER_MILLISECONDS,
        "--workers-kill-timeout": WEB_PATIENCE_SECONDS,
        "--respawn-interval": 0.5,
    }
    flags = ("--no-ws", "--respawn-failed-workers")
    return (*python_module("granian"), *flat(options), *flags, f"inspector.{interface}:application")


def worker(processes: int | None = None) -> tuple[str, ...]:
    concurrency = processes or worker_processes()
    options = {"--concurrency": concurrency, "--pool": "prefork", "--loglevel": "WARNING"}
    # Workers have no news for each other: whoever is rung looks at the table.
    flags = ("--without-gossip", "--without-mingle", "--without-heartbeat")
    return (*python_module("celery"), "-A", "inspector.celery", "worker", *flat(options), *flags)


def worker_processes() -> int:
    """At least two: one capture that takes its whole time limit must not hold up all others."""
    return max(2, min(cores() - 1, MOST_WORKER_PROCESSES))


def cores() -> int:
    return os.cpu_count() or 1


def python_module(name: str) -> tuple[str, ...]:
    return (sys.executable, "-m", name)


def flat(options: dict[str, object]) -> list[str]:
    return [str(part) for option in options.items() for part in option]
