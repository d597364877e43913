"""An empty archive of its own, whose captures are accepted and inspected in this very process."""

import argparse
import os
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

import payloads  # noqa: E402

from development import servers  # noqa: E402

SQLITE, POSTGRESQL = "sqlite", "postgresql"
JSON, SSE = "application/json", "text/event-stream"
PER_BATCH = 100


@contextmanager
def installation(store: str) -> Iterator[None]:
    """Yield an empty archive with one team, and Django set up for it."""
    with tempfile.TemporaryDirectory(prefix="inspecting-") as folder:
        os.environ |= {"INSPECTOR_DATA_DIR": folder, "INSPECTOR_ROLE": "worker"}
        os.environ |= {"INSPECTOR_SECRET_KEY": "of a measurement, and of nothing else"}
        os.environ |= {"DJANGO_SETTINGS_MODULE": "inspector.settings"}
        if store == SQLITE:
            _set_up()
            yield
            return
        programs = servers.find()
        if programs is None:
            raise SystemExit(f"PostgreSQL and Redis are not here: {servers.HOW_TO_GET_THEM}")
        with servers.postgresql(programs, safety=()) as url:
            # Nobody rings here.
            os.environ |= {"DATABASE_URL": url, "REDIS_URL": "redis://127.0.0.1:1/0"}
            _set_up()
            yield


def _set_up() -> None:
    import django
    from django.core.management import call_command

    django.setup()
    call_command("migrate", verbosity=0)


def accept(captures: int, asked: argparse.Namespace, at_once: int = PER_BATCH) -> None:
    from inspector.archive.intake import submission
    from inspector.archive.intake.submission import Submission
    from inspector.core.wire.exchange import Exchange

    who = sender()
    for _ in range(0, captures, at_once):
        bodies = [
            payloads.stream(asked.bytes) if asked.stream else payloads.answer(asked.bytes)
            for _ in range(at_once)
        ]
        kind = SSE if asked.stream else JSON
        arrivals = [Submission(Exchange.of_body(body, kind)) for body in bodies]
        submission.accept_batch(who, arrivals)


def sender() -> Any:
    from inspector.archive.inspection.doorbell import doorbell
    from inspector.teams.access import INGEST, Principal, TeamAccess
    from inspector.teams.models import Team

    # Nobody is to be rung: this process is the only one.
    doorbell.ring = lambda: None  # type: ignore[method-assign]
    team, _ = Team.objects.get_or_create(slug="load", name="Load")
    access = TeamAccess(team.pk, team.slug, team.name, "key", frozenset({INGEST}), redacts=False)
    return Principal(teams=(access,))


def inspect() -> None:
    """Inspect what is due until nothing is."""
    from inspector.archive.inspection.tasks import inspect_due

    while inspect_due():
        pass
