"""The folder of a recorder: bounded, locked, and taken over by the next one."""

import errno
import os
from pathlib import Path
from uuid import UUID, uuid4

import pytest

from inspector.archive.storage import disk_space
from inspector.proxy.recorder.call_spool import CallWriter
from inspector.proxy.recorder.cleaning import CallCleaner
from inspector.proxy.recorder.spool import BLOCK_BYTES, Spool, SpoolFull
from tests.proxy.recorder.spoken import begun, keyed

ROOM = 10 * BLOCK_BYTES


def write_call(spool: Spool, started_at: float = 1.0, extra: bytes = b"") -> tuple[UUID, Path]:
    first = begun(started_at=started_at)
    cleaner = CallCleaner(first, keyed, is_in_sample=True)
    writer = spool.new_call(first.call, started_at)
    writer.add(cleaner.head)
    spool.write(writer)
    writer.close()
    with writer.path.open("ab") as file:
        file.write(extra)
    return first.call, writer.path


def abandon(spool: Spool) -> None:
    """As a kill does: the system releases the lock."""
    os.close(spool._lock)


def test_calls_of_a_recorder_that_is_gone_are_adopted_in_the_order_of_their_beginnings(
    tmp_path: Path,
) -> None:
    first, second = Spool(tmp_path, ROOM), Spool(tmp_path, ROOM)
    late, _ = write_call(first, 3.0)
    early, _ = write_call(second, 1.0)
    middle, _ = write_call(first, 2.0, extra=b"torn")
    abandon(first)
    abandon(second)
    third = Spool(tmp_path, ROOM)
    adopted = third.adopt()
    assert [head.call for _, head in adopted] == [early, middle, late]
    assert all(path.exists() for path, _ in adopted)
    assert third.used_bytes == 3 * BLOCK_BYTES
    assert len(list(tmp_path.iterdir())) == 1


def test_calls_of_a_recorder_that_runs_are_left_alone(tmp_path: Path) -> None:
    running = Spool(tmp_path, ROOM)
    _, path = write_call(running)
    assert Spool(tmp_path, ROOM).adopt() == []
    assert path.exists()


def test_a_recorder_that_dies_while_it_adopts_leaves_all_to_the_next(tmp_path: Path) -> None:
    first, second = Spool(tmp_path, ROOM), Spool(tmp_path, ROOM)
    moved, _ = write_call(first)
    left, _ = write_call(first)
    for path in second._folder.parent.glob(f"*/*{moved}.call"):
        path.rename(second._folder / path.name)
    abandon(first)
    abandon(second)
    adopted = Spool(tmp_path, ROOM).adopt()
    assert {head.call for _, head in adopted} == {moved, left}


def test_what_is_not_even_the_head_of_a_call_is_removed(tmp_path: Path) -> None:
    gone = Spool(tmp_path, ROOM)
    _, path = write_call(gone)
    path.write_bytes(path.read_bytes()[:-1])
    abandon(gone)
    spool = Spool(tmp_path, ROOM)
    assert (spool.adopt(), spool.used_bytes) == ([], 0)


def test_a_folder_is_removed_with_its_last_call(tmp_path: Path) -> None:
    spool = Spool(tmp_path, ROOM)
    spool.close()
    assert list(tmp_path.iterdir()) == []
    kept = Spool(tmp_path, ROOM)
    call, _ = write_call(kept)
    kept.close()
    assert [head.call for _, head in Spool(tmp_path, ROOM).adopt()] == [call]


def test_only_the_owner_may_look_into_it(tmp_path: Path) -> None:
    spool = Spool(tmp_path / "proxy-spool", ROOM)
    _, path = write_call(spool)
    modes = [each.stat().st_mode & 0o777 for each in (path, path.parent, path.parent.parent)]
    assert modes == [0o600, 0o700, 0o700]


def test_a_full_spool_takes_no_call_until_one_is_removed(tmp_path: Path) -> None:
    spool = Spool(tmp_path, 2 * BLOCK_BYTES)
    _, path = write_call(spool)
    write_call(spool)
    with pytest.raises(SpoolFull):
        write_call(spool)
    spool.remove(path)
    spool.remove(path)
    write_call(spool)
    assert spool.used_bytes == 2 * BLOCK_BYTES


def test_a_call_that_grows_beyond_the_spool_is_refused(tmp_path: Path) -> None:
    spool = Spool(tmp_path, 2 * BLOCK_BYTES)
    first = begun(headers=(("accept", "x" * 3 * BLOCK_BYTES),))
    writer = spool.new_call(first.call, 1.0)
    writer.add(CallCleaner(first, keyed, is_in_sample=True).head)
    with pytest.raises(SpoolFull):
        spool.write(writer)
    spool.remove(writer.path)
    assert spool.used_bytes == 0


def test_a_disk_that_fails_half_way_is_counted_as_far_as_it_came(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    spool = Spool(tmp_path, ROOM)
    first = begun(headers=(("accept", "x" * 3 * BLOCK_BYTES),))
    writer = spool.new_call(first.call, 1.0)
    writer.add(CallCleaner(first, keyed, is_in_sample=True).head)
    sound = os.write

    def writes_little(file: int, data: bytes) -> int:
        if writer.written:
            raise OSError(errno.ENOSPC, "No space left on device")
        return sound(file, data[: BLOCK_BYTES + 1])

    monkeypatch.setattr(os, "write", writes_little)
    with pytest.raises(OSError, match="No space"):
        spool.write(writer)
    assert spool.used_bytes == 2 * BLOCK_BYTES
    spool.remove(writer.path)
    assert spool.used_bytes == 0


def test_a_disk_that_is_nearly_full_gets_no_new_call(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    spool = Spool(tmp_path, ROOM)
    monkeypatch.setattr(disk_space, "has_space_at", lambda folder: False)
    with pytest.raises(SpoolFull):
        write_call(spool)
    assert spool.used_bytes == 0


def test_a_folder_that_was_removed_is_an_error_of_the_call(tmp_path: Path) -> None:
    spool = Spool(tmp_path, ROOM)
    spool._folder.rename(tmp_path.parent / f"away-{uuid4()}")
    with pytest.raises(OSError):
        write_call(spool)
    assert spool.used_bytes == 0


def test_no_file_is_opened_twice(tmp_path: Path) -> None:
    spool = Spool(tmp_path, ROOM)
    call, path = write_call(spool, 1.0)
    with pytest.raises(FileExistsError):
        CallWriter(path)
    assert spool.used_bytes == BLOCK_BYTES
