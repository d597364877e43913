import os
import signal
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Callable, Collection, Iterator, Sequence
from contextlib import contextmanager
from datetime import timedelta
from threading import Thread
from types import SimpleNamespace
from uuid import UUID, uuid4

import pytest
from celery.contrib.testing.worker import start_worker
from django.conf import LazySettings
from django.conf import settings as project
from django.db import OperationalError, connection
from django.db.models.functions import Now
from django.utils import timezone
from psycopg.errors import LockNotAvailable

from inspector.archive.events import ProjectionChange
from inspector.archive.inspection import announced, claims, projection, projection_store, tasks
from inspector.archive.inspection.cpu_limit import CpuTimeExceeded, cpu_time_limit
from inspector.archive.inspection.doorbell import DRAIN, doorbell
from inspector.archive.inspection.projection import ProjectionRows
from inspector.archive.models import Capture, Inspection, SlowReading, State
from inspector.archive.readers.extract import Extract, extract_of
from inspector.archive.storage import disk_space
from inspector.celery import app
from inspector.core.readout import Readout, readout
from inspector.core.wire.exchange import Exchange
from tests.archive.inspection.test_doorbell import wait_until
from tests.archive.samples import STREAM, WHOLE, accept
from tests.archive.telling import tell_only
from tests.people import Person

pytestmark = pytest.mark.both_stacks

POISON = b"a payload that ends its process"
READS_FIRST = """
import sys
import django
django.setup()
from inspector.archive.inspection import tasks
from inspector.core.wire.exchange import Exchange
tasks.prepare()
before = {*sys.modules}
answer = b'data: {"object": "chat.completion.chunk", "choices": [{"delta": {"content": "Hi"}}]}\\n\\n'
tasks.extract_of(Exchange.of_body(answer), tasks.readout(Exchange.of_body(answer)))
print(sorted({*sys.modules} - before))
"""
ENDS_ITS_PROCESS = """
import os, sys
from django.conf import settings
import inspector.settings
inspector.settings.DATABASES["default"]["NAME"] = sys.argv[1]
import django
django.setup()
from inspector.archive.inspection import tasks
from inspector.core.readout import Readout, readout
def ends(exchange):
    if exchange.body == b"a payload that ends its process":
        os.kill(os.getpid(), 9)
    return readout(exchange)
tasks.readout = ends
tasks.drain()
"""


def spoils_poison(capture: Capture, found: Extract) -> ProjectionRows:
    if capture.byte_length == len(POISON):
        raise ValueError("no \0 sense")
    return projection.project(capture, found)


def test_a_ring_inspects_all_due(owner: Person, stranger: Person, settings: LazySettings) -> None:
    settings.CLAIM_ROWS = 2
    for person in (owner, stranger):
        for body in (WHOLE, STREAM, b"{}"):
            accept(person, body)
    tasks.drain()
    assert set(Capture.objects.values_list("state", flat=True)) == {State.INSPECTED}
    assert Inspection.objects.count() == 6


def test_a_ring_for_nothing_does_nothing(owner: Person) -> None:
    tasks.drain()
    assert not Inspection.objects.exists()


def test_when_time_runs_out_the_rest_is_rung_for(
    owner: Person, monkeypatch: pytest.MonkeyPatch, settings: LazySettings
) -> None:
    rings: list[int] = []
    monkeypatch.setattr(doorbell, "ring", lambda: rings.append(1))
    settings.DRAIN_SECONDS = -1
    settings.CLAIM_ROWS = 1
    accept(owner)
    accept(owner)
    tasks.drain()
    assert rings == [1]
    assert Capture.objects.filter(state=State.RECEIVED).count() == 1


def test_between_claims_there_is_a_rest_unless_something_has_waited_as_long(
    owner: Person, monkeypatch: pytest.MonkeyPatch, settings: LazySettings
) -> None:
    rests: list[float] = []
    clock = SimpleNamespace(monotonic=time.monotonic, sleep=rests.append)
    monkeypatch.setattr(tasks, "time", clock)
    monkeypatch.setattr(tasks, "REST_SECONDS", 60)
    settings.CLAIM_ROWS = 1
    ids = [accept(owner) for _ in range(4)]
    Capture.objects.filter(pk__in=ids[:2]).update(due_at=Now() - timedelta(seconds=61))
    tasks.drain()
    assert Inspection.objects.count() == 4
    assert rests == [0, 0, 60, 60], "none where one waited"


