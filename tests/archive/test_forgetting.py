"""Traces that a deletion leaves in the files of an embedded archive."""

import sqlite3
from contextlib import closing
from pathlib import Path

import pytest
from django.db import connection

from inspector.archive.deletion import delete
from inspector.archive.inspection.doorbell import doorbell
from inspector.archive.intake.submission import Submission
from inspector.core.wire.exchange import Exchange
from inspector.database.portability import truncate_wal
from inspector.operations.sweeping import Sweep
from tests.archive.samples import WHOLE, accept_arrival
from tests.people import Person

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.embedded]

NOTE = "MARKER in a note"


@pytest.fixture(autouse=True)
def nobody_listens(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(doorbell, "ring", lambda: None)


def log_file() -> Path:
    return Path(f"{connection.settings_dict['NAME']}-wal")


def files() -> bytes:
    return Path(connection.settings_dict["NAME"]).read_bytes() + log_file().read_bytes()


def deleted(person: Person) -> None:
    arrival = Submission(Exchange.of_body(WHOLE, "application/json"), note=NOTE)
    capture_id = accept_arrival(person, arrival).id
    assert NOTE.encode() in files()
    assert delete(person.principal, capture_id) is not None


def test_every_connection_overwrites_what_is_deleted(owner: Person) -> None:
    init = connection.settings_dict["OPTIONS"]["init_command"]
    assert "PRAGMA secure_delete=ON" in init
    with connection.cursor() as cursor:
        cursor.execute("PRAGMA secure_delete")
        assert cursor.fetchone() == (1,)


def test_the_sweep_empties_the_log_after_a_deletion(owner: Person) -> None:
    deleted(owner)
    Sweep(5.0)._round()
    assert log_file().stat().st_size == 0
    assert NOTE.encode() not in files()


def test_one_truncation_serves_all_deletions_of_some_seconds(owner: Person) -> None:
    sweep = Sweep(5.0)
    sweep._truncate_log()
    deleted(owner)
    sweep._truncate_log()
    assert NOTE.encode() in log_file().read_bytes()
    sweep._truncate_at = 0.0
    sweep._truncate_log()
    assert log_file().stat().st_size == 0


def test_a_reader_keeps_the_log_until_the_next_round(owner: Person) -> None:
    with closing(sqlite3.connect(connection.settings_dict["NAME"])) as reader:
        reader.execute("BEGIN")
        reader.execute("SELECT count(*) FROM archive_capture").fetchone()
        deleted(owner)
        sweep = Sweep(5.0)
        sweep._truncate_log()
        assert not truncate_wal() and log_file().stat().st_size > 0
        reader.rollback()
        sweep._truncate_log()
    assert log_file().stat().st_size == 0
