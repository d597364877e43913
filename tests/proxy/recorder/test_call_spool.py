"""A call as a file: what was written whole is read, wherever the writer was killed."""

from pathlib import Path
from uuid import UUID

import pytest

from inspector.core.credentials.removal import VERSION, Removal
from inspector.core.wire.exchange import Request, TransportOutcome
from inspector.proxy.recorder.call_spool import (
    CallEnd,
    CallHead,
    CallReads,
    CallRecord,
    CallResponseHead,
    CallWriter,
    framed,
    head_of,
    path_of,
    read_call,
    whole_records,
)

CALL = UUID("0197c1a0-0000-7000-8000-000000000001")
NOTHING = Removal(version=VERSION)
HEAD = CallHead(
    call=CALL,
    team_id=1,
    key_id=2,
    started_at=1_770_000_000.5,
    is_in_sample=True,
    request=Request(method="POST", url="https://upstream.example/v1", headers=(("a", "b"),)),
    removal=NOTHING,
)
RECORDS: list[CallRecord] = [
    HEAD,
    CallResponseHead(status=200, headers=(("content-type", "text/plain"),), removal=NOTHING),
    CallReads(at_us=[1, 2], data=[b"one", b""]),
    CallReads(at_us=[3], data=[b"two"], is_decoded=True, removal=NOTHING),
    CallEnd(outcome=TransportOutcome.ENDED, fault=None, at_us=9, total_bytes=None, removal=NOTHING),
]
FRAMES = [framed(record) for record in RECORDS]


def test_records_are_read_as_they_were_written(tmp_path: Path) -> None:
    writer = CallWriter(tmp_path / "a.call")
    for record in RECORDS:
        writer.add(record)
    assert writer.unwritten == sum(map(len, FRAMES))
    writer.write()
    writer.close()
    assert read_call(writer.path) == (RECORDS, sum(map(len, FRAMES)))
    assert (writer.written, writer.unwritten) == (sum(map(len, FRAMES)), 0)
    assert writer.path.stat().st_mode & 0o777 == 0o600


def test_a_file_that_is_torn_anywhere_has_the_records_before(tmp_path: Path) -> None:
    data = b"".join(FRAMES)
    ends = [sum(map(len, FRAMES[:count])) for count in range(len(FRAMES) + 1)]
    for length in range(len(data) + 1):
        whole = sum(end <= length for end in ends) - 1
        assert whole_records(data[:length]) == (RECORDS[:whole], ends[whole])


def test_a_byte_that_was_spoilt_ends_the_reading() -> None:
    data = b"".join(FRAMES)
    for place in range(len(FRAMES[0]), len(data)):
        spoilt = data[:place] + bytes([data[place] ^ 0xFF]) + data[place + 1 :]
        records, end = whole_records(spoilt)
        assert records == RECORDS[: len(records)]
        assert end <= place


def test_reading_goes_on_where_it_ended(tmp_path: Path) -> None:
    path = tmp_path / "a.call"
    path.write_bytes(FRAMES[0] + FRAMES[1][:5])
    records, end = read_call(path)
    assert records == RECORDS[:1]
    path.write_bytes(b"".join(FRAMES))
    assert read_call(path, end) == (RECORDS[1:], sum(map(len, FRAMES)))


def test_the_head_alone_says_whose_call_it_is(tmp_path: Path) -> None:
    path = tmp_path / "a.call"
    path.write_bytes(b"".join(FRAMES)[:-1])
    assert head_of(path) == HEAD


@pytest.mark.parametrize("data", [b"", b"abc", FRAMES[0][:-1], FRAMES[1], b"\xff" * 100])
def test_what_has_no_whole_head_is_no_call(tmp_path: Path, data: bytes) -> None:
    path = tmp_path / "a.call"
    path.write_bytes(data)
    assert head_of(path) is None
    assert head_of(tmp_path / "nothing.call") is None


def test_names_sort_by_the_beginnings_of_calls(tmp_path: Path) -> None:
    times = [999.5, 1_770_000_000.0, 1_770_000_000.000002, 10_000_000_000.0]
    paths = [path_of(tmp_path, CALL, at) for at in times]
    assert sorted(paths, key=lambda path: path.name) == paths
