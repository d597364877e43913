"""Calls on their way from the spool into the archive: each once, in order, whatever refuses."""

from __future__ import annotations

import gzip
import os
from collections import Counter
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from pathlib import Path
from queue import SimpleQueue
from types import SimpleNamespace
from typing import Any
from uuid import UUID

import pytest
import uuid6
from django.db import DataError, IntegrityError, OperationalError, connection

from inspector.archive.deletion import delete
from inspector.archive.intake import abandoned, proxy_counts, recording
from inspector.archive.models import Capture, EvidenceSegment, ProxyCount, State
from inspector.archive.storage import evidence, segments
from inspector.core.wire.exchange import Exchange, MeasuredBy, TransportOutcome
from inspector.proxy.messages import CallMissed, CallsPassed, Dropped, Omitted, Recorded, Spooled
from inspector.proxy.recorder import drain as drains
from inspector.proxy.recorder.drain import Drain, EndedCall
from inspector.proxy.recorder.passed_calls import PassedCalls
from inspector.proxy.recorder.receiver import News, Receiver, is_in_sample
from inspector.proxy.recorder.spool import BLOCK_BYTES, Spool
from tests.people import Person
from tests.proxy.recorder.spoken import (
    ASKED,
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

pytestmark = pytest.mark.both_stacks
BEGAN = 1_770_000_000.0


class Killed(BaseException):
    """Ends a recorder at any place, as a kill does."""


class RecorderInSteps:
    """A recorder whose threads go on when they are told to."""

    def __init__(self, folder: Path, owner: Person, room: int = 10_000 * BLOCK_BYTES) -> None:
        self.owner = owner
        self.folder = folder
        self.now = 1000.0
        self.listener = Listener()
        outbox: Any = self.listener
        queue: SimpleQueue[News] = SimpleQueue()
        passed = PassedCalls()
        self.spool = Spool(folder, room)
        adopted = self.spool.adopt()
        self.receiver = Receiver(self.spool, outbox, queue, passed, lambda lookup: None, keyed)
        self.drain = Drain(self.spool, outbox, queue, passed, lambda: self.now)
        self.drain.adopt(
            [EndedCall(head.started_at, head.call, head.team_id, path) for path, head in adopted]
        )

    def take(self, *messages: Any) -> None:
        self.receiver.take(messages)

    def tick(self, after_seconds: float = 0.0) -> None:
        self.now += after_seconds
        self.drain.tick()

    def whose(self) -> dict[str, Any]:
        return {"team_id": self.owner.team.pk, "key_id": self.owner.service.key_id}

    def whole(self, call: UUID | None = None, **changed: Any) -> list[Any]:
        return whole_call(call, **{**self.whose(), **changed})

    def begun(self, **changed: Any) -> Any:
        return begun(**{**self.whose(), **changed})

    def files(self) -> list[Path]:
        return list(self.folder.glob("*/*.call"))

    def die(self) -> None:
        os.close(self.spool._lock)

    def successor(self) -> RecorderInSteps:
        self.die()
        return RecorderInSteps(self.folder, self.owner)


@pytest.fixture
def recorder(tmp_path: Path, owner: Person) -> RecorderInSteps:
    return RecorderInSteps(tmp_path, owner)


def stored(call: UUID) -> Exchange:
    capture = Capture.objects.select_related("evidence").get(pk=call)
    return evidence.unpack(capture, capture.evidence)


def counted(owner: Person) -> dict[str, int]:
    kinds = ("recorded", "missed", "omitted", "other", "paused")
    rows = ProxyCount.objects.filter(team=owner.team).values(*kinds)
    return dict(+sum(map(Counter, rows), Counter[str]()))


def refuse(monkeypatch: pytest.MonkeyPatch, name: str, error: Exception) -> list[int]:
    """Has a step of the archive refuse; returns a list that grows with each attempt."""
    attempts: list[int] = []

    def refuses(items: Any) -> Any:
        attempts.append(len(items))
        raise error

    monkeypatch.setattr(recording, name, refuses)
    return attempts


# -- one call -------------------------------------------------------------------------------------


def test_a_short_call_is_stored_as_it_was_and_leaves_the_spool(
    recorder: RecorderInSteps, owner: Person
) -> None:
    messages = recorder.whole()
    pk = messages[0].call
    recorder.take(*messages)
    recorder.tick()
    row, exchange = Capture.objects.get(pk=pk), stored(pk)
    assert (row.team_id, row.key_id) == (owner.team.pk, owner.service.key_id)
    assert row.upstream == "openai"
    assert (row.state, row.started_at) == (
        State.RECEIVED,
        datetime.fromtimestamp(BEGAN + 0.25, UTC),
    )
    assert [(read.at_us, read.data) for read in exchange.reads] == [
        (1000, STREAM[:20]),
        (1010, STREAM[20:]),
    ]
    assert (exchange.status_code, exchange.content_type) == (200, "text/event-stream")
    assert (exchange.outcome, exchange.measured_by) == (TransportOutcome.ENDED, MeasuredBy.PROXY)
    assert exchange.request is not None
    assert (exchange.request.method, exchange.request.body) == ("POST", ASKED)
    assert recorder.listener.said == [Spooled([pk]), Recorded([pk])]
    assert (recorder.files(), recorder.spool.used_bytes) == ([], 0)
    assert counted(owner) == {"recorded": 1}


def test_a_long_call_can_be_looked_at_while_it_goes_on(recorder: RecorderInSteps) -> None:
    first = recorder.begun()
    pk = first.call
    recorder.take(first, asked(pk))
    recorder.tick()
    assert not Capture.objects.exists()
    recorder.tick(0.5)
    assert Capture.objects.get(pk=pk).state == State.RECORDING
    recorder.take(answered(pk), came(pk, STREAM[:20]))
    recorder.tick(0.5)
    so_far = segments.exchange_so_far(Capture.objects.select_related("evidence").get(pk=pk))
    assert so_far is not None
    assert (so_far.body, so_far.status_code) == (STREAM[:20], 200)
    recorder.take(came(pk, STREAM[20:]))
    recorder.tick(0.25)
    assert EvidenceSegment.objects.count() == 1
    recorder.tick(0.25)
    assert EvidenceSegment.objects.count() == 2
    recorder.take(ended(pk))
    recorder.tick()
    assert (stored(pk).body, EvidenceSegment.objects.count()) == (STREAM, 0)
    assert Capture.objects.get(pk=pk).state == State.RECEIVED
    assert recorder.listener.said == [Spooled([pk]), Recorded([pk])]


def test_a_call_that_says_nothing_keeps_its_lease(recorder: RecorderInSteps) -> None:
    first = recorder.begun()
    recorder.take(first)
    recorder.tick()
    recorder.tick(1.0)
    Capture.objects.update(due_at=datetime(2026, 1, 1, tzinfo=UTC))
    recorder.tick(10.0)
    assert Capture.objects.get().due_at.year == 2026 and abandoned.overdue().exists()
    recorder.tick(10.0)
    assert not abandoned.overdue().exists()


def test_a_compressed_call_in_which_a_key_is_found_is_stored_whole_at_its_end(
    recorder: RecorderInSteps,
) -> None:
    first = recorder.begun()
    pk = first.call
    body = gzip.compress(b"fine\n" * 5000 + KEY.encode() + b"\n" + bytes(range(256)))
    recorder.take(first, asked(pk), answered(pk, headers=(("content-encoding", "gzip"),)))
    recorder.take(came(pk, body[:30]))
    recorder.tick()
    recorder.tick(1.0)
    assert EvidenceSegment.objects.count() == 1
    recorder.take(came(pk, body[30:]))
    recorder.tick(1.0)
    assert EvidenceSegment.objects.count() == 1
    recorder.take(ended(pk, len(body)))
    recorder.tick()
    masked = b"fine\n" * 5000 + b"*" * len(KEY) + b"\n" + bytes(range(256))
    assert (stored(pk).body, stored(pk).headers) == (masked, ())


def test_a_call_that_was_deleted_while_it_went_on_stays_deleted(
    recorder: RecorderInSteps, owner: Person
) -> None:
    first = recorder.begun()
    pk = first.call
    recorder.take(first, came(pk, STREAM[:20]))
    recorder.tick()
    recorder.tick(1.0)
    delete(owner.principal, pk)
    recorder.take(came(pk, STREAM[20:]))
    recorder.tick(1.0)
    recorder.take(ended(pk))
    recorder.tick(1.0)
    assert not Capture.objects.filter(pk=pk, evidence__isnull=False).exists()
    assert (recorder.listener.calls(Recorded), recorder.files()) == ([pk], [])


# -- calls that are not kept ----------------------------------------------------------------------


def test_a_call_that_was_lost_before_it_began_leaves_nothing(
    recorder: RecorderInSteps, owner: Person
) -> None:
    first = recorder.begun()
    recorder.take(first)
    recorder.take(CallMissed(first.call, owner.team.pk))
    recorder.tick()
    recorder.tick(1.0)
    assert (Capture.objects.count(), recorder.files()) == (0, [])
    assert counted(owner) == {"missed": 1}


def test_a_call_that_was_lost_later_is_stored_as_far_as_it_goes(
    recorder: RecorderInSteps, owner: Person
) -> None:
    first = recorder.begun()
    pk = first.call
    recorder.take(first, answered(pk), came(pk, STREAM[:20]))
    recorder.tick()
    recorder.tick(1.0)
    recorder.take(CallMissed(pk, owner.team.pk))
    recorder.tick()
    assert (stored(pk).outcome, stored(pk).body) == (TransportOutcome.RECORDER_STOPPED, STREAM[:20])
    assert (counted(owner), recorder.listener.said) == ({"missed": 1}, [])
    assert recorder.files() == []


def test_counts_are_added_to_those_of_the_hour(recorder: RecorderInSteps, owner: Person) -> None:
    outside = next(pk for pk in iter(uuid6.uuid7, None) if not is_in_sample(pk, 50))
    recorder.take(CallsPassed(owner.team.pk, other=2), *recorder.whole())
    recorder.tick()
    recorder.take(CallsPassed(owner.team.pk, paused=1), *recorder.whole())
    recorder.take(*recorder.whole(outside, sample_percent=50))
    recorder.tick()
    assert counted(owner) == {"recorded": 2, "other": 2, "paused": 1, "omitted": 1}
    of_calls = ProxyCount.objects.get(hour=datetime.fromtimestamp(BEGAN // 3600 * 3600, UTC))
    assert (of_calls.recorded, of_calls.omitted, of_calls.other) == (2, 1, 0)


@pytest.mark.django_db(transaction=True)
def test_counts_of_a_team_that_there_is_not_do_not_keep_later_ones(
    recorder: RecorderInSteps, owner: Person
) -> None:
    recorder.take(CallsPassed(999_999, other=1))
    recorder.tick()
    recorder.take(CallsPassed(owner.team.pk, other=2))
    recorder.tick()
    assert counted(owner) == {"other": 2}


def test_counts_wait_for_a_database_that_refuses(
    recorder: RecorderInSteps, owner: Person, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuses(counts: Any) -> None:
        raise OperationalError("down")

    recorder.take(CallsPassed(owner.team.pk, other=1))
    with monkeypatch.context() as down:
        down.setattr(proxy_counts, "add_counts", refuses)
        recorder.tick()
        recorder.take(CallsPassed(owner.team.pk, other=1))
        recorder.tick()
    recorder.tick()
    assert counted(owner) == {"other": 2}


# -- a database that refuses ----------------------------------------------------------------------


def test_calls_wait_for_a_database_that_refuses_and_are_stored_in_their_order(
    recorder: RecorderInSteps, owner: Person, monkeypatch: pytest.MonkeyPatch
) -> None:
    calls = [recorder.whole(started_at=BEGAN + number) for number in range(250)]
    live = recorder.begun(started_at=BEGAN + 300)
    with monkeypatch.context() as down:
        attempts = refuse(down, "finish", OperationalError("down"))
        refuse(down, "begin", OperationalError("down"))
        recorder.take(live)
        # As they end: not in the order in which they began.
        for messages in reversed(calls):
            recorder.take(*messages)
        for _ in range(20):
            recorder.tick(60.0)
        assert len(attempts) == 20
        assert (len(recorder.files()), recorder.drain.waiting) == (251, 250)
        assert recorder.listener.calls(Recorded) == []
        assert recorder.drain._wait_seconds == drains.MAX_WAIT_SECONDS
    recorder.tick()
    ids = [messages[0].call for messages in calls]
    # As lists order them: what is committed together has one time.
    in_order = Capture.objects.order_by("received_at", "pk")
    assert list(in_order.values_list("pk", flat=True)) == [*ids, live.call]
    assert recorder.listener.calls(Recorded) == ids
    assert (recorder.drain._wait_seconds, len(recorder.files())) == (0.0, 1)
    assert counted(owner) == {"recorded": 250}


def test_what_has_to_wait_is_written_through_to_the_disk(
    recorder: RecorderInSteps, monkeypatch: pytest.MonkeyPatch
) -> None:
    synced: list[Path] = []
    monkeypatch.setattr(recorder.spool, "sync", lambda paths: synced.extend(paths))
    recorder.take(*recorder.whole())
    recorder.tick()
    assert synced == []
    refuse(monkeypatch, "finish", OperationalError("down"))
    recorder.take(*recorder.whole())
    recorder.tick()
    recorder.tick()
    assert synced == recorder.files()


def test_a_segment_whose_answer_was_lost_is_told_again_and_stored_once(
    recorder: RecorderInSteps, monkeypatch: pytest.MonkeyPatch
) -> None:
    first = recorder.begun()
    pk = first.call
    recorder.take(first, came(pk, STREAM[:20]))
    sound = recording.append

    def loses_its_answer(added: Any) -> Any:
        sound(added)
        raise OperationalError("the connection broke")

    with monkeypatch.context() as broken:
        broken.setattr(recording, "append", loses_its_answer)
        recorder.tick()
        recorder.tick(1.0)
    recorder.take(came(pk, STREAM[20:]))
    recorder.tick(5.0)
    recorder.tick(1.0)
    so_far = segments.exchange_so_far(Capture.objects.select_related("evidence").get(pk=pk))
    assert so_far is not None and so_far.body == STREAM


@pytest.mark.parametrize("error", [DataError("no such value"), IntegrityError("no such team")])
def test_a_call_that_cannot_be_stored_does_not_keep_the_others(
    recorder: RecorderInSteps, monkeypatch: pytest.MonkeyPatch, owner: Person, error: Exception
) -> None:
    before, odd, after = (recorder.whole() for _ in range(3))
    sound = recording.finish

    def refuses_one(recordings: Any) -> Any:
        if any(each.id == odd[0].call for each in recordings):
            raise error
        return sound(recordings)

    monkeypatch.setattr(recording, "finish", refuses_one)
    recorder.take(*before, *odd, *after)
    for _ in range(3):
        recorder.tick()
    assert set(recorder.listener.calls(Recorded)) == {before[0].call, after[0].call}
    assert recorder.listener.calls(Dropped) == [odd[0].call]
    assert (counted(owner), recorder.files()) == ({"recorded": 2, "missed": 1}, [])


def test_a_database_that_goes_down_while_the_troublesome_call_is_looked_for_costs_none(
    recorder: RecorderInSteps, monkeypatch: pytest.MonkeyPatch
) -> None:
    calls = [recorder.whole(started_at=BEGAN + number) for number in range(3)]
    sound, attempts = recording.finish, []

    def refuses_all_then_goes_down(recordings: Any) -> Any:
        attempts.append(len(recordings))
        if len(recordings) == 3:
            raise DataError("one of them")
        if len(attempts) == 3:
            raise OperationalError("down")
        return sound(recordings)

    for messages in calls:
        recorder.take(*messages)
    with monkeypatch.context() as odd:
        odd.setattr(recording, "finish", refuses_all_then_goes_down)
        recorder.tick()
    assert (attempts, recorder.drain.waiting) == ([3, 1, 1], 2)
    recorder.tick()
    assert recorder.listener.calls(Recorded) == [messages[0].call for messages in calls]


@pytest.mark.django_db(transaction=True)
def test_calls_of_a_key_that_is_gone_do_not_keep_the_others(recorder: RecorderInSteps) -> None:
    odd, over = recorder.begun(key_id=999_999), recorder.whole(key_id=999_999)
    recorder.take(odd, *over, *recorder.whole(), CallsPassed(recorder.owner.team.pk, other=1))
    for _ in range(3):
        recorder.tick(1.0)
    recorder.take(ended(odd.call))
    for _ in range(3):
        recorder.tick()
    assert Capture.objects.count() == 1
    assert recorder.listener.calls(Dropped) == [over[0].call, odd.call]
    assert counted(recorder.owner) == {"recorded": 1, "missed": 2, "other": 1}


# -- a recorder that is killed --------------------------------------------------------------------


def kill_at(monkeypatch: pytest.MonkeyPatch, owner: object, name: str, *, done: bool) -> None:
    sound: Callable[..., Any] = getattr(owner, name)

    def dies(*arguments: Any, **named: Any) -> Any:
        if done:
            sound(*arguments, **named)
        raise Killed

    monkeypatch.setattr(owner, name, dies)


@pytest.mark.parametrize("done", [False, True])
@pytest.mark.parametrize(
    "step", ["recording.finish", "spool.remove", "outbox.send", "recording.begin", "passed.store"]
)
def test_a_kill_anywhere_loses_and_doubles_nothing(
    recorder: RecorderInSteps, monkeypatch: pytest.MonkeyPatch, step: str, done: bool
) -> None:
    whole, cut = recorder.whole(), recorder.begun()
    recorder.take(*whole, cut, answered(cut.call), came(cut.call, STREAM[:20]))
    recorder.drain._take_news()
    recorder.now += 1.0
    owners = {
        "recording": recording,
        "spool": recorder.spool,
        "outbox": recorder.listener,
        "passed": recorder.drain._passed,
    }
    owner, name = step.split(".")
    with monkeypatch.context() as killing:
        kill_at(killing, owners[owner], name, done=done)
        with pytest.raises(Killed):
            recorder.tick()
    successor = recorder.successor()
    successor.tick()
    successor.tick(1.0)
    assert Capture.objects.count() == 2
    assert stored(whole[0].call).outcome == TransportOutcome.ENDED
    assert (stored(cut.call).outcome, stored(cut.call).body) == (
        TransportOutcome.RECORDER_STOPPED,
        STREAM[:20],
    )
    assert successor.files() == []


def test_recorder_that_comes_back_late_replaces_what_sweep_ended(recorder: RecorderInSteps) -> None:
    first = recorder.begun()
    pk = first.call
    recorder.take(first, answered(pk), came(pk, STREAM[:20]))
    recorder.tick()
    recorder.tick(1.0)
    recorder.take(came(pk, STREAM[20:]), ended(pk))
    Capture.objects.update(due_at=datetime.now(UTC) - timedelta(hours=1), attempt=1)
    assert abandoned.finish_abandoned() == 1
    assert stored(pk).body == STREAM[:20]
    successor = recorder.successor()
    successor.tick()
    assert (stored(pk).body, stored(pk).outcome) == (STREAM, TransportOutcome.ENDED)


def test_of_the_calls_that_are_adopted_the_sample_is_kept(recorder: RecorderInSteps) -> None:
    outside = next(pk for pk in iter(uuid6.uuid7, None) if not is_in_sample(pk, 50))
    recorder.take(recorder.begun(call=outside, sample_percent=50))
    successor = recorder.successor()
    successor.tick()
    assert successor.listener.said == [Omitted([outside])]
    assert (Capture.objects.count(), successor.files()) == (0, [])


# -- when it looks ----------------------------------------------------------------------------------


class Waits:
    """The events that a drain waits for, in the order in which it does; ``stopped`` ends it."""

    def __init__(self, drain: Drain, *looks: Callable[[], None]) -> None:
        self.log: list[str] = []
        self._looks = list(looks)
        drain._woken = SimpleNamespace(  # type: ignore[assignment]
            wait=lambda: self.log.append("asleep"), clear=lambda: None
        )

    def wait(self, seconds: float) -> bool:
        self.log.append(f"{seconds} s")
        if not self._looks:
            return True
        self._looks.pop(0)()
        return False


def nothing() -> None:
    pass


@pytest.fixture
def keeps_connection(monkeypatch: pytest.MonkeyPatch) -> None:
    """The connection is the test's, whoever runs in its thread."""
    monkeypatch.setattr(connection, "close", nothing)


@pytest.mark.usefixtures("keeps_connection")
def test_a_drain_that_hears_of_no_call_sleeps_until_it_is_woken(recorder: RecorderInSteps) -> None:
    waits: Any = Waits(recorder.drain, nothing, nothing)
    recorder.drain.run(waits, 0.0)
    assert waits.log == ["0.25 s", "asleep", "0.25 s", "asleep", "0.25 s"]


@pytest.mark.usefixtures("keeps_connection")
def test_a_drain_looks_at_a_call_that_goes_on_and_sleeps_when_it_is_stored(
    recorder: RecorderInSteps,
) -> None:
    begins, *goes_on = recorder.whole()
    recorder.take(begins)
    waits: Any = Waits(recorder.drain, nothing, nothing, lambda: recorder.take(*goes_on), nothing)
    recorder.drain.run(waits, 0.0)
    assert waits.log == ["0.25 s", "asleep", *["0.25 s"] * 3, "asleep", "0.25 s"]
    assert stored(begins.call).outcome is TransportOutcome.ENDED


@pytest.mark.usefixtures("keeps_connection")
def test_a_drain_does_not_sleep_while_the_database_refuses(
    recorder: RecorderInSteps, monkeypatch: pytest.MonkeyPatch
) -> None:
    refuse(monkeypatch, "finish", OperationalError("down"))
    recorder.take(*recorder.whole())
    recorder.tick()
    waits: Any = Waits(recorder.drain, nothing, nothing)
    recorder.drain.run(waits, 0.0)
    assert waits.log == ["0.25 s", "0.5 s", "1.0 s"]
