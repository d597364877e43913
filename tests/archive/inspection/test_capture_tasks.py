"""Rows of work on one capture: who may request them, and whose they are while they are worked on."""

from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta
from typing import Any
from uuid import UUID, uuid4

import pytest
from django.db import connection
from django.db.models.functions import Now

from inspector.archive.deletion import delete
from inspector.archive.inspection import capture_tasks
from inspector.archive.inspection.capture_tasks import TooManyTasks, request_task
from inspector.archive.intake import submission
from inspector.archive.models import Capture, CaptureTask, State, TaskKind, TaskState
from inspector.teams.access import READ, for_key
from inspector.teams.keys import create_api_key
from tests.archive.samples import inspected
from tests.people import Person

pytestmark = pytest.mark.both_stacks

KINDS = (TaskKind.MINIMISATION, TaskKind.SPLITTING)


def requested(person: Person, capture_id: UUID, code: str = "missing_done") -> CaptureTask:
    task = request_task(person.principal, capture_id, TaskKind.MINIMISATION, code, "/choices/0")
    assert isinstance(task, CaptureTask)
    return task


def claimed() -> CaptureTask:
    task = capture_tasks.claim(KINDS)
    assert task is not None
    return task


def end_lease() -> None:
    CaptureTask.objects.update(due_at=Now() - timedelta(seconds=1))


def test_a_request_opens_a_task_that_says_for_whom_and_what(owner: Person) -> None:
    task = requested(owner, inspected(owner))
    task.refresh_from_db()
    assert (task.kind, task.code, task.pointer) == ("minimisation", "missing_done", "/choices/0")
    assert (task.state, task.requested_by, task.done) == ("open", "user olga", 0)
    assert (task.team_id, task.started_at, task.finished_at) == (owner.team.pk, None, None)


def test_who_may_not_send_to_the_team_requests_nothing(
    owner: Person, teammate: Person, stranger: Person
) -> None:
    capture_id = inspected(owner)
    reader = for_key(create_api_key(owner.team, "reader", [READ]))
    assert reader is not None
    for nobody in (stranger.principal, stranger.service, reader):
        assert request_task(nobody, capture_id, TaskKind.SPLITTING) is None
    assert request_task(owner.principal, uuid4(), TaskKind.SPLITTING) is None
    assert requested(teammate, capture_id).requested_by == "user theo"


def test_of_a_capture_that_is_still_recorded_nothing_is_requested(owner: Person) -> None:
    capture_id = inspected(owner)
    Capture.objects.update(state=State.RECORDING)
    assert request_task(owner.principal, capture_id, TaskKind.SPLITTING) is None


def test_a_second_request_returns_the_open_task(owner: Person, teammate: Person) -> None:
    capture_id = inspected(owner)
    first = requested(owner, capture_id)
    assert requested(teammate, capture_id).pk == first.pk
    assert requested(owner, capture_id, "other_code").pk != first.pk
    assert request_task(owner.principal, capture_id, TaskKind.SPLITTING) != first


def test_a_task_that_ends_as_soon_as_it_is_open_is_returned(
    owner: Person, monkeypatch: pytest.MonkeyPatch
) -> None:
    capture_id, create = inspected(owner), CaptureTask.objects.bulk_create

    def create_and_end(*given: Any, **how: Any) -> list[CaptureTask]:
        made = create(*given, **how)
        assert capture_tasks.finish(claimed(), {"captures": 1})
        return made

    monkeypatch.setattr(CaptureTask.objects, "bulk_create", create_and_end)
    assert requested(owner, capture_id).state == TaskState.FINISHED


def test_an_ended_task_is_replaced_by_the_next_request(owner: Person) -> None:
    capture_id = inspected(owner)
    requested(owner, capture_id)
    assert capture_tasks.finish(claimed(), {"captures": 1})
    again = requested(owner, capture_id)
    assert [task.pk for task in CaptureTask.objects.all()] == [again.pk]


