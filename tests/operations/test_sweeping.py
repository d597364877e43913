import os
import signal
import subprocess
import sys
from collections.abc import Callable
from dataclasses import replace
from datetime import timedelta
from io import StringIO
from typing import Any

import pytest
from django.conf import LazySettings
from django.conf import settings as project
from django.core.management import call_command
from django.db import DatabaseError, connection
from django.db.models.functions import Now
from django.utils import timezone

from inspector.archive.background.bulk_jobs import request_bulk_job
from inspector.archive.inspection import reinspection, slow_readings, tasks
from inspector.archive.inspection.doorbell import doorbell
from inspector.archive.inspection.reinspection import REST_SECONDS
from inspector.archive.inspection.slow_reader import slow_reader
from inspector.archive.intake.recording import append
from inspector.archive.listing.filter_params import FilterParams
from inspector.archive.models import BulkKind, Capture, Inspection, State
from inspector.core.analysis import ANALYSIS_VERSION
from inspector.core.readout import Readout, readout
from inspector.core.wire.exchange import Exchange
from inspector.operations import sweeping
from inspector.operations.sweeping import Sweep
from inspector.search.models import WordErasure
from inspector.teams import audit
from inspector.teams.audit import Act
from inspector.usage.drift import scan
from inspector.work.models import Work, WorkState
from inspector.work.run import Kind
from tests.archive.calls import FIRST, WHOLE_CALL, begun, call, segment
from tests.archive.inspection.test_doorbell import wait_until
from tests.archive.older import grow_old
from tests.archive.samples import accept, inspected
from tests.people import Person

SETTINGS = """
import sys
import inspector.settings
inspector.settings.DATABASES["default"]["NAME"] = sys.argv[1]
inspector.settings.SWEEP_EVERY_SECONDS = 0.1
"""
SHORT_LIMIT = "inspector.settings.TASK_TIME_LIMIT_SECONDS = 1\n"
SWEEPS = """
import django
django.setup()
from inspector.operations.sweeping import Sweep
"""
RUNS = SETTINGS + SWEEPS + "Sweep(5.0).until_stopped()"
HANGS = (
    SETTINGS
    + SHORT_LIMIT
    + SWEEPS
    + """
from inspector.archive.inspection import reinspection, slow_readings, tasks
import time
def never(exchange):
    while True:
        time.sleep(1)
tasks.readout = never
Sweep(5.0).until_stopped()
"""
)


def sweeping_process(program: str) -> subprocess.Popen[bytes]:
    command = [sys.executable, "-c", program, str(connection.settings_dict["NAME"])]
    environment = {**os.environ, "DJANGO_SETTINGS_MODULE": "inspector.settings"}
    return subprocess.Popen(command, env=environment, cwd=project.BASE_DIR, stderr=subprocess.PIPE)


def swept(*options: str) -> str:
    out = StringIO()
    call_command("sweep", "--once", *options, stdout=out)
    return out.getvalue().strip()


def come_due(**which: Any) -> None:
    Capture.objects.filter(**which).update(due_at=Now() - timedelta(seconds=6))


def test_what_nobody_waits_for_is_looked_for_in_one_round_of_twelve(
    owner: Person, monkeypatch: pytest.MonkeyPatch
) -> None:
    looked: list[None] = []
    kind = replace(scan.KIND, open_due=lambda: looked.append(None))
    monkeypatch.setattr(sweeping, "UNHURRIED", [kind])
    sweep, counts = Sweep(5.0), []
    for _ in range(25):
        sweep._round()
        counts.append(len(looked))
    assert counts == [1] * 12 + [2] * 12 + [3]


def test_idle_round_asks_database_little(owner: Person, django_assert_max_num_queries: Any) -> None:
    sweep = Sweep(5.0)
    sweep._round()
    # A round each five seconds; one in twelve asks more.
    with django_assert_max_num_queries(1):
        assert sweep._round() == project.SWEEP_EVERY_SECONDS


def tag_all(owner: Person) -> None:
    request_bulk_job(owner.principal, BulkKind.TAG, "seen", FilterParams())


def old_capture(owner: Person) -> None:
    accept(owner)
    come_due()


