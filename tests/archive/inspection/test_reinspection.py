"""Reading again, by a newer version, what older ones read."""

import os
import signal
import subprocess
import sys
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from datetime import datetime, timedelta
from threading import Event
from uuid import UUID, uuid4

import pytest
from django.conf import settings as project
from django.db import OperationalError, connection
from django.db.models.functions import Now
from django.utils import timezone

from inspector.archive import deletion, queries, readouts
from inspector.archive.events import ProjectionChange
from inspector.archive.inspection import reinspection
from inspector.archive.intake import submission
from inspector.archive.models import Capture, Document, Inspection, State, Tombstone
from inspector.archive.status.health import team_health
from inspector.archive.storage.compression import compressed
from inspector.core.analysis import ANALYSIS_VERSION, Verdict
from inspector.core.readout import Readout, readout
from inspector.core.wire.exchange import Exchange
from inspector.database import write_turn
from inspector.work import leases
from inspector.work.models import Work, WorkState
from inspector.work.run import run_one, which
from tests.archive.loaded import loaded
from tests.archive.older import OLDER, grow_old, read_everything_again, the_job
from tests.archive.samples import WHOLE, accept, inspect_all, inspected
from tests.archive.telling import tell_only
from tests.people import Person

pytestmark = pytest.mark.both_stacks

POISON = WHOLE.replace(b"Hello", b"Poison")
READS_AGAIN = """
import os, sys
from django.conf import settings
import inspector.settings
inspector.settings.DATABASES["default"]["NAME"] = sys.argv[1]
import django
django.setup()
from inspector.archive.inspection import reinspection
from inspector.core.readout import readout
from inspector.work.run import run_one
def ends(exchange):
    if b"Poison" in exchange.body:
        os.kill(os.getpid(), 9)
    return readout(exchange)
reinspection.readout = ends
while run_one(reinspection.KIND):
    pass
"""


def old(person: Person, body: bytes = WHOLE) -> UUID:
    capture_id = inspected(person, body)
    grow_old(capture_id, verdict=Verdict.MISSING_FINISH)
    return capture_id


def versions(*ids: UUID) -> list[int]:
    found = dict(Inspection.objects.values_list("capture", "analysis_version"))
    return [found[capture_id] for capture_id in ids]


def end_lease() -> None:
    Work.objects.update(due_at=Now() - timedelta(seconds=1))


def later() -> datetime:
    return timezone.now() + timedelta(hours=1)


def in_the_middle(
    monkeypatch: pytest.MonkeyPatch, act: Callable[[], object], times: int = 1
) -> None:
    """``act`` happens while a capture is being read."""
    left = [act] * times

    def reads(exchange: Exchange) -> Readout:
        if left:
            left.pop()()
        return readout(exchange)

    monkeypatch.setattr(reinspection, "readout", reads)


def fail_on_poison(exchange: Exchange) -> Readout:
    if b"Poison" in exchange.body:
        raise ValueError("no \0 sense")
    return readout(exchange)


def test_what_an_older_version_read_is_read_again(owner: Person) -> None:
    ids = [old(owner), old(owner)]
    read_everything_again()
    assert versions(*ids) == [ANALYSIS_VERSION] * 2
    assert set(Inspection.objects.values_list("verdict", flat=True)) == {"complete"}
    job = the_job()
    assert (job.state, job.total, job.done, job.changed, job.failed) == ("finished", 2, 2, 2, 0)
    assert job.started_at is not None and job.finished_at is not None


def test_where_nothing_is_old_there_is_no_job(owner: Person) -> None:
    inspected(owner)
    read_everything_again()
    assert not Work.objects.exists()


def test_looking_where_nothing_is_old_is_one_question(
    owner: Person, stranger: Person, django_assert_num_queries: object
) -> None:
    inspected(owner)
    with django_assert_num_queries(1):  # type: ignore[operator]
        reinspection.open_jobs()


def test_what_reads_the_same_is_counted_as_not_changed(owner: Person) -> None:
    grow_old(inspected(owner))
    old(owner)
    read_everything_again()
    assert (the_job().done, the_job().changed) == (2, 1)


def test_the_document_that_was_there_is_kept_once(owner: Person) -> None:
    capture_id = old(owner)
    before = bytes(Document.objects.get(pk=capture_id).readout)
    read_everything_again()
    read_everything_again()
    stored = Document.objects.get(pk=capture_id)
    assert stored.previous is not None and bytes(stored.previous) == readouts.without_tape(before)
    assert loaded(capture_id).analysis.verdict == "complete"
    assert Work.objects.count() == 1


