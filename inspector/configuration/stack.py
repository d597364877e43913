"""Database and broker settings of the two stacks: SQLite alone, or PostgreSQL and Redis."""

import ssl
from pathlib import Path
from typing import Any
from urllib.parse import SplitResult, parse_qsl, unquote

from inspector.configuration.environment import EnvironmentMistake, address

DATABASE_URL, DATABASE_PASSWORD, REDIS_URL = "DATABASE_URL", "DATABASE_PASSWORD", "REDIS_URL"
LIBPQ_OPTIONS = ("host", "sslmode", "sslrootcert", "sslcert", "sslkey")

Settings = dict[str, Any]


def sqlite(file: Path, *, is_web: bool) -> Settings:
    return {
        "ENGINE": "inspector.database.sqlite",
        "NAME": file,
        # To open a file anew for each request costs as much as all that is done with it.
        "CONN_MAX_AGE": None if is_web else 0,
        "OPTIONS": {
            # A deferred transaction that upgrades to a write fails at once when another writer
            # is active, whatever the time-out; an immediate one waits for its turn.
            "transaction_mode": "IMMEDIATE",
            "timeout": 1.5 if is_web else 20,
            # FULL: with WAL, NORMAL may lose the last acknowledged commits at a power cut. What is
            # deleted is overwritten; whether SQLite does so unasked differs between its builds. How
            # a file gives pages back is decided before anything is written to it.
            "init_command": "PRAGMA auto_vacuum=INCREMENTAL; PRAGMA journal_mode=WAL;"
            " PRAGMA synchronous=FULL; PRAGMA secure_delete=ON;",
        },
    }


def postgresql(url: str, password: str, *, is_web: bool) -> Settings:
    """Return settings of a PostgreSQL connection; every thread keeps its own one open."""
    parts = address(DATABASE_URL, url, ("postgresql", "postgres"))
    options = dict(parse_qsl(parts.query))
    if unknown := sorted(options.keys() - set(LIBPQ_OPTIONS)):
        raise EnvironmentMistake(f"{DATABASE_URL} has an option that is not known: {unknown[0]}.")
    name = unquote(parts.path[1:])
    if not name:
        raise EnvironmentMistake(f"{DATABASE_URL} names no database: postgresql://user@host/name.")
    return {
        "ENGINE": "inspector.database.postgresql",
        "NAME": name,
        "USER": unquote(parts.username or ""),
        "PASSWORD": password or unquote(parts.password or ""),
        "HOST": options.pop("host", parts.hostname or ""),
        "PORT": parts.port or "",
        "CONN_HEALTH_CHECKS": True,
        "CONN_MAX_AGE": None,
        "OPTIONS": {
            **options,
            **_bounded_waits(),
            "options": _session(is_web),
            # The second time that a connection sends it (``inspector.database.bulk``).
            "prepare_threshold": 1,
        },
    }


def _bounded_waits() -> Settings:
    # How long a silent peer is waited for: to connect, to acknowledge data, to answer a probe.
    return {
        "connect_timeout": 2,
        "tcp_user_timeout": 2_000,
        "keepalives_idle": 2,
        "keepalives_interval": 1,
        "keepalives_count": 3,
    }


def _session(is_web: bool) -> str:
    """Web answers within about two seconds that it cannot; the others have time limits of their own
    for their work, and a migration may take what it takes.
    """
    waits = {
        "synchronous_commit": "on",
        "lock_timeout": "1500ms" if is_web else "20s",
        "statement_timeout": "10s" if is_web else "0",
        # Whoever stops inside a transaction must not hold its locks for long.
        "idle_in_transaction_session_timeout": "5s" if is_web else "60s",
    }
    if is_web:
        # Pages read little of large tables: to compile a statement, or to start processes for it,
        # takes longer than most take, and what one person asks must not keep all processors busy.
        waits |= {"jit": "off", "max_parallel_workers_per_gather": "0"}
    return " ".join(f"-c {name}={value}" for name, value in waits.items())


def redis(url: str) -> Settings:
    parts = address(REDIS_URL, url, ("redis", "rediss"))
    if not parts.hostname or not _is_database_number(parts):
        raise EnvironmentMistake(f"{REDIS_URL} must be like redis://host:6379/0.")
    return {
        "broker_url": url,
        "broker_use_ssl": {"ssl_cert_reqs": ssl.CERT_REQUIRED}
        if parts.scheme == "rediss"
        else None,
        "broker_transport_options": {
            # A Redis that hangs would hold the doorbell, and a worker, for ever.
            "socket_connect_timeout": 1,
            "socket_timeout": 2,
            "socket_keepalive": True,
            "retry_on_timeout": False,
            # A worker whose connection died without a word looks for that this often.
            "health_check_interval": 5,
        },
    }


def _is_database_number(parts: SplitResult) -> bool:
    return not parts.query and (parts.path.strip("/") or "0").isdecimal()