def old_call(owner: Person) -> None:
    begun(call(owner))
    come_due()


def failed_capture(owner: Person) -> None:
    slow_readings.note_untried([Capture.objects.get(pk=accept(owner))])


def open_export(owner: Person, **columns: Any) -> None:
    Work.objects.create(kind="export", team=owner.team, subject="ndjson", **columns)


def old_export(owner: Person) -> None:
    ended = timezone.now() - timedelta(days=8)
    open_export(owner, state=WorkState.FINISHED, finished_at=ended)


def upload(owner: Person) -> None:
    Work.objects.create(kind="upload", team=owner.team, subject="otlp-json")


def reinspection_job(owner: Person) -> None:
    reinspection.open_job(owner.team.pk, ANALYSIS_VERSION, total=1)


def audit_entry(owner: Person) -> None:
    audit.note(owner.principal, owner.team.pk, Act.SITE_LISTED, "https://pages.example")


def deleted_words(owner: Person) -> None:
    WordErasure.objects.create()


@pytest.mark.both_stacks
@pytest.mark.parametrize(
    "work",
    [
        old_capture,
        failed_capture,
        old_call,
        reinspection_job,
        tag_all,
        open_export,
        old_export,
        upload,
        audit_entry,
        deleted_words,
    ],
)
def test_idle_round_finds_each_kind_of_work(owner: Person, work: Callable[[Person], None]) -> None:
    sweep = Sweep(5.0)
    sweep._round()
    accept(owner)
    assert sweep._is_idle(), "what has just come is the workers'"
    work(owner)
    assert not sweep._is_idle()


def test_what_no_ring_announced_is_inspected(owner: Person, stranger: Person) -> None:
    old = [accept(owner), accept(stranger)]
    come_due()
    young = accept(owner)
    # However slow the machine is, it is not old before the round begins.
    Capture.objects.filter(pk=young).update(due_at=Now() + timedelta(hours=1))
    assert swept() == "2 captures claimed"
    inspected = Capture.objects.filter(state=State.INSPECTED).values_list("id", flat=True)
    assert set(inspected) == set(old)
    assert Capture.objects.get(pk=young).state == State.RECEIVED


def test_a_call_whose_recorder_is_gone_is_ended_and_inspected(owner: Person) -> None:
    one = call(owner)
    append([segment(begun(one), 0, FIRST, status_code=200, headers=WHOLE_CALL.headers)])
    for _ in range(3):
        come_due()
        swept()
    assert Capture.objects.get().state == State.INSPECTED
    assert Inspection.objects.get().verdict == "cut-off"


def test_what_somebody_began_and_never_finished_is_inspected(owner: Person) -> None:
    capture_id = accept(owner)
    Capture.objects.update(state=State.PROCESSING, attempt=1)
    come_due(pk=capture_id)
    assert swept() == "1 captures claimed"
    row = Capture.objects.get(pk=capture_id)
    assert (row.state, row.attempt) == (State.INSPECTED, 2)


def test_a_sweep_goes_on_until_nothing_is_left(owner: Person, settings: LazySettings) -> None:
    settings.CLAIM_ROWS = 2
    for _ in range(5):
        accept(owner)
    assert swept("--older-than", "0") == "5 captures claimed"


@pytest.mark.django_db(transaction=True)
@pytest.mark.parametrize("works", [True, False])
def test_a_database_that_refuses_is_looked_at_again_over_a_connection_that_works(
    owner: Person, monkeypatch: pytest.MonkeyPatch, works: bool
) -> None:
    refusals = [DatabaseError("locked")]

    def refuses_once(*args: object) -> int:
        if refusals:
            raise refusals.pop()
        return 0

    monkeypatch.setattr(sweeping, "inspect_due", refuses_once)
    monkeypatch.setattr(connection, "is_usable", lambda: works)
    connection.ensure_connection()
    before = connection.connection
    sweep = Sweep(0)
    sweep._round()
    assert not refusals
    sweep._round()
    assert (connection.connection is before) == works