def test_apps_are_told_what_was_and_what_is(owner: Person, monkeypatch: pytest.MonkeyPatch) -> None:
    capture_id = old(owner)
    told: list[ProjectionChange] = []
    tell_only(monkeypatch, inspected=told.extend)
    read_everything_again()
    ((before, after),) = told
    assert before is not None and before.inspection.verdict == "missing-finish"
    assert after.inspection.verdict == "complete"
    assert after.inspection.pk == capture_id


def test_each_teams_job_is_its_own(owner: Person, teammate: Person, stranger: Person) -> None:
    for person in (owner, owner, stranger):
        old(person)
    read_everything_again()
    for person, number in ((owner, 2), (teammate, 2), (stranger, 1)):
        (found,) = team_health(person.principal).reinspections
        assert (found.total, found.done, found.changed) == (number, number, number)
    assert team_health(owner.service).reinspections == team_health(owner.principal).reinspections


def test_changes_are_told_to_the_team(owner: Person, teammate: Person, stranger: Person) -> None:
    capture_id = old(owner)
    read_everything_again()
    for person in (owner, teammate):
        page = queries.for_principal(person.principal).opened(capture_id)
        assert page is not None and page.previous is not None
        assert page.previous.analysis_version == OLDER
        (change,) = page.previous.changes
        assert (change.subject, change.before, change.after) == (
            "/verdict",
            "missing-finish",
            "complete",
        )
    assert queries.for_principal(stranger.principal).opened(capture_id) is None


def test_a_previous_document_of_a_shape_that_nobody_knows_is_left_out(owner: Person) -> None:
    capture_id = inspected(owner)
    strange = compressed(b'{"analysis":{"verdict":"blue"},"cuts":[]}')
    Document.objects.filter(pk=capture_id).update(previous=strange)
    page = queries.for_principal(owner.principal).opened(capture_id)
    assert page is not None and page.previous is None


def test_a_document_of_a_shape_that_nobody_knows_has_changed(owner: Person) -> None:
    capture_id = old(owner)
    strange = compressed(b'{"analysis":{"verdict":"blue"},"cuts":[]}')
    Document.objects.filter(pk=capture_id).update(readout=strange)
    read_everything_again()
    assert (versions(capture_id), the_job().changed) == ([ANALYSIS_VERSION], 1)


