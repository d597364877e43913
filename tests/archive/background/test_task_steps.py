"""Tasks are carried out step by step, and whatever goes wrong is one task's alone."""

import os
import signal
from collections.abc import Callable, Iterator
from datetime import timedelta
from uuid import UUID

import pytest
from django.db import OperationalError
from django.db.models.functions import Now

from inspector.archive.background import task_steps
from inspector.archive.background.task_steps import (
    StepFailed,
    StepFinished,
    StepFunction,
    StepGoesOn,
    StepOutcome,
    TaskStep,
)
from inspector.archive.deletion import delete
from inspector.archive.inspection import capture_tasks
from inspector.archive.inspection.capture_tasks import request_task
from inspector.archive.models import Capture, CaptureTask, TaskKind
from inspector.archive.readers.errors import ReadingError
from inspector.archive.readers.messages import ReadingErrorCause
from inspector.archive.readers.operations import analysis
from inspector.archive.readers.pool import ReaderPool
from inspector.operations.sweeping import Sweep
from tests.archive.samples import STREAM, WHOLE, inspected
from tests.people import Person

pytestmark = pytest.mark.both_stacks


@pytest.fixture
def carried_out_by(monkeypatch: pytest.MonkeyPatch) -> Iterator[Callable[[StepFunction], None]]:
    yield lambda function: monkeypatch.setattr(task_steps, "STEPS", {"splitting": function})


CarriedOutBy = Callable[[StepFunction], None]


def requested(person: Person, body: bytes = WHOLE) -> UUID:
    capture_id = inspected(person, body)
    assert isinstance(request_task(person.principal, capture_id, TaskKind.SPLITTING), CaptureTask)
    return capture_id


def end_wait() -> None:
    CaptureTask.objects.update(due_at=Now() - timedelta(seconds=1))


def counts_to_three(given: TaskStep) -> StepOutcome:
    number = int(given.position or b"0") + 1
    if number < 3:
        return StepGoesOn(str(number).encode(), done=number, total=3)
    return StepFinished({"length": len(given.exchange.body)}, done=number)


def raises(error: Exception) -> StepFunction:
    def function(given: TaskStep) -> StepOutcome:
        raise error

    return function


def test_a_task_goes_on_where_its_last_step_stopped(
    owner: Person, carried_out_by: CarriedOutBy
) -> None:
    carried_out_by(counts_to_three)
    requested(owner)
    seen = []
    while task_steps.step():
        task = CaptureTask.objects.get()
        seen.append((task.state, task.done, task.total))
    assert seen == [("open", 1, 3), ("open", 2, 3), ("finished", 3, 3)]
    assert capture_tasks.result_of(CaptureTask.objects.get()) == {"length": len(WHOLE)}


def test_where_nothing_is_due_there_is_no_step(owner: Person, carried_out_by: CarriedOutBy) -> None:
    carried_out_by(counts_to_three)
    assert not task_steps.step()
    requested(owner)
    assert not task_steps.step(stop=lambda: True)
    assert CaptureTask.objects.get().attempt == 0


