"""The worker of an embedded installation."""

import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from django.conf import settings as project
from django.db import OperationalError, connection

from inspector.archive.inspection.doorbell import doorbell
from inspector.archive.models import Capture, Inspection, State
from inspector.brokers.bell import ring
from inspector.operations import working
from inspector.operations.working import Worker
from tests.archive.inspection.test_doorbell import wait_until
from tests.archive.samples import accept
from tests.people import Person

PATIENCE_SECONDS = 300
"""A busy machine takes long to start a process."""
WORKS = """
import sys
from pathlib import Path
import inspector.settings
inspector.settings.DATABASES["default"]["NAME"] = sys.argv[1]
import django
django.setup()
from inspector.operations.working import Worker
Worker(Path(sys.argv[2])).until_stopped()
"""


@contextmanager
def working_process(pipe: Path) -> Iterator[subprocess.Popen[bytes]]:
    name = str(connection.settings_dict["NAME"])
    environment = {**os.environ, "DJANGO_SETTINGS_MODULE": "inspector.settings"}
    command = [sys.executable, "-c", WORKS, name, str(pipe)]
    process = subprocess.Popen(command, env=environment, cwd=project.BASE_DIR)
    try:
        yield process
    finally:
        process.kill()
        process.wait()


@pytest.mark.django_db(transaction=True)
def test_a_worker_inspects_what_was_there_and_what_it_is_rung_for_and_ends_when_asked(
    owner: Person, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    pipe = tmp_path / "bell"
    monkeypatch.setattr(doorbell, "ring", lambda: ring(pipe))
    accept(owner)
    with working_process(pipe) as process:
        wait_until(lambda: Inspection.objects.count() == 1, PATIENCE_SECONDS)
        accept(owner)
        wait_until(lambda: Inspection.objects.count() == 2, PATIENCE_SECONDS)
        process.send_signal(signal.SIGTERM)
        assert process.wait(PATIENCE_SECONDS) == 0
    assert {*Capture.objects.values_list("state", flat=True)} == {State.INSPECTED}


def test_a_database_that_refuses_ends_no_worker(
    db: None, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    def refuses(stop: object) -> None:
        raise OperationalError("database is locked")

    monkeypatch.setattr(working, "drain", refuses)
    Worker(tmp_path / "bell").answer()
    assert "the database refused: database is locked" in caplog.text
