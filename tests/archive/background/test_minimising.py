"""A capture is minimised by a task, step by step; the smallest form becomes a capture of its own."""

from __future__ import annotations

from typing import Any
from uuid import UUID

import msgspec
import pytest

from inspector.archive.background import minimising, task_steps
from inspector.archive.background.minimisation_status import (
    MinimisationStatus,
    NothingToMinimise,
    minimisation_statuses,
    request_minimisation,
)
from inspector.archive.background.minimising import (
    MinimisationResult,
    MinimisingPosition,
    minimise_capture,
)
from inspector.archive.deletion import delete
from inspector.archive.inspection import capture_tasks
from inspector.archive.models import Capture, CaptureTask, FindingRow, State, TagRow, Tombstone
from inspector.archive.queries import for_principal
from inspector.archive.readers.operations import MinimisationStep, minimisation_step
from inspector.archive.readers.pool import ReaderPool
from inspector.core.minimisation import minimiser
from inspector.core.reading import analyze
from inspector.usage.models import Price, StoredContribution
from tests.archive.samples import WHOLE, inspect_all, inspected
from tests.people import Person

pytestmark = pytest.mark.both_stacks

CODE = "usage.total-mismatch"
BODY = WHOLE.replace(b'"total_tokens":5', b'"total_tokens":6')