def test_what_cannot_be_inspected_is_tried_three_times_and_then_kept_aside_with_its_reason(
    owner: Person, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(tasks, "project", spoils_poison)
    poison, healthy = accept(owner, POISON), accept(owner)
    for _ in range(3):
        tasks.drain()
        Capture.objects.filter(state=State.RECEIVED).update(due_at=Now() - timedelta(seconds=1))
    row = Capture.objects.get(pk=poison)
    assert (row.state, row.attempt) == (State.QUARANTINED, 3)
    assert row.quarantine_reason == "ValueError: no \\u0000 sense"
    assert Capture.objects.get(pk=healthy).state == State.INSPECTED


def locked() -> OperationalError:
    error = OperationalError("canceling statement due to lock timeout")
    error.__cause__ = LockNotAvailable()
    return error


@pytest.mark.parametrize(
    "trouble", [disk_space.DiskNearlyFull("database or disk is full"), locked()]
)
def test_the_databases_trouble_is_no_fault_of_the_capture_and_counts_for_nothing(
    owner: Person, monkeypatch: pytest.MonkeyPatch, trouble: OperationalError
) -> None:
    def fails(*_: object) -> bool:
        raise trouble

    monkeypatch.setattr(projection_store, "store_rows", fails)
    capture_id = accept(owner)
    for _ in range(4):
        tasks.drain()
        row = Capture.objects.get(pk=capture_id)
        assert (row.state, row.attempt, row.lease_token) == (State.RECEIVED, 0, None)
        assert not claims.any_due(), "it waits before it is tried again"
        Capture.objects.update(due_at=Now() - timedelta(seconds=1))
    monkeypatch.undo()
    tasks.drain()
    assert Capture.objects.get(pk=capture_id).state == State.INSPECTED


def test_whoever_is_told_to_stop_gives_back_what_was_not_begun(owner: Person) -> None:
    for _ in range(3):
        accept(owner)
    done = iter([False, True])
    tasks.inspect_due(stop=lambda: next(done))
    counts = sorted(Capture.objects.values_list("state", "attempt"))
    assert counts == [("inspected", 1), ("received", 0), ("received", 0)]


def spoils(body: bytes) -> Callable[..., ProjectionRows]:
    """The database refuses what is made of this body."""

    def projects(capture: Capture, found: Extract) -> ProjectionRows:
        rows = projection.project(capture, found)
        if capture.byte_length == len(body):
            rows.inspection.verdict = None  # type: ignore[assignment]
        return rows

    return projects


def test_a_refused_row_holds_up_nobody(owner: Person, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tasks, "project", spoils(STREAM))
    ids = [accept(owner, body) for body in (WHOLE, STREAM, b"{}")]
    tasks.drain()
    rows = [Capture.objects.get(pk=capture_id) for capture_id in ids]
    assert [(row.state, row.attempt, row.lease_token) for row in rows] == [
        (State.INSPECTED, 1, None),
        (State.RECEIVED, 1, None),
        (State.INSPECTED, 1, None),
    ]
    assert set(Inspection.objects.values_list("pk", flat=True)) == {ids[0], ids[2]}


def test_what_an_app_refuses_holds_up_none(owner: Person, monkeypatch: pytest.MonkeyPatch) -> None:
    tell_only(monkeypatch, inspected=refuses_streams)
    healthy, refused = accept(owner, WHOLE), accept(owner, STREAM)
    for _ in range(3):
        tasks.drain()
        Capture.objects.filter(state=State.RECEIVED).update(due_at=Now() - timedelta(seconds=1))
    assert Capture.objects.get(pk=healthy).state == State.INSPECTED
    row = Capture.objects.get(pk=refused)
    assert (row.state, row.quarantine_reason) == (State.QUARANTINED, "ValueError: no streams")


def refuses_streams(replaced: Sequence[ProjectionChange]) -> None:
    if any(after.inspection.streamed for _, after in replaced):
        raise ValueError("no streams")


def test_what_is_read_at_once_is_stored_so(owner: Person, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tasks, "BATCH_SECONDS", 60)
    for _ in range(5):
        accept(owner)
    assert stored_together(monkeypatch) == [5]


def test_what_was_read_does_not_wait_long(owner: Person, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tasks, "BATCH_SECONDS", -1)
    for _ in range(3):
        accept(owner)
    assert stored_together(monkeypatch) == [1, 1, 1]


def test_a_large_one_holds_up_no_other(owner: Person, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tasks, "BATCH_SECONDS", 60)
    monkeypatch.setattr(tasks, "BATCH_BYTES", 100)
    for size in (40, 60, 1, 500, 30):
        accept(owner, b"x" * size)
    assert stored_together(monkeypatch) == [2, 1, 1, 1]


def stored_together(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """How many captures each transaction stored."""
    counts: list[int] = []
    store = projection_store.store_rows

    def counts_them(afters: Sequence[ProjectionRows]) -> Collection[UUID]:
        counts.append(len(afters))
        return store(afters)

    monkeypatch.setattr(projection_store, "store_rows", counts_them)
    tasks.inspect_due()
    return counts


def test_a_lost_lease_loses_one_capture(owner: Person, monkeypatch: pytest.MonkeyPatch) -> None:
    ids = [accept(owner, body) for body in (WHOLE, POISON, STREAM)]

    def loses(exchange: Exchange) -> Readout:
        if exchange.body == POISON:
            Capture.objects.filter(pk=ids[1]).update(lease_token=uuid4(), attempt=2)
        return readout(exchange)

    monkeypatch.setattr(tasks, "readout", loses)
    tasks.inspect_due()
    rows = [Capture.objects.get(pk=capture_id) for capture_id in ids]
    assert [(row.state, row.attempt) for row in rows] == [
        (State.INSPECTED, 1),
        (State.PROCESSING, 2),
        (State.INSPECTED, 1),
    ]


def test_what_has_no_time_left_is_given_back(owner: Person, settings: LazySettings) -> None:
    settings.CLAIM_SECONDS = -1
    for _ in range(3):
        accept(owner)
    assert tasks.inspect_due() == 3
    counts = sorted(Capture.objects.values_list("state", "attempt"))
    assert counts == [("inspected", 1), ("received", 0), ("received", 0)]


def test_analysis_runs_outside_any_transaction(
    transactional_db: None, owner: Person, monkeypatch: pytest.MonkeyPatch
) -> None:
    inside: list[bool] = []

    def notes(exchange: Exchange) -> Readout:
        inside.append(connection.in_atomic_block)
        return readout(exchange)

    monkeypatch.setattr(doorbell, "ring", lambda: None)
    monkeypatch.setattr(tasks, "readout", notes)
    accept(owner)
    tasks.drain()
    assert inside == [False]


@pytest.mark.thorough
@pytest.mark.django_db(transaction=True)
def test_a_fatal_payload_kills_no_other(owner: Person, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(doorbell, "ring", lambda: None)
    poison = accept(owner, POISON)
    for _ in range(4):
        accept(owner)
    name = str(connection.settings_dict["NAME"])
    environment = {**os.environ, "DJANGO_SETTINGS_MODULE": "inspector.settings"}
    ended = []
    for _ in range(2):
        command = [sys.executable, "-c", ENDS_ITS_PROCESS, name]
        run = subprocess.run(command, env=environment, cwd=project.BASE_DIR, check=False)
        ended.append(run.returncode)
        # Time passes: the leases of the killed process end.
        leased = Capture.objects.filter(state=State.PROCESSING)
        leased.update(due_at=Now() - timedelta(seconds=1))
    assert ended == [-signal.SIGKILL, 0], "from the second attempt on another process reads it"
    row = Capture.objects.get(pk=poison)
    assert (row.state, row.attempt) == (State.INSPECTED, 2)
    assert Capture.objects.filter(state=State.INSPECTED).count() == 5


@pytest.mark.production
@pytest.mark.django_db(transaction=True)
def test_a_real_worker_answers_the_bell(owner: Person, monkeypatch: pytest.MonkeyPatch) -> None:
    usual = tasks.drain

    def drains() -> None:
        usual()
        # Kept for the next task, while this worker's thread ends.
        connection.close()

    monkeypatch.setattr(tasks, "drain", drains)
    with start_worker(app, perform_ping_check=False, pool="solo", shutdown_timeout=120):
        ids = [accept(owner, body) for body in (WHOLE, STREAM)]
        wait_until(lambda: Inspection.objects.count() == 2)
    assert set(Capture.objects.filter(pk__in=ids).values_list("state", flat=True)) == {"inspected"}


def test_the_bell_rings_for_the_task_that_workers_know() -> None:
    assert announced.drain.name == DRAIN
    assert DRAIN in app.tasks


def test_what_is_not_read_quickly_is_left_for_later_and_then_read_whole(
    owner: Person, stranger: Person, monkeypatch: pytest.MonkeyPatch, settings: LazySettings
) -> None:
    monkeypatch.setattr(doorbell, "ring", lambda: None)
    begun: list[bytes] = []

    def analyzes(exchange: Exchange) -> Readout:
        begun.append(exchange.body)
        while exchange.body == STREAM:
            pass
        return readout(exchange)

    monkeypatch.setattr(tasks, "readout", analyzes)
    settings.QUICK_READING_SECONDS = 0.02
    heavy, other = accept(owner, STREAM), accept(stranger)
    tasks.drain()
    rows = Capture.objects.in_bulk([heavy, other])
    assert [
        (rows[capture_id].state, rows[capture_id].attempt) for capture_id in (heavy, other)
    ] == [("inspected", 1)] * 2
    assert begun.count(STREAM) == 1, "read to the end by another process"
    assert SlowReading.objects.get().pk == heavy


def costly(times: int) -> bytes:
    """Read for 0.2 s of the processor for 20,000, far longer than the limits of the tests."""
    return b"data: {]\n\n" * times


def test_a_poison_capture_ends_no_program_and_is_put_aside_with_the_reason(
    owner: Person, stranger: Person, monkeypatch: pytest.MonkeyPatch, settings: LazySettings
) -> None:
    monkeypatch.setattr(doorbell, "ring", lambda: None)
    settings.QUICK_READING_SECONDS = settings.QUICKEST_READING_SECONDS = 0.02
    settings.SLOW_READING_CPU_SECONDS = 0
    poison, healthy = accept(owner, costly(300_000)), accept(stranger)
    tasks.drain()
    row = Capture.objects.get(pk=poison)
    assert (row.state, row.attempt) == (State.RECEIVED, 1)
    Capture.objects.filter(pk=poison).update(attempt=2, due_at=Now())
    tasks.drain()
    row = Capture.objects.get(pk=poison)
    assert (row.state, row.attempt) == (State.QUARANTINED, 3)
    assert row.quarantine_reason == "ReadingError: the reading took too much of the processor"
    assert Capture.objects.get(pk=healthy).state == State.INSPECTED


def test_a_slow_reading_that_gets_no_processor_is_tried_later_and_given_up_in_the_end(
    owner: Person, monkeypatch: pytest.MonkeyPatch, settings: LazySettings
) -> None:
    monkeypatch.setattr(doorbell, "ring", lambda: None)
    settings.QUICK_READING_SECONDS = 0.02
    settings.SLOW_READING_SECONDS = 0.01
    capture_id = accept(owner, costly(20_000))
    tasks.drain()
    row = Capture.objects.get(pk=capture_id)
    assert (row.state, row.attempt) == (State.RECEIVED, 1)
    assert row.due_at > timezone.now()
    Capture.objects.filter(pk=capture_id).update(attempt=2, due_at=Now())
    tasks.drain()
    row = Capture.objects.get(pk=capture_id)
    assert row.quarantine_reason == "ReadingError: the reading took over 0.01 s"


def test_costly_captures_of_one_team_stand_before_none_of_another(
    owner: Person, stranger: Person, monkeypatch: pytest.MonkeyPatch, settings: LazySettings
) -> None:
    monkeypatch.setattr(doorbell, "ring", lambda: None)
    settings.QUICK_READING_SECONDS = settings.QUICKEST_READING_SECONDS = 0.02
    order: list[int] = []
    read = tasks.readout

    def analyzes(exchange: Exchange) -> Readout:
        order.append(len(exchange.body))
        return read(exchange)

    monkeypatch.setattr(tasks, "readout", analyzes)
    first = accept(owner, costly(100_000))
    tasks.inspect_due()
    bodies = [costly(20_000 + number) for number in range(6)]
    for body in bodies:
        accept(owner, body)
    accept(stranger, WHOLE)
    try:
        assert tasks.inspect_due() == 8, "the slow one goes on beside seven quick attempts"
        assert order[1] == len(WHOLE)
        assert Inspection.objects.filter(team=stranger.team).exists()
        assert not Inspection.objects.filter(pk=first).exists()
    finally:
        tasks.end_slow()
    states = Capture.objects.filter(team=owner.team).values_list("state", "attempt")
    assert set(states) == {("received", 0)}


def test_one_process_inspects_others_while_it_has_something_slow_read(
    owner: Person, stranger: Person, monkeypatch: pytest.MonkeyPatch, settings: LazySettings
) -> None:
    monkeypatch.setattr(doorbell, "ring", lambda: None)
    settings.QUICK_READING_SECONDS = 0.02
    accept(owner, costly(20_000))
    tasks.inspect_due()
    assert tasks.inspect_due() == 1
    quiet = accept(stranger)
    try:
        assert tasks.inspect_due() == 1
        assert Capture.objects.get(pk=quiet).state == State.INSPECTED
        assert Capture.objects.get(team=owner.team).state == State.PROCESSING
    finally:
        tasks.end_slow()


def test_a_claim_is_cut_short_for_a_team_that_has_no_part_in_it(
    owner: Person, stranger: Person, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(tasks, "FAIRNESS_SECONDS", 0)
    order: list[int] = []

    def analyzes(exchange: Exchange) -> Readout:
        order.append(len(exchange.body))
        if len(order) == 1:
            accept(stranger, STREAM)
        return readout(exchange)

    for _ in range(3):
        accept(owner, WHOLE)
    monkeypatch.setattr(tasks, "readout", analyzes)
    assert tasks.inspect_due() == 3
    assert order == [len(WHOLE)]
    states = Capture.objects.filter(team=owner.team).order_by("received_at")
    assert [*states.values_list("state", "attempt")] == [
        ("inspected", 1),
        ("received", 0),
        ("received", 0),
    ]


def test_what_was_prepared_loads_nothing_by_the_first_reading() -> None:
    environment = {**os.environ, "DJANGO_SETTINGS_MODULE": "inspector.settings"}
    command = [sys.executable, "-c", READS_FIRST]
    run = subprocess.run(
        command, env=environment, cwd=project.BASE_DIR, check=True, capture_output=True, text=True
    )
    assert run.stdout == "[]\n"


def test_a_quick_attempt_ends_nothing_that_is_quick() -> None:
    with cpu_time_limit(60):
        pass
    assert signal.getitimer(signal.ITIMER_VIRTUAL) == (0.0, 0.0)
    with pytest.raises(CpuTimeExceeded), cpu_time_limit(0.01):
        while True:
            pass


def test_a_quick_attempt_is_not_ended_for_the_work_of_another_thread() -> None:
    def works() -> None:
        while time.thread_time() < 0.1:
            pass

    another = Thread(target=works)
    with cpu_time_limit(0.05):
        another.start()
        another.join()


def test_after_something_slow_of_a_team_less_is_tried_of_its_other_captures(
    owner: Person, stranger: Person, monkeypatch: pytest.MonkeyPatch, settings: LazySettings
) -> None:
    monkeypatch.setattr(doorbell, "ring", lambda: None)
    settings.QUICK_READING_SECONDS, settings.QUICKEST_READING_SECONDS = 0.1, 90
    allowed: list[float] = []

    @contextmanager
    def limits(seconds: float) -> Iterator[None]:
        allowed.append(seconds)
        if len(allowed) == 1:
            raise CpuTimeExceeded
        yield

    monkeypatch.setattr(tasks, "cpu_time_limit", limits)
    for _ in range(2):
        accept(owner)
    try:
        tasks.inspect_due()
        accept(owner)
        accept(stranger)
        tasks.inspect_due()
    finally:
        tasks.end_slow()
    assert Counter(allowed) == {0.1: 2, 90: 2}


def test_what_is_computed_is_within_limits(owner: Person, monkeypatch: pytest.MonkeyPatch) -> None:
    left: list[float] = []

    def measured(exchange: Exchange, found: Readout) -> Extract:
        left.append(signal.getitimer(signal.ITIMER_VIRTUAL)[0])
        return extract_of(exchange, found)

    monkeypatch.setattr(tasks, "extract_of", measured)
    accept(owner)
    assert tasks.inspect_due() == 1
    assert left[0] > 0