def test_the_sweep_carries_tasks_out(
    owner: Person, carried_out_by: CarriedOutBy, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("inspector.archive.inspection.reinspection.REST_SECONDS", 0.0)
    carried_out_by(counts_to_three)
    requested(owner)
    Sweep(5.0).to_the_end()
    assert CaptureTask.objects.get().state == "finished"


def test_a_task_that_cannot_be_carried_out_says_why(
    owner: Person, carried_out_by: CarriedOutBy
) -> None:
    carried_out_by(lambda given: StepFailed("finding_not_there"))
    requested(owner)
    assert task_steps.step()
    task = CaptureTask.objects.get()
    assert (task.state, task.error) == ("failed", "finding_not_there")


def test_what_fails_is_tried_three_times_and_then_said_without_its_text(
    owner: Person, carried_out_by: CarriedOutBy
) -> None:
    carried_out_by(raises(ValueError("quotes a payload")))
    requested(owner)
    for _ in range(3):
        assert task_steps.step()
        end_wait()
    task = CaptureTask.objects.get()
    assert (task.state, task.error, task.attempt) == ("failed", "ValueError", 3)


def test_what_ends_its_process_three_times_is_not_begun_a_fourth_time(
    owner: Person, carried_out_by: CarriedOutBy
) -> None:
    def ends(given: TaskStep) -> StepOutcome:
        raise KeyboardInterrupt

    carried_out_by(ends)
    requested(owner)
    for _ in range(3):
        with pytest.raises(KeyboardInterrupt):
            task_steps.step()
        end_wait()
    assert task_steps.step()
    task = CaptureTask.objects.get()
    assert (task.state, task.error) == (
        "failed",
        "each of 3 attempts ended without a word: the process was killed or timed out",
    )


def test_a_database_that_is_away_is_no_fault_of_the_task(
    owner: Person, carried_out_by: CarriedOutBy
) -> None:
    carried_out_by(raises(OperationalError("away")))
    requested(owner)
    with pytest.raises(OperationalError):
        task_steps.step()
    assert CaptureTask.objects.get().state == "open"


def test_busy_readers_are_no_fault_of_the_task(owner: Person, carried_out_by: CarriedOutBy) -> None:
    carried_out_by(raises(ReadingError(ReadingErrorCause.BUSY)))
    requested(owner)
    assert task_steps.step()
    task = CaptureTask.objects.get()
    assert (task.state, task.attempt, task_steps.step()) == ("open", 0, False)


def test_what_is_too_large_is_not_tried_again(owner: Person, carried_out_by: CarriedOutBy) -> None:
    carried_out_by(raises(ReadingError(ReadingErrorCause.TOO_LARGE)))
    requested(owner)
    assert task_steps.step()
    task = CaptureTask.objects.get()
    assert (task.state, task.error) == ("failed", "reading_too_large")


def test_what_a_task_makes_is_stored_together_with_its_end(
    owner: Person, carried_out_by: CarriedOutBy
) -> None:
    def makes(given: TaskStep) -> StepOutcome:
        def store() -> object:
            Capture.objects.filter(pk=given.capture.pk).update(note="made")
            return {"kept": "instead"}

        return StepFinished(None, done=1, store=store)

    carried_out_by(makes)
    capture_id = requested(owner)
    task_steps.step()
    assert Capture.objects.get(pk=capture_id).note == "made"
    assert capture_tasks.result_of(CaptureTask.objects.get()) == {"kept": "instead"}


def test_of_a_capture_that_was_deleted_meanwhile_nothing_is_made(
    owner: Person, carried_out_by: CarriedOutBy
) -> None:
    made: list[UUID] = []

    def deletes(given: TaskStep) -> StepOutcome:
        delete(owner.principal, given.capture.pk)
        return StepFinished(None, done=1, store=lambda: made.append(given.capture.pk))

    carried_out_by(deletes)
    requested(owner)
    assert task_steps.step()
    assert made == [] and not CaptureTask.objects.exists()


def test_whoever_lost_the_lease_makes_nothing(owner: Person, carried_out_by: CarriedOutBy) -> None:
    made: list[int] = []

    def slow(given: TaskStep) -> StepOutcome:
        end_wait()
        assert capture_tasks.claim(["splitting"]) is not None
        return StepFinished(None, done=1, store=lambda: made.append(1))

    carried_out_by(slow)
    requested(owner)
    assert task_steps.step()
    assert (made, CaptureTask.objects.get().state) == ([], "open")


def test_a_reading_that_ends_its_process_ends_no_other(
    owner: Person, carried_out_by: CarriedOutBy, readers: ReaderPool
) -> None:
    killed: list[int] = []

    def reads(given: TaskStep) -> StepOutcome:
        if not killed:
            task_steps.read_in_process(analysis, given.exchange)
            killed.extend(readers.pids())
            os.kill(killed[0], signal.SIGKILL)
        found = task_steps.read_in_process(analysis, given.exchange)
        return StepFinished({"verdict": found.verdict}, done=1)

    carried_out_by(reads)
    requested(owner, STREAM)
    while task_steps.step():
        end_wait()
    task = CaptureTask.objects.get()
    assert (task.state, capture_tasks.result_of(task)) == ("finished", {"verdict": "complete"})
    assert readers.pids() != killed
