"""A backup of a running archive: everything acknowledged before, nothing half, no writer waits."""

from __future__ import annotations

import base64
import stat
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from uuid import UUID

import pytest
import zstandard
from django.apps import apps
from django.core.management import CommandError, call_command
from django.db import connection

from inspector.operations.backup import schema
from inspector.operations.backup.create import create_backup
from inspector.operations.backup.packing import Advance
from inspector.operations.backup.progress import unwatched
from tests.archive.samples import WHOLE, accept, inspect_all
from tests.operations.backup.places import Rows, rows_of
from tests.people import Person

pytestmark = pytest.mark.django_db(transaction=True)

SENDERS = 3


class Senders:
    """Threads that send one capture after the other, and note what was acknowledged."""

    def __init__(self, person: Person) -> None:
        self.acknowledged: dict[UUID, bytes] = {}
        self._person = person
        self._ended = threading.Event()
        self._threads = [threading.Thread(target=self._send, args=[n]) for n in range(SENDERS)]

    def __enter__(self) -> Senders:
        for thread in self._threads:
            thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._ended.set()
        for thread in self._threads:
            thread.join()

    def wait_for(self, count: int) -> None:
        deadline = time.monotonic() + 60
        while len(self.acknowledged) < count:
            assert time.monotonic() < deadline, "senders wait for the backup"
            time.sleep(0.01)

    def _send(self, sender: int) -> None:
        number = 0
        while not self._ended.is_set():
            body = WHOLE.replace(b"Hello", b"Hello %d from %d" % (number, sender))
            self.acknowledged[accept(self._person, body)] = body
            number += 1
        connection.close()


def bodies(rows: Rows) -> dict[UUID, bytes]:
    return {
        UUID(row["capture_id"]): zstandard.decompress(base64.b64decode(row["body"]))
        for row in rows["archive_evidence"]
    }


@pytest.mark.both_stacks
def test_what_was_acknowledged_before_is_in_it_and_nothing_is_half(
    owner: Person, tmp_path: Path
) -> None:
    with Senders(owner) as senders:
        senders.wait_for(10)
        before = dict(senders.acknowledged)

        @contextmanager
        def others_go_on(what: str, total: int) -> Iterator[Advance]:
            yield lambda _: senders.wait_for(len(senders.acknowledged) + 1)

        create_backup(tmp_path / "backup.tar", others_go_on)
    rows = rows_of(tmp_path / "backup.tar")
    stored = bodies(rows)
    assert stored.items() >= before.items()
    assert stored.items() <= senders.acknowledged.items() and stored.keys() < (
        senders.acknowledged.keys()
    )
    assert {UUID(row["id"]) for row in rows["archive_capture"]} == stored.keys()


def test_it_is_private_and_never_written_over(owner: Person, tmp_path: Path) -> None:
    file = tmp_path / "backup.tar"
    call_command("backup", file)
    assert stat.S_IMODE(file.stat().st_mode) == 0o600
    written = file.read_bytes()
    with pytest.raises(CommandError, match="is there already") as refused:
        call_command("backup", file)
    assert refused.value.returncode == 2 and file.read_bytes() == written


def test_an_interrupted_one_leaves_nothing(owner: Person, tmp_path: Path) -> None:
    accept(owner)

    @contextmanager
    def interrupted(what: str, total: int) -> Iterator[Advance]:
        def stop(rows: int) -> None:
            raise KeyboardInterrupt

        yield stop

    with pytest.raises(KeyboardInterrupt):
        create_backup(tmp_path / "backup.tar", interrupted)
    assert list(tmp_path.iterdir()) == []


def test_a_folder_that_is_not_there_is_a_mistake(tmp_path: Path) -> None:
    with pytest.raises(CommandError, match="no directory") as refused:
        call_command("backup", tmp_path / "elsewhere" / "backup.tar")
    assert refused.value.returncode == 2


def test_every_table_of_ours_is_in_it_or_left_out_for_a_reason(tmp_path: Path) -> None:
    manifest = create_backup(tmp_path / "backup.tar", unwatched)
    labels = schema.our_apps()
    ours = {
        (model._meta.app_label, model._meta.model_name): model._meta.db_table
        for model in apps.get_models()
        if model._meta.app_label in labels
    }
    assert ours.keys() >= schema.LEFT_OUT
    kept = {table for model, table in ours.items() if model not in schema.LEFT_OUT}
    assert {table.name for table in manifest.tables} == kept


def test_the_manifest_counts_what_is_in_it(owner: Person, tmp_path: Path) -> None:
    accept(owner)
    inspect_all()
    accept(owner)
    manifest = create_backup(tmp_path / "backup.tar", unwatched)
    rows = rows_of(tmp_path / "backup.tar")
    assert manifest.captures == {"inspected": 1, "received": 1}
    assert {t.name: t.rows for t in manifest.tables if t.rows} == {
        name: len(found) for name, found in rows.items()
    }


def test_it_has_no_session_and_no_way_in_that_works_once(owner: Person, tmp_path: Path) -> None:
    owner.browser()
    call_command("sign_in_link", "olga")
    create_backup(tmp_path / "backup.tar", unwatched)
    assert rows_of(tmp_path / "backup.tar").keys() == {
        "teams_team",
        "teams_user",
        "teams_membership",
        "teams_apikey",
        "teams_auditentry",
    }
