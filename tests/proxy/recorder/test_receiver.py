"""The receiver: what it writes, whom it tells, and what it counts."""

import errno
import os
from collections import Counter
from pathlib import Path
from queue import SimpleQueue
from typing import Any
from uuid import UUID

import pytest
import uuid6

from inspector.archive.storage import disk_space
from inspector.core.wire.exchange import TransportFault, TransportOutcome
from inspector.proxy.messages import (
    CallMissed,
    CallsPassed,
    Dropped,
    Lookup,
    Omitted,
    ReadsForwarded,
    Spooled,
    SpoolState,
    TrySpool,
)
from inspector.proxy.recorder.call_spool import CallEnd, read_call
from inspector.proxy.recorder.passed_calls import PassedCalls
from inspector.proxy.recorder.receiver import (
    CallClosed,
    CallLost,
    CallOpened,
    News,
    Receiver,
    is_in_sample,
)
from inspector.proxy.recorder.spool import BLOCK_BYTES, Spool
from tests.proxy.recorder.spoken import (
    KEY,
    STREAM,
    Listener,
    answered,
    asked,
    begun,
    came,
    ended,
    keyed,
    whole_call,
)


class Desk:
    """A receiver with all that it tells."""

    def __init__(self, folder: Path, room: int = 100 * BLOCK_BYTES) -> None:
        self.folder = folder
        self.listener = Listener()
        self.queue: SimpleQueue[News] = SimpleQueue()
        self.passed = PassedCalls()
        self.lookups: list[Lookup] = []
        self.spool = Spool(folder, room)
        outbox: Any = self.listener
        self.receiver = Receiver(
            self.spool, outbox, self.queue, self.passed, self.lookups.append, keyed
        )

    def news(self) -> list[News]:
        return [self.queue.get() for _ in range(self.queue.qsize())]

    def counted(self) -> dict[str, int]:
        return dict(+sum(self.passed._calls.values(), Counter[str]()))

    def files(self) -> list[Path]:
        return sorted(self.folder.glob("*/*.call"))


@pytest.fixture
def desk(tmp_path: Path) -> Desk:
    return Desk(tmp_path)


def in_sample_of(percent: int, wanted: bool) -> UUID:
    return next(pk for pk in iter(uuid6.uuid7, None) if is_in_sample(pk, percent) == wanted)


def test_a_call_is_whole_on_disk_when_the_proxy_is_told_so(desk: Desk) -> None:
    messages = whole_call()
    desk.receiver.take(messages)
    pk = messages[0].call
    assert desk.listener.said == [Spooled([pk])]
    (path,) = desk.files()
    records, _ = read_call(path)
    assert isinstance(records[-1], CallEnd)
    assert KEY.encode() not in path.read_bytes()
    assert desk.news() == [CallOpened(pk, path), CallClosed(pk, path, 1, 1_770_000_000.25)]


def test_a_call_that_goes_on_is_written_with_every_frame(desk: Desk) -> None:
    first = begun()
    pk = first.call
    desk.receiver.take([first, asked(pk)])
    (path,) = desk.files()
    sizes = [path.stat().st_size]
    for piece in (b"data: 1\n\n", b"data: 2\n\n"):
        desk.receiver.take([came(pk, piece)])
        sizes.append(path.stat().st_size)
    assert sizes == sorted(set(sizes))
    assert desk.news() == [CallOpened(pk, path)]
    assert desk.listener.said == []


def test_a_call_outside_of_the_sample_leaves_nothing(desk: Desk) -> None:
    pk = in_sample_of(50, wanted=False)
    desk.receiver.take(whole_call(pk, sample_percent=50))
    assert (desk.listener.said, desk.files(), desk.news()) == ([Omitted([pk])], [], [])
    assert (desk.counted(), desk.spool.used_bytes) == ({"omitted": 1}, 0)


def test_a_call_inside_of_the_sample_is_kept(desk: Desk) -> None:
    pk = in_sample_of(50, wanted=True)
    desk.receiver.take(whole_call(pk, sample_percent=50))
    assert desk.listener.said == [Spooled([pk])]


@pytest.mark.parametrize(
    ("status", "changed"),
    [
        (400, {}),
        (503, {"outcome": TransportOutcome.CLIENT_CANCELLED}),
        (200, {"outcome": TransportOutcome.UPSTREAM_ERROR}),
        (200, {"outcome": TransportOutcome.UPSTREAM_TIMEOUT}),
        (200, {"fault": TransportFault.BROKEN_RESPONSE}),
    ],
)
def test_a_call_that_failed_is_kept_whatever_the_sample_is(
    desk: Desk, status: int, changed: dict[str, Any]
) -> None:
    pk = in_sample_of(1, wanted=False)
    first = begun(pk, sample_percent=1)
    desk.receiver.take([first, asked(pk), answered(pk, status), ended(pk, 0, **changed)])
    assert desk.listener.said == [Spooled([pk])]


def test_a_call_is_the_drains_as_soon_as_it_is_known_to_be_kept(desk: Desk) -> None:
    pk = in_sample_of(1, wanted=False)
    desk.receiver.take([begun(pk, sample_percent=1), asked(pk)])
    assert desk.news() == []
    desk.receiver.take([answered(pk, 429)])
    assert [type(each) for each in desk.news()] == [CallOpened]


def test_a_sample_takes_its_share_and_decides_alike_everywhere() -> None:
    calls = [UUID(int=number) for number in range(10_000)]
    taken = [pk for pk in calls if is_in_sample(pk, 20)]
    assert 1_800 < len(taken) < 2_200
    assert set(taken) <= {pk for pk in calls if is_in_sample(pk, 21)}
    assert all(is_in_sample(pk, 100) and not is_in_sample(pk, 0) for pk in calls)