@pytest.mark.django_db(transaction=True)
def test_of_many_sweeps_one_opens_the_job(owner: Person, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(submission.doorbell, "ring", lambda: None)
    old(owner)

    def opens(_: int) -> None:
        try:
            reinspection.open_job(Capture.objects.get().team_id, ANALYSIS_VERSION, 1)
            reinspection.open_jobs()
        finally:
            connection.close()

    with ThreadPoolExecutor(6) as pool:
        list(pool.map(opens, range(6)))
    assert the_job().state == WorkState.OPEN


@pytest.mark.thorough
@pytest.mark.django_db(transaction=True)
def test_many_sweeps_at_once_read_everything_once(
    owner: Person, stranger: Person, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(submission.doorbell, "ring", lambda: None)
    ids = [old(person) for person in (owner, stranger) for _ in range(15)]
    reinspection.open_jobs()

    def sweeps(_: int) -> None:
        try:
            while Work.objects.filter(state=WorkState.OPEN).exists():
                run_one(reinspection.KIND)
        finally:
            connection.close()

    with ThreadPoolExecutor(4) as pool:
        list(pool.map(sweeps, range(4)))
    assert versions(*ids) == [ANALYSIS_VERSION] * 30
    assert list(Work.objects.values_list("total", "done", "result__changed")) == [(15, 15, 15)] * 2


def test_a_job_under_a_lease_is_nobody_elses_until_it_ends(owner: Person) -> None:
    capture_id = old(owner)
    reinspection.open_jobs()
    assert leases.claim(which(reinspection.KIND)) is not None
    assert run_one(reinspection.KIND) is False
    end_lease()
    assert run_one(reinspection.KIND) is True
    assert versions(capture_id) == [ANALYSIS_VERSION]


def test_without_the_lease_nothing_is_kept(owner: Person, monkeypatch: pytest.MonkeyPatch) -> None:
    capture_id = old(owner)
    reinspection.open_jobs()
    in_the_middle(monkeypatch, lambda: Work.objects.update(lease_token=uuid4()))
    assert run_one(reinspection.KIND) is True
    assert versions(capture_id) == [OLDER]
    job = the_job()
    assert (job.state, job.done) == (WorkState.OPEN, 0)
    assert job.lease_token is not None
    end_lease()
    read_everything_again()
    assert (versions(capture_id), the_job().done) == ([ANALYSIS_VERSION], 1)


def test_a_step_that_was_cut_off_goes_on(owner: Person, monkeypatch: pytest.MonkeyPatch) -> None:
    ids = [old(owner) for _ in range(3)]
    reinspection.open_jobs()

    def cut_off() -> None:
        if Inspection.objects.filter(analysis_version=ANALYSIS_VERSION).count() == 1:
            raise KeyboardInterrupt

    in_the_middle(monkeypatch, cut_off, times=2)
    with pytest.raises(KeyboardInterrupt):
        run_one(reinspection.KIND)
    assert sorted(versions(*ids)) == [OLDER, OLDER, ANALYSIS_VERSION]
    assert the_job().done == 1
    end_lease()
    read_everything_again()
    assert versions(*ids) == [ANALYSIS_VERSION] * 3
    assert (the_job().done, the_job().state) == (3, WorkState.FINISHED)


def test_new_captures_are_inspected_first(owner: Person) -> None:
    capture_id = old(owner)
    reinspection.open_jobs()
    accept(owner)
    assert run_one(reinspection.KIND) is False
    assert (versions(capture_id), the_job().lease_token) == ([OLDER], None)
    inspect_all()
    assert run_one(reinspection.KIND) is True
    assert versions(capture_id) == [ANALYSIS_VERSION]


def test_a_capture_in_between_comes_first(owner: Person, monkeypatch: pytest.MonkeyPatch) -> None:
    first, second = old(owner), old(owner)
    reinspection.open_jobs()
    in_the_middle(monkeypatch, lambda: accept(owner))
    assert run_one(reinspection.KIND) is True
    assert versions(first, second) == [ANALYSIS_VERSION, OLDER]
    inspect_all()
    read_everything_again()
    assert versions(first, second) == [ANALYSIS_VERSION] * 2


def test_whoever_is_told_to_stop_gives_the_job_back(owner: Person) -> None:
    ids = [old(owner) for _ in range(3)]
    reinspection.open_jobs()
    answers = iter([False, True])
    run_one(reinspection.KIND, lambda: next(answers))
    assert versions(*ids) == [ANALYSIS_VERSION, OLDER, OLDER]
    assert the_job().lease_token is None
    read_everything_again()
    assert versions(*ids) == [ANALYSIS_VERSION] * 3


def test_it_goes_on_for_so_many_seconds(owner: Person) -> None:
    ids = [old(owner) for _ in range(4)]
    run_one(replace(reinspection.KIND, seconds=-1))
    assert versions(*ids).count(OLDER) == 3
    run_one(replace(reinspection.KIND, seconds=1_000))
    assert versions(*ids).count(OLDER) == 0


@pytest.mark.embedded
def test_what_comes_in_is_waited_for_before_a_transaction_and_not_inside_one(
    transactional_db: None, owner: Person, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(submission.doorbell, "ring", lambda: None)
    inside: list[bool] = []
    old(owner)
    monkeypatch.setattr(write_turn, "give_way", lambda: inside.append(connection.in_atomic_block))
    read_everything_again()
    assert inside and not any(inside)


def test_reading_happens_outside_any_transaction(
    transactional_db: None, owner: Person, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(submission.doorbell, "ring", lambda: None)
    inside: list[bool] = []
    old(owner)
    in_the_middle(monkeypatch, lambda: inside.append(connection.in_atomic_block))
    read_everything_again()
    assert inside == [False]


def test_a_deletion_in_between_stays_so(owner: Person, monkeypatch: pytest.MonkeyPatch) -> None:
    first, second = old(owner), old(owner)
    in_the_middle(monkeypatch, lambda: deletion.delete(owner.principal, first))
    read_everything_again()
    assert Tombstone.objects.filter(pk=first).exists()
    assert not Document.objects.filter(pk=first).exists()
    assert not Inspection.objects.filter(pk=first).exists()
    assert versions(second) == [ANALYSIS_VERSION]
    assert (the_job().state, the_job().done, the_job().changed) == (WorkState.FINISHED, 2, 1)


def test_a_deleted_capture_is_not_read(owner: Person, monkeypatch: pytest.MonkeyPatch) -> None:
    first, second = old(owner), old(owner)
    in_the_middle(monkeypatch, lambda: deletion.delete(owner.principal, second))
    read_everything_again()
    assert versions(first) == [ANALYSIS_VERSION]
    assert (the_job().state, the_job().changed) == (WorkState.FINISHED, 1)


@pytest.mark.parametrize("state", [s for s in State if s != State.INSPECTED])
def test_a_capture_that_is_not_inspected_is_passed_over(owner: Person, state: State) -> None:
    capture_id = old(owner)
    Capture.objects.filter(pk=capture_id).update(state=state, due_at=later())
    read_everything_again()
    read_everything_again()
    assert (versions(capture_id), Capture.objects.get(pk=capture_id).state) == ([OLDER], state)
    assert (the_job().state, the_job().done, the_job().failed) == (WorkState.FINISHED, 1, 0)


def test_a_capture_in_other_hands_is_theirs(owner: Person, monkeypatch: pytest.MonkeyPatch) -> None:
    capture_id = old(owner)
    taken = Capture.objects.filter(pk=capture_id)
    in_the_middle(monkeypatch, lambda: taken.update(state=State.PROCESSING, due_at=later()))
    read_everything_again()
    assert (versions(capture_id), Capture.objects.get(pk=capture_id).state) == (
        [OLDER],
        State.PROCESSING,
    )
    assert (the_job().state, the_job().done, the_job().changed) == (WorkState.FINISHED, 1, 0)


def test_a_workers_reading_stays(owner: Person, monkeypatch: pytest.MonkeyPatch) -> None:
    capture_id = old(owner)
    before = bytes(Document.objects.get(pk=capture_id).readout)
    reinspection.open_jobs()

    def read_by_a_worker() -> None:
        Capture.objects.filter(pk=capture_id).update(state=State.RECEIVED, attempt=0, due_at=Now())
        inspect_all()

    in_the_middle(monkeypatch, read_by_a_worker)
    read_everything_again()
    assert versions(capture_id) == [ANALYSIS_VERSION]
    previous = Document.objects.get(pk=capture_id).previous
    assert previous is not None and bytes(previous) == readouts.without_tape(before)


def test_what_cannot_be_read_says_why(owner: Person, monkeypatch: pytest.MonkeyPatch) -> None:
    poison, healthy = old(owner, POISON), old(owner)
    before = Document.objects.get(pk=poison)
    monkeypatch.setattr(reinspection, "readout", fail_on_poison)
    reinspection.open_jobs()
    waits = []
    for _ in range(3):
        run_one(reinspection.KIND)
        waits.append((the_job().attempt, the_job().lease_token, the_job().last_error))
        end_lease()
    assert waits[:2] == [(1, None, "ValueError"), (2, None, "ValueError")]
    read_everything_again()
    assert versions(poison, healthy) == [OLDER, ANALYSIS_VERSION]
    kept = Document.objects.get(pk=poison)
    assert (bytes(kept.readout), kept.previous) == (bytes(before.readout), None)
    assert kept.reinspection_error == "ValueError: no \\u0000 sense"
    job = the_job()
    assert (job.state, job.done, job.changed, job.failed) == (WorkState.FINISHED, 2, 1, 1)


def test_what_could_not_be_read_stays_shown(owner: Person, monkeypatch: pytest.MonkeyPatch) -> None:
    poison = old(owner, POISON)
    captures = queries.for_principal(owner.principal)
    monkeypatch.setattr(reinspection, "readout", fail_on_poison)
    for _ in range(4):
        read_everything_again()
        end_lease()
    assert Work.objects.count() == 1
    page = captures.opened(poison)
    assert page is not None and page.analysis is not None
    assert (page.analysis.analysis_version, page.failed_version) == (OLDER, ANALYSIS_VERSION)
    assert page.reinspection_error == "ValueError: no \\u0000 sense"


def test_a_deletion_takes_the_reason_along(owner: Person, monkeypatch: pytest.MonkeyPatch) -> None:
    poison = old(owner, POISON)
    monkeypatch.setattr(reinspection, "readout", fail_on_poison)
    for _ in range(4):
        read_everything_again()
        end_lease()
    deletion.delete(owner.principal, poison)
    assert "sense" not in str(list(Work.objects.values()))


def test_an_absent_database_is_forgiven(owner: Person, monkeypatch: pytest.MonkeyPatch) -> None:
    old(owner)
    reinspection.open_jobs()

    def is_away() -> None:
        raise OperationalError("the server is away")

    in_the_middle(monkeypatch, is_away)
    run_one(reinspection.KIND)
    assert (the_job().attempt, the_job().failed) == (0, 0)
    end_lease()
    read_everything_again()
    assert (the_job().done, the_job().failed) == (1, 0)


@pytest.mark.thorough
@pytest.mark.django_db(transaction=True)
def test_a_capture_that_kills_is_skipped(owner: Person, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(submission.doorbell, "ring", lambda: None)
    first, poison, last = old(owner), old(owner, POISON), old(owner)
    reinspection.open_jobs()
    name = str(connection.settings_dict["NAME"])
    environment = {**os.environ, "DJANGO_SETTINGS_MODULE": "inspector.settings"}
    ended = []
    for _ in range(4):
        command = [sys.executable, "-c", READS_AGAIN, name]
        run = subprocess.run(command, env=environment, cwd=project.BASE_DIR, check=False)
        ended.append(run.returncode)
        end_lease()
    assert ended == [-signal.SIGKILL, -signal.SIGKILL, -signal.SIGKILL, 0]
    assert versions(first, poison, last) == [ANALYSIS_VERSION, OLDER, ANALYSIS_VERSION]
    reason = Document.objects.get(pk=poison).reinspection_error
    assert reason is not None and "3 attempts" in reason
    job = the_job()
    assert (job.state, job.done, job.failed) == (WorkState.FINISHED, 3, 1)


@pytest.mark.thorough
@pytest.mark.django_db(transaction=True)
def test_readings_are_old_or_new_as_a_whole(owner: Person, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(submission.doorbell, "ring", lambda: None)
    ids = [old(owner) for _ in range(8)]
    seen: set[tuple[str | None, int, int]] = set()
    ended = Event()

    def looks() -> None:
        captures = queries.for_principal(owner.principal)
        try:
            while not ended.is_set():
                for capture_id in ids:
                    page = captures.opened(capture_id)
                    assert page is not None and page.analysis is not None
                    whole = page.analysis.verdict == page.row.verdict
                    seen.add((page.row.verdict, page.analysis.analysis_version, whole))
                assert len(captures.page().rows) == len(ids)
        finally:
            connection.close()

    with ThreadPoolExecutor(1) as pool:
        looking = pool.submit(looks)
        read_everything_again()
        ended.set()
        looking.result()
    assert seen <= {("missing-finish", OLDER, True), ("complete", ANALYSIS_VERSION, True)}


def test_a_newer_version_takes_over_from_an_older_ones_job(owner: Person) -> None:
    capture_id = old(owner)
    team = Capture.objects.get(pk=capture_id).team_id
    reinspection.open_job(team, ANALYSIS_VERSION - 1, 5)
    read_everything_again()
    states = list(Work.objects.order_by("id").values_list("subject", "state"))
    assert states == [
        (str(ANALYSIS_VERSION - 1), WorkState.SUPERSEDED),
        (str(ANALYSIS_VERSION), WorkState.FINISHED),
    ]


def test_an_older_program_leaves_a_newer_ones_job_alone(owner: Person) -> None:
    capture_id = old(owner)
    reinspection.open_job(Capture.objects.get(pk=capture_id).team_id, ANALYSIS_VERSION + 1, 1)
    read_everything_again()
    assert (versions(capture_id), the_job().state) == ([OLDER], WorkState.OPEN)


def test_an_older_job_that_has_nothing_left_is_finished(owner: Person) -> None:
    capture_id = inspected(owner)
    reinspection.open_job(Capture.objects.get(pk=capture_id).team_id, ANALYSIS_VERSION - 1, 1)
    read_everything_again()
    assert (the_job().state, the_job().done) == (WorkState.FINISHED, 0)


def test_what_an_older_program_adds_later_gets_a_job_of_its_own(owner: Person) -> None:
    old(owner)
    read_everything_again()
    late = old(owner)
    read_everything_again()
    assert versions(late) == [ANALYSIS_VERSION]
    assert list(Work.objects.values_list("total", "done")) == [(1, 1), (1, 1)]
