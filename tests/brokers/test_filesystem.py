import json
import time
from collections.abc import Iterator
from pathlib import Path
from queue import Empty
from threading import Thread

import pytest
from celery import Celery
from kombu import Connection
from kombu.transport import virtual

from inspector.brokers import filesystem
from inspector.celery import app


@pytest.fixture
def connection(tmp_path: Path) -> Iterator[Connection]:
    filesystem.register()
    (tmp_path / "queue").mkdir()
    options = {
        "data_folder_in": str(tmp_path / "queue"),
        "data_folder_out": str(tmp_path / "queue"),
        "control_folder": str(tmp_path / "control"),
    }
    with Connection(f"{filesystem.SCHEME}://", transport_options=options) as connection:
        yield connection


def put(channel: virtual.Channel, number: int) -> None:
    channel._put("celery", {"number": number, "padding": "x" * 5_000})


def test_the_project_uses_this_broker() -> None:
    assert isinstance(app, Celery)
    assert app.connection_for_write().transport_cls == filesystem.SCHEME
    assert app.connection_for_write().get_transport_cls() is filesystem.Transport


def test_messages_come_in_the_order_in_which_they_were_put(connection: Connection) -> None:
    channel = connection.channel()
    for number in range(20):
        put(channel, number)
    assert [channel._get("celery")["number"] for _ in range(20)] == list(range(20))


def test_no_reader_ever_sees_half_a_message(connection: Connection, tmp_path: Path) -> None:
    channel = connection.channel()

    def put_many() -> None:
        for number in range(500):
            put(channel, number)

    writer = Thread(target=put_many)
    writer.start()
    seen: set[Path] = set()
    end = time.monotonic() + 30
    while len(seen) < 500 and time.monotonic() < end:
        for path in set((tmp_path / "queue").glob("*.celery.msg")) - seen:
            json.loads(path.read_bytes())
            seen.add(path)
    writer.join()
    assert len(seen) == 500


@pytest.mark.parametrize("left_behind", [b"", b'[["cel'])
def test_a_table_that_a_kill_left_half_written_is_made_anew(
    connection: Connection, tmp_path: Path, left_behind: bytes
) -> None:
    (tmp_path / "control").mkdir()
    table = tmp_path / "control" / "bell.exchange"
    table.write_bytes(left_behind)
    channel = connection.channel()
    assert channel.get_table("bell") == []
    channel._queue_bind("bell", "bell", "", "bell")
    assert [binding.queue for binding in channel.get_table("bell")] == ["bell"]


@pytest.mark.parametrize("junk", [b"", b"\x00\xff", b"[]", b"{}", b'{"properties": {"del'])
def test_what_is_no_message_is_thrown_away_and_the_next_one_comes(
    connection: Connection, tmp_path: Path, junk: bytes
) -> None:
    channel = connection.channel()
    came: list[int] = []

    def answer(message: dict[str, int], queue: str) -> None:
        came.append(message["number"])

    (tmp_path / "queue" / "00_junk.celery.msg").write_bytes(junk)
    put(channel, 1)
    with pytest.raises(Empty):
        channel._get_and_deliver("celery", answer)
    channel._get_and_deliver("celery", answer)
    assert came == [1]