def test_a_team_has_only_so_many_open_tasks(
    owner: Person, stranger: Person, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(capture_tasks, "MAX_OPEN_TASKS", 2)
    capture_id = inspected(owner)
    requested(owner, capture_id, "a")
    requested(owner, capture_id, "b")
    refused = request_task(owner.principal, capture_id, TaskKind.MINIMISATION, "c")
    assert isinstance(refused, TooManyTasks)
    assert requested(owner, capture_id, "b").code == "b"
    requested(stranger, inspected(stranger))


def test_the_team_sees_its_tasks_and_nobody_else_does(
    owner: Person, teammate: Person, stranger: Person
) -> None:
    capture_id, other = inspected(owner), inspected(owner)
    task = requested(owner, capture_id)
    for person in (owner, teammate):
        assert capture_tasks.task_of(person.principal, capture_id, task.pk) == task
        assert list(capture_tasks.tasks_of(person.service, capture_id)) == [task]
    assert capture_tasks.task_of(owner.principal, other, task.pk) is None
    assert capture_tasks.task_of(stranger.principal, capture_id, task.pk) is None
    assert list(capture_tasks.tasks_of(stranger.principal, capture_id)) == []


def test_a_task_under_a_lease_is_nobody_elses_until_it_ends(owner: Person) -> None:
    requested(owner, inspected(owner))
    first = claimed()
    assert (first.attempt, capture_tasks.claim(KINDS)) == (1, None)
    end_lease()
    assert claimed().attempt == 2
    assert not capture_tasks.keep_position(first, b"late", done=1)
    assert not capture_tasks.finish(first, {})
    assert not capture_tasks.fail(first, "late")
    assert CaptureTask.objects.get().position is None


def test_a_step_leaves_its_position_to_the_next(owner: Person) -> None:
    requested(owner, inspected(owner))
    first = claimed()
    assert capture_tasks.position_of(first) is None
    assert capture_tasks.keep_position(first, b"half", done=5, total=10, progress={"bytes": 7})
    second = claimed()
    assert capture_tasks.position_of(second) == b"half"
    assert (second.done, second.total, second.progress) == (5, 10, {"bytes": 7})
    # A step that got somewhere begins the count of attempts anew.
    assert second.attempt == 1


def test_tasks_take_turns(owner: Person, stranger: Person) -> None:
    first = requested(owner, inspected(owner))
    second = requested(stranger, inspected(stranger))
    turns = []
    for _ in range(4):
        task = claimed()
        turns.append(task.pk)
        capture_tasks.keep_position(task, b"", done=1)
    assert turns == [first.pk, second.pk] * 2


def test_a_kind_that_this_release_does_not_know_waits(owner: Person) -> None:
    requested(owner, inspected(owner))
    assert capture_tasks.claim(["splitting"]) is None


def test_the_end_keeps_the_result_and_no_position(owner: Person) -> None:
    requested(owner, inspected(owner))
    capture_tasks.keep_position(claimed(), b"half", done=5)
    assert capture_tasks.finish(claimed(), {"bytes": 87}, done=10)
    task = CaptureTask.objects.get()
    assert (task.state, task.done, task.position) == (TaskState.FINISHED, 10, None)
    assert (capture_tasks.result_of(task), task.error) == ({"bytes": 87}, None)
    assert task.finished_at is not None and capture_tasks.claim(KINDS) is None


def test_a_result_that_is_too_large_is_not_kept(
    owner: Person, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(capture_tasks, "RESULT_BYTES", 10)
    requested(owner, inspected(owner))
    with pytest.raises(ValueError, match="a result of 14 bytes"):
        capture_tasks.finish(claimed(), {"bytes": 8765})


def test_what_failed_waits_before_it_is_tried_again(owner: Person) -> None:
    requested(owner, inspected(owner))
    task = claimed()
    capture_tasks.postpone(task, timedelta(seconds=5))
    assert capture_tasks.claim(KINDS) is None
    end_lease()
    assert claimed().attempt == 2


def test_tasks_go_with_their_capture(owner: Person) -> None:
    capture_id = inspected(owner)
    requested(owner, capture_id)
    task = claimed()
    assert delete(owner.principal, capture_id) is not None
    assert not CaptureTask.objects.exists()
    assert not capture_tasks.finish(task, {})
    assert request_task(owner.principal, capture_id, TaskKind.SPLITTING) is None


@pytest.mark.django_db(transaction=True)
def test_of_many_requests_at_once_one_opens_the_task(
    owner: Person, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(submission.doorbell, "ring", lambda: None)
    capture_id = inspected(owner)

    def requests(_: int) -> int:
        try:
            return int(requested(owner, capture_id).pk)
        finally:
            connection.close()

    with ThreadPoolExecutor(6) as pool:
        numbers = set(pool.map(requests, range(6)))
    assert numbers == {CaptureTask.objects.get().pk}