def test_calls_for_which_there_is_no_room_are_dropped_and_counted(tmp_path: Path) -> None:
    desk = Desk(tmp_path, room=BLOCK_BYTES)
    kept, dropped = whole_call(), whole_call()
    desk.receiver.take([*kept, *dropped])
    assert desk.listener.said == [
        Spooled([kept[0].call]), Dropped([dropped[0].call]), SpoolState(takes=False),
    ]  # fmt: skip
    assert (desk.counted(), len(desk.files())) == ({"missed": 1}, 1)


def test_a_call_that_outgrows_the_spool_is_dropped_and_the_others_are_not(tmp_path: Path) -> None:
    desk = Desk(tmp_path, room=2 * BLOCK_BYTES)
    large, small = begun(), whole_call()
    desk.receiver.take([large, came(large.call, b"x" * 9_000), *small])
    assert desk.listener.said == [
        Spooled([small[0].call]), Dropped([large.call]), SpoolState(takes=False),
    ]  # fmt: skip
    assert desk.counted() == {"missed": 1}
    lost = [each for each in desk.news() if isinstance(each, CallLost)]
    assert [each.closed.call for each in lost] == [large.call]
    # What still comes of it is of no call.
    desk.receiver.take([came(large.call, b"more"), ended(large.call)])
    assert desk.counted() == {"missed": 1}


@pytest.mark.parametrize("number", [errno.ENOSPC, errno.EIO, errno.EFBIG])
def test_a_disk_that_fails_costs_the_calls_that_are_written_then(
    desk: Desk, monkeypatch: pytest.MonkeyPatch, number: int
) -> None:
    goes_on = begun()
    desk.receiver.take([goes_on])
    with monkeypatch.context() as broken:

        def fails(*_: object) -> int:
            raise OSError(number, os.strerror(number))

        broken.setattr(os, "write", fails)
        cut = whole_call()
        desk.receiver.take([*cut, came(goes_on.call, STREAM)])
    calls = {cut[0].call, goes_on.call}
    assert set(desk.listener.calls(Dropped)) == calls
    assert desk.counted() == {"missed": 2}
    desk.receiver.take(whole_call())
    assert len(desk.listener.calls(Spooled)) == 1
    states = [each for each in desk.listener.said if isinstance(each, SpoolState)]
    assert states == [SpoolState(takes=False), SpoolState(takes=True)]


def test_a_disk_that_is_nearly_full_is_left_to_others(
    desk: Desk, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(disk_space, "has_space_at", lambda folder: False)
    messages = whole_call()
    desk.receiver.take(messages)
    assert desk.listener.said == [Dropped([messages[0].call]), SpoolState(takes=False)]


def test_a_spool_that_took_nothing_is_tried_without_a_call(
    desk: Desk, monkeypatch: pytest.MonkeyPatch
) -> None:
    desk.receiver.take([TrySpool()])
    assert desk.listener.said == []
    with monkeypatch.context() as full:
        full.setattr(disk_space, "has_space_at", lambda folder: False)
        desk.receiver.take([TrySpool()])
        desk.receiver.take([TrySpool()])
    assert desk.listener.said == [SpoolState(takes=False)]
    desk.receiver.take([TrySpool()])
    assert desk.listener.said == [SpoolState(takes=False), SpoolState(takes=True)]
    assert (desk.spool.used_bytes, desk.files()) == (0, [])
    assert [path.name for path in desk.folder.glob("*/*")] == ["lock"]


def test_a_call_that_the_proxy_misses_is_given_up(desk: Desk) -> None:
    first = begun()
    desk.receiver.take([first, asked(first.call)])
    desk.receiver.take([CallMissed(first.call, 1), CallMissed(uuid6.uuid7(), 1)])
    assert desk.counted() == {"missed": 2}
    assert [type(each) for each in desk.news()] == [CallOpened, CallLost]
    assert desk.listener.said == []


def test_calls_that_are_not_recorded_are_counted(desk: Desk) -> None:
    desk.receiver.take([CallsPassed(1, other=3), CallsPassed(1, paused=2), CallsPassed(1, other=1)])
    assert desk.counted() == {"other": 4, "paused": 2}


def test_lookups_are_handed_on(desk: Desk) -> None:
    lookup = Lookup(7, "0" * 64, "openai")
    desk.receiver.take([lookup])
    assert desk.lookups == [lookup]


def test_open_calls_end_with_the_proxy_and_what_was_held_back_is_written(desk: Desk) -> None:
    first = begun()
    pk = first.call
    desk.receiver.take([first, asked(pk), answered(pk), came(pk, b"data: sk-p")])
    desk.receiver.stop()
    (path,) = desk.files()
    records, _ = read_call(path)
    assert records[-1].outcome is TransportOutcome.RECORDER_STOPPED
    assert records[-2].data == [b"data: sk-p"]
    assert desk.listener.said == [Spooled([pk])]


def test_a_message_that_makes_no_sense_costs_its_call_alone(desk: Desk) -> None:
    odd, sound = begun(), whole_call()
    desk.receiver.take([odd, ReadsForwarded(odd.call, [1, 2], [b"one"]), *sound])
    assert desk.listener.calls(Dropped) == [odd.call]
    assert desk.listener.calls(Spooled) == [sound[0].call]


def test_what_is_said_of_no_call_changes_nothing(desk: Desk) -> None:
    pk = uuid6.uuid7()
    desk.receiver.take([asked(pk), answered(pk), came(pk, b"x"), ended(pk)])
    assert (desk.listener.said, desk.files(), desk.counted()) == ([], [], {})
