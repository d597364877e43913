"""The planted credentials, sent to running programs: no file of theirs and no backup holds one."""

import base64
import http.client
import json
import re
import signal
import sqlite3
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.operations.backup import places
from tests.operations.installation import BOUND_SECONDS, Installation, wait_until
from tests.planted import Planted, lines, planted
from tests.stored import found_in, plain

ZSTD_IN_BASE64 = "KLUv/"
MODEL = "gpt-4o"
"""Stands in every response: who does not find it looks in the wrong place."""

pytestmark = [pytest.mark.thorough, pytest.mark.embedded, pytest.mark.timeout(900)]


def test_no_file_log_or_backup_of_running_programs_holds_one(
    installation: Installation, tmp_path: Path
) -> None:
    made = planted()
    key = key_in(installation.up())
    ids = send(installation, key, made)
    wait_for_all(installation, key, ids)
    answers = [
        installation.get(f"/api/v1/captures/{capture_id}/raw/", key)[1] for capture_id in ids
    ]
    backup = tmp_path / "backup.tar"
    places.sqlite(installation.data_dir).done("backup", str(backup), "--verify")
    while_running = files(installation.data_dir)
    assert installation.signal(signal.SIGINT) == 0
    everywhere = {
        "answers": b"".join(answers),
        "files, running": while_running,
        "files, ended": files(installation.data_dir),
        "tables": b"\n".join(tables(installation.data_dir / "inspector.sqlite3")),
        "backup": b"\n".join(rows(backup)),
    }
    assert {where: found_in(text, made.secrets) for where, text in everywhere.items()} == {
        where: {} for where in everywhere
    }
    assert all(MODEL.encode() in everywhere[where] for where in ("answers", "tables", "backup"))


def key_in(told: str) -> str:
    key = re.search(r"^ +(ri_\S+)$", told, re.MULTILINE)
    assert key
    return key[1]


def send(installation: Installation, key: str, made: Planted) -> list[str]:
    connection = http.client.HTTPConnection("127.0.0.1", installation.port, timeout=BOUND_SECONDS)
    headers = {"Authorization": f"Bearer {key}", "Content-Type": "application/x-ndjson"}
    connection.request("POST", "/api/v1/captures/batch/", b"".join(lines(made)), headers)
    results = [json.loads(line) for line in connection.getresponse().read().splitlines()]
    connection.close()
    assert {result["status"] for result in results} == {202}
    return [result["id"] for result in results]


def wait_for_all(installation: Installation, key: str, ids: list[str]) -> None:
    """However slow the machine is, as long as it goes on."""
    while waiting := pending(installation, key, ids):
        wait_until(lambda least=waiting: pending(installation, key, ids) < least)


def pending(installation: Installation, key: str, ids: list[str]) -> int:
    found = json.loads(installation.get("/api/v1/captures/?limit=200", key)[1])["captures"]
    states = [capture["state"] for capture in found if capture["id"] in ids]
    assert "quarantined" not in states
    return len(ids) - states.count("inspected")


def files(folder: Path) -> bytes:
    """Database, its log, the programs' logs, the broker's messages."""
    return b"\n".join(path.read_bytes() for path in folder.rglob("*") if path.is_file())


def tables(file: Path) -> Iterator[bytes]:
    with sqlite3.connect(file) as database:
        # A virtual table keeps its rows in tables of its own.
        plain_tables = "type = 'table' AND sql NOT LIKE 'CREATE VIRTUAL%'"
        names = database.execute(f"SELECT name FROM sqlite_master WHERE {plain_tables}").fetchall()
        for (name,) in names:
            for row in database.execute(f'SELECT * FROM "{name}"'):
                yield from map(plain, row)
    database.close()


def rows(backup: Path) -> Iterator[bytes]:
    for table in places.rows_of(backup).values():
        for row in table:
            yield from map(value, row.values())


def value(found: Any) -> bytes:
    if isinstance(found, str) and found.startswith(ZSTD_IN_BASE64):
        return plain(base64.b64decode(found))
    return plain(found)
