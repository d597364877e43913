"""Files of figures: one process each, counted on by those that come later, whatever ended before."""

import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from inspector.metrics.process_slot import FILE_BYTES, ProcessSlot

COUNTING = """
import sys
from pathlib import Path
import django
django.setup()
from inspector.metrics.figures import figures_in
from inspector.metrics.route_class import RouteClass
counted = figures_in(Path(sys.argv[1]), "web")
counted.request(RouteClass.PAGE, 200, 0.02, 0, 500)
print("counted", flush=True)
sys.stdin.read()
"""


@contextmanager
def counting(folder: Path) -> Iterator[subprocess.Popen[str]]:
    """A process that counted one request, and lives until it is killed."""
    process = subprocess.Popen(
        [sys.executable, "-c", COUNTING, str(folder)],
        env={**os.environ, "DJANGO_SETTINGS_MODULE": "tests.settings"},
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )
    try:
        assert process.stdout and process.stdout.readline() == "counted\n"
        yield process
    finally:
        process.kill()
        process.communicate()


def pages(folder: Path) -> float:
    """All that was counted, as the one that is asked adds it up."""
    from prometheus_client.multiprocess import MultiProcessCollector

    families = MultiProcessCollector(None, str(folder)).collect()  # type: ignore[no-untyped-call]
    return sum(
        sample.value
        for family in families
        for sample in family.samples
        if sample.name == "inspector_requests_total"
    )


def names(folder: Path) -> set[str]:
    return {path.name for path in folder.iterdir()}


def test_processes_at_once_write_into_different_files_and_are_added_up(tmp_path: Path) -> None:
    with counting(tmp_path), counting(tmp_path):
        assert pages(tmp_path) == 2
        assert names(tmp_path) == {
            "counter_1.db", "counter_2.db", "histogram_1.db", "histogram_2.db",
        }  # fmt: skip


def test_what_a_killed_process_counted_stays_and_the_next_one_counts_on(tmp_path: Path) -> None:
    for _ in range(3):
        with counting(tmp_path):
            pass
    assert pages(tmp_path) == 3
    assert names(tmp_path) == {"counter_1.db", "histogram_1.db"}


def test_a_fork_takes_files_of_its_own(tmp_path: Path) -> None:
    slot = ProcessSlot(tmp_path)
    assert slot() == slot() == 1
    reads, writes = os.pipe()
    child = os.fork()
    if not child:
        os.write(writes, b"%d" % slot())
        os._exit(0)
    os.waitpid(child, 0)
    assert os.read(reads, 10) == b"2"
    assert slot() == 1


@pytest.mark.parametrize(
    "left",
    [b"", b"\xff" * 100, b"\x40\x01\0\0" + bytes(4092)],
    ids=["empty", "no length", "no keys"],
)
def test_a_file_that_a_failure_of_the_power_left_unreadable_is_begun_anew(
    tmp_path: Path, left: bytes
) -> None:
    (tmp_path / "counter_1.db").write_bytes(left)
    with counting(tmp_path):
        assert pages(tmp_path) == 1


def test_the_room_on_the_disk_is_taken_before_anything_is_written(tmp_path: Path) -> None:
    ProcessSlot(tmp_path)
    for path in tmp_path.iterdir():
        assert path.stat().st_blocks * 512 >= FILE_BYTES
        assert path.stat().st_mode & 0o777 == 0o600