@pytest.mark.thorough
@pytest.mark.django_db(transaction=True)
def test_a_claim_that_takes_too_long_ends_the_process_and_is_counted(
    owner: Person, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(doorbell, "ring", lambda: None)
    capture_id = accept(owner)
    come_due()
    with sweeping_process(HANGS) as sweep:
        assert sweep.wait(60) == 1
        assert sweep.stderr is not None
        assert b"in never" in sweep.stderr.read()
    row = Capture.objects.get(pk=capture_id)
    assert (row.state, row.attempt) == (State.PROCESSING, 1)


@pytest.mark.django_db(transaction=True)
def test_the_sweep_alone_inspects_everything_and_ends_when_asked(
    owner: Person, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(doorbell, "ring", lambda: None)
    accept(owner)
    come_due()
    with sweeping_process(RUNS) as sweep:
        try:
            wait_until(lambda: Capture.objects.filter(state=State.INSPECTED).exists())
            accept(owner)
            come_due(state=State.RECEIVED)
            wait_until(lambda: not Capture.objects.exclude(state=State.INSPECTED))
            sweep.terminate()
            assert sweep.wait(120) == 0
        finally:
            sweep.kill()


def test_the_sweep_does_its_other_work_while_it_has_something_slow_read(
    owner: Person, monkeypatch: pytest.MonkeyPatch, settings: LazySettings
) -> None:
    monkeypatch.setattr(doorbell, "ring", lambda: None)
    settings.QUICK_READING_SECONDS = 0.02
    stepped: list[None] = []
    kind = Kind("any", lambda work: False, open_due=lambda: stepped.append(None))
    monkeypatch.setattr(sweeping, "KINDS", [kind])
    capture_id = accept(owner, b"data: {]\n\n" * 20_000)
    sweep = Sweep(0)
    sweep._round()
    assert slow_reader.is_at_work
    assert sweep._round() == REST_SECONDS
    assert len(stepped) == 2
    sweep._stop(signal.SIGTERM, None)
    sweep.once()
    row = Capture.objects.get(pk=capture_id)
    assert (row.state, row.attempt) == (State.RECEIVED, 0), "given back"


def test_a_backlog_keeps_the_sweep_from_its_other_work_for_seconds_alone(
    owner: Person, monkeypatch: pytest.MonkeyPatch, settings: LazySettings
) -> None:
    monkeypatch.setattr(doorbell, "ring", lambda: None)
    monkeypatch.setattr(sweeping, "INSPECTING_SECONDS", -1)
    settings.CLAIM_ROWS = 1
    for _ in range(3):
        accept(owner)
    sweep = Sweep(0)
    assert [sweep._round() for _ in range(4)] == [0.0, 0.0, 0.0, project.SWEEP_EVERY_SECONDS]


def test_a_sweep_that_is_asked_to_stop_begins_nothing_more(
    owner: Person, monkeypatch: pytest.MonkeyPatch
) -> None:
    ids = [accept(owner) for _ in range(3)]
    sweep = Sweep(0)

    def asked_to_stop_meanwhile(exchange: Exchange) -> Readout:
        sweep._stop(signal.SIGTERM, None)
        return readout(exchange)

    monkeypatch.setattr(tasks, "readout", asked_to_stop_meanwhile)
    sweep.once()
    states = Capture.objects.filter(pk__in=ids).values_list("state", "attempt")
    assert sorted(states) == [("inspected", 1), ("received", 0), ("received", 0)]


@pytest.mark.thorough
def test_what_an_older_version_read_is_read_again_after_everything_else(owner: Person) -> None:
    capture_id = inspected(owner)
    grow_old(capture_id)
    accept(owner)
    come_due(state=State.RECEIVED)
    assert swept() == "1 captures claimed"
    assert Inspection.objects.get(pk=capture_id).analysis_version == ANALYSIS_VERSION


def test_a_sweep_that_has_more_to_read_again_rests_shorter(owner: Person) -> None:
    assert Sweep(0)._round() == project.SWEEP_EVERY_SECONDS
    grow_old(inspected(owner))
    sweep = Sweep(0)
    rests = [sweep._round() for _ in range(2)]
    assert rests == [REST_SECONDS, project.SWEEP_EVERY_SECONDS]
