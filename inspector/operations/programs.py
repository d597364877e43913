"""The programs of the embedded stack as command lines: web, worker, sweep."""

from __future__ import annotations

import os
import sys

from django.conf import settings

from inspector.operations import data_dir
from inspector.operations.address import Address
from inspector.operations.supervisor import Program

BLOCKING_THREADS = 2
MOST_WORKER_PROCESSES = 4
WEB_PATIENCE_SECONDS = 8


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
    )


def environment(name: str, address: Address, origin: str) -> dict[str, str]:
    chosen = os.environ.get("INSPECTOR_ALLOWED_HOSTS", "")
    return {
        # The worker's start would load every page and route only to check them.
        "CELERY_SKIP_CHECKS": "true",
        "DJANGO_SETTINGS_MODULE": "inspector.settings",
        "INSPECTOR_ALLOWED_HOSTS": ",".join([*address.names(), chosen]),
        "INSPECTOR_BOOTSTRAP": "0",
        "INSPECTOR_DATA_DIR": str(settings.DATA_DIR),
        "INSPECTOR_ORIGIN": origin,
        "INSPECTOR_ROLE": name,
        "PYTHONUNBUFFERED": "1",
    }


def web(address: Address) -> tuple[str, ...]:
    options = {
        "--interface": "wsgi",
        "--http": "1",
        "--host": address.host,
        "--port": address.port,
        "--workers": cores(),
        "--blocking-threads": BLOCKING_THREADS,
        "--workers-kill-timeout": WEB_PATIENCE_SECONDS,
        "--respawn-interval": 0.5,
    }
    flags = ("--no-ws", "--respawn-failed-workers")
    return (*python_module("granian"), *flat(options), *flags, "inspector.wsgi:application")


def worker() -> tuple[str, ...]:
    options = {"--concurrency": worker_processes(), "--pool": "prefork", "--loglevel": "WARNING"}
    # The broker is a folder: there are no other workers to exchange news with.
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