@pytest.fixture(autouse=True)
def by_this_task(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(task_steps, "STEPS", {"minimisation": minimise_capture})


@pytest.fixture
def in_this_process(monkeypatch: pytest.MonkeyPatch) -> None:
    """Reads without processes, to the end in one step."""
    monkeypatch.setattr(minimising, "read_in_process", lambda operation, given: operation(given))
    monkeypatch.setattr(minimising, "STEP_SECONDS", 3600.0)


def try_by_try(monkeypatch: pytest.MonkeyPatch) -> None:
    """Each step is as short as a step can be."""
    monkeypatch.setattr(minimising, "read_in_process", lambda operation, given: operation(given))
    monkeypatch.setattr(minimising, "STEP_SECONDS", -1.0)


def requested(person: Person, capture_id: UUID, code: str = CODE) -> MinimisationStatus:
    found = request_minimisation(person.principal, capture_id, code)
    assert isinstance(found, MinimisationStatus)
    return found


def status_of(person: Person, capture_id: UUID) -> MinimisationStatus:
    found = minimisation_statuses(person.principal, capture_id)
    assert found is not None
    [status] = found
    return status


def carry_out() -> None:
    while task_steps.step():
        pass


def minimised(person: Person, capture_id: UUID) -> MinimisationResult:
    requested(person, capture_id)
    carry_out()
    status = status_of(person, capture_id)
    assert (status.state, status.error) == ("finished", None) and status.result is not None
    return status.result


def test_the_smallest_form_becomes_a_capture_that_names_its_source(
    owner: Person, readers: ReaderPool
) -> None:
    source = inspected(owner, BODY)
    result = minimised(owner, source)
    assert (result.ending, result.bytes_before) == ("minimal", len(BODY))
    made = Capture.objects.get(pk=result.capture)
    assert (made.minimised_from, made.minimised_for) == (source, CODE)
    assert (made.team_id, made.key_id, made.tags) == (owner.team.pk, None, ["minimised"])
    assert TagRow.objects.filter(capture=made, tag="minimised").exists()
    assert made.byte_length == result.bytes_now < 130
    inspect_all()
    assert FindingRow.objects.filter(capture=made, code=CODE).exists()
    stored = for_principal(owner.principal).evidence(made.pk)
    assert stored is not None and CODE in {each.code for each in analyze(stored).findings}


def test_a_step_tells_how_far_it_is(owner: Person, monkeypatch: pytest.MonkeyPatch) -> None:
    try_by_try(monkeypatch)
    source = inspected(owner, BODY)
    waiting = requested(owner, source)
    assert (waiting.state, waiting.stage, waiting.bytes_now) == ("open", None, None)
    task_steps.step()
    status = status_of(owner, source)
    assert (status.stage, status.bytes_before, status.bytes_now) == (
        "events",
        len(BODY),
        len(BODY),
    )


def test_it_goes_on_from_where_a_process_stopped(
    owner: Person, monkeypatch: pytest.MonkeyPatch, in_this_process: None
) -> None:
    at_once = inspected(owner, BODY)
    wanted = minimised(owner, at_once)
    source = inspected(owner, BODY)
    requested(owner, source)
    try_by_try(monkeypatch)
    seen = []
    for _ in range(40):
        assert task_steps.step()
        task = CaptureTask.objects.get(capture=source)
        seen.append((task.done, status_of(owner, source).bytes_now))
        position = capture_tasks.position_of(task)
        assert position is not None
        assert msgspec.msgpack.decode(position, type=MinimisingPosition).steps == len(seen)
    assert seen[0][0] < seen[-1][0] and seen[-1][1] < len(BODY)
    # Another process takes it over: all that it gets is the row.
    in_one_step(monkeypatch)
    task_steps.step()
    result = status_of(owner, source).result
    assert result is not None
    assert (result.bytes_now, result.tries) == (wanted.bytes_now, wanted.tries)


def in_one_step(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(minimising, "STEP_SECONDS", 3600.0)


def test_at_its_limit_it_says_that_something_smaller_may_exist(
    owner: Person, in_this_process: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(minimiser, "MAX_TRIES", 15)
    result = minimised(owner, inspected(owner, BODY))
    assert (result.ending, result.tries) == ("limit", 15)
    assert result.bytes_now < result.bytes_before
    assert Capture.objects.filter(pk=result.capture).exists()


def test_after_so_many_steps_it_keeps_what_it_has(
    owner: Person, monkeypatch: pytest.MonkeyPatch
) -> None:
    try_by_try(monkeypatch)
    monkeypatch.setattr(minimising, "MAX_STEPS", 60)
    result = minimised(owner, inspected(owner, BODY))
    assert (result.ending, result.tries <= 60) == ("limit", True)
    assert Capture.objects.get(pk=result.capture).byte_length == result.bytes_now < len(BODY)


def test_what_is_smallest_already_is_not_stored_again(owner: Person, in_this_process: None) -> None:
    smallest = minimised(owner, inspected(owner, BODY)).capture
    assert smallest is not None
    inspect_all()
    result = minimised(owner, smallest)
    assert (result.ending, result.capture) == ("nothing-removed", None)
    assert Capture.objects.count() == 2


def test_a_finding_that_no_longer_fires_is_an_end(owner: Person, in_this_process: None) -> None:
    """An older release found it; its row is still there."""
    source = inspected(owner, WHOLE)
    FindingRow.objects.create(
        capture_id=source, source="reading", position=90, code=CODE, severity="warning", message="m"
    )
    result = minimised(owner, source)
    assert (result.ending, result.capture) == ("not-found", None)
    assert Capture.objects.count() == 1


def test_requested_again_it_is_the_same_capture_as_long_as_that_exists(
    owner: Person, in_this_process: None
) -> None:
    source = inspected(owner, BODY)
    first = minimised(owner, source)
    assert requested(owner, source).result == first
    assert first.capture is not None
    delete(owner.principal, first.capture)
    told = status_of(owner, source).result
    assert told is not None and (told.ending, told.capture) == ("minimal", None)
    again = minimised(owner, source)
    assert again.capture not in (None, first.capture)


def test_a_finding_that_a_capture_does_not_have_is_refused(owner: Person) -> None:
    source = inspected(owner, BODY)
    for code, has_finding in (("ending.missing-finish", False), ("no.such-code", False)):
        found = request_minimisation(owner.principal, source, code)
        assert found == NothingToMinimise(code, has_finding)
    elsewhere = request_minimisation(owner.principal, source, CODE, "/nowhere")
    assert elsewhere == NothingToMinimise(CODE, False)
    assert not CaptureTask.objects.exists()


def test_a_finding_about_the_connection_has_no_smaller_body(owner: Person) -> None:
    source = inspected(owner, BODY)
    FindingRow.objects.create(
        capture_id=source,
        source="reading",
        position=91,
        code="ending.capped",
        severity="info",
        message="m",
    )
    found = request_minimisation(owner.principal, source, "ending.capped")
    assert found == NothingToMinimise("ending.capped", True)


def test_strangers_request_and_see_nothing(
    owner: Person, teammate: Person, stranger: Person
) -> None:
    source = inspected(owner, BODY)
    assert request_minimisation(stranger.principal, source, CODE) is None
    assert minimisation_statuses(stranger.principal, source) is None
    assert requested(teammate, source).code == CODE
    assert minimisation_statuses(owner.principal, source) != ()
    Capture.objects.filter(pk=source).update(state=State.RECORDING)
    assert request_minimisation(owner.principal, source, CODE) is None


def test_credentials_stay_removed(owner: Person, in_this_process: None) -> None:
    key = b"sk-proj-" + b"A1b2C3d4" * 6
    source = inspected(owner, BODY.replace(b"Hello", key))
    result = minimised(owner, source)
    assert result.capture is not None
    stored = for_principal(owner.principal).evidence(result.capture)
    assert stored is not None and key not in stored.body


def test_it_is_nobodys_usage(owner: Person, in_this_process: None) -> None:
    source = inspected(owner, BODY)
    result = minimised(owner, source)
    inspect_all()
    assert Capture.objects.get(pk=result.capture).state == State.INSPECTED
    for model in (Price, StoredContribution):
        assert [row.pk for row in model.objects.all()] == [source]


# -- forgetting -----------------------------------------------------------------------------------


def test_what_was_minimised_goes_with_its_source(owner: Person, in_this_process: None) -> None:
    source, other = inspected(owner, BODY), inspected(owner, BODY)
    first = minimised(owner, source).capture
    kept = minimised(owner, other).capture
    inspect_all()
    receipt = delete(owner.principal, source)
    assert receipt is not None and receipt.minimised == (first,)
    gone = Capture.objects.get(pk=first)
    assert (gone.state, gone.minimised_from, gone.minimised_for) == (State.GONE, None, None)
    assert for_principal(owner.principal).evidence(gone.pk) is None
    stones = set(Tombstone.objects.values_list("capture", "deleted_by"))
    assert stones == {(source, "user olga"), (first, "user olga")}
    assert Capture.objects.get(pk=kept).state != State.GONE


def test_what_was_minimised_again_goes_too_and_the_source_stays(
    owner: Person, in_this_process: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(minimiser, "MAX_TRIES", 15)
    source = inspected(owner, BODY)
    first = minimised(owner, source).capture
    assert first is not None
    inspect_all()
    monkeypatch.setattr(minimiser, "MAX_TRIES", 20_000)
    second = minimised(owner, first).capture
    assert second is not None
    receipt = delete(owner.principal, first)
    assert receipt is not None and receipt.minimised == (second,)
    assert Capture.objects.get(pk=source).state == State.INSPECTED


def test_nothing_is_stored_of_a_source_that_was_deleted_meanwhile(
    owner: Person, monkeypatch: pytest.MonkeyPatch
) -> None:
    source = inspected(owner, BODY)

    def meanwhile(operation: Any, given: MinimisationStep) -> Any:
        found = minimisation_step(msgspec.structs.replace(given, seconds=3600.0))
        assert delete(owner.principal, source)
        return found

    monkeypatch.setattr(minimising, "read_in_process", meanwhile)
    requested(owner, source)
    assert task_steps.step()
    assert list(Capture.objects.values_list("pk", "state")) == [(source, State.GONE)]
    assert not CaptureTask.objects.exists()
