import os
from collections.abc import Iterator
from pathlib import Path
from select import select
from threading import Thread

import pytest

from inspector.brokers.bell import Listener, ring


@pytest.fixture
def pipe(tmp_path: Path) -> Path:
    return tmp_path / "bell"


@pytest.fixture
def listener(pipe: Path) -> Iterator[Listener]:
    listener = Listener(pipe)
    yield listener
    listener.close()


def test_a_ring_ends_the_wait(listener: Listener, pipe: Path) -> None:
    ring(pipe)
    listener.wait()


def test_a_ring_of_a_program_that_is_gone_is_heard(listener: Listener, pipe: Path) -> None:
    if os.fork() == 0:
        ring(pipe)
        os._exit(0)
    listener.wait()
    os.wait()


def test_a_ring_is_heard_by_whoever_waits_already(listener: Listener, pipe: Path) -> None:
    waiting = Thread(target=listener.wait)
    waiting.start()
    ring(pipe)
    waiting.join(60)
    assert not waiting.is_alive()


def test_rings_that_nobody_has_heard_yet_are_one(listener: Listener, pipe: Path) -> None:
    for _ in range(3):
        ring(pipe)
    listener.wait()
    assert select([listener._end], [], [], 0) == ([], [], []), "nothing lies there any more"


def test_whatever_lies_in_the_pipe_is_a_ring(listener: Listener, pipe: Path) -> None:
    pipe.write_bytes(b'{"task": "rm"}\n\x00\xff')
    listener.wait()


def test_a_pipe_that_is_full_keeps_nobody_who_rings(listener: Listener, pipe: Path) -> None:
    for _ in range(70_000):
        ring(pipe)
    listener.wait()


def test_nobody_waits_for_a_worker_that_is_not_there(pipe: Path) -> None:
    ring(pipe)
    Listener(pipe).close()
    ring(pipe)


def test_a_ring_that_cannot_be_sent_is_told(tmp_path: Path) -> None:
    (tmp_path / "bell").mkdir()
    with pytest.raises(OSError, match="directory"):
        ring(tmp_path / "bell")


def test_the_pipe_is_its_owners_alone(listener: Listener, pipe: Path) -> None:
    assert pipe.stat().st_mode & 0o777 == 0o600


def test_a_pipe_of_an_earlier_worker_is_taken_over(listener: Listener, pipe: Path) -> None:
    again = Listener(pipe)
    ring(pipe)
    again.close()
