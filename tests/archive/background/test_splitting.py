"""A capture is read at every split by a task, in processes that may end."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import msgspec
import pytest
from django.conf import LazySettings
from django.db.models.functions import Now

from inspector.archive.background import splitting, task_steps
from inspector.archive.background.splitting import split_capture, split_findings
from inspector.archive.deletion import delete
from inspector.archive.inspection import capture_tasks
from inspector.archive.inspection.capture_tasks import request_task
from inspector.archive.models import CaptureTask, FindingRow, Inspection, TaskKind
from inspector.archive.readers.errors import ReadingError
from inspector.archive.readers.messages import ReadingErrorCause
from inspector.archive.readers.operations import SplitStep, split_step
from inspector.archive.readers.pool import ReaderPool
from inspector.archive.readers.sdk_readers import SdkProgress, SdkStep
from inspector.core.splits.cuttings import Cutting
from inspector.core.splits.every_split import SplitResult
from inspector.core.splits.own_reading import SplitDifference
from inspector.core.splits.readers import ReaderSplits
from inspector.core.wire.framing import Framing
from tests.archive.samples import SSE, STREAM, WHOLE, accept, inspect_all, inspected
from tests.people import Person

pytestmark = pytest.mark.both_stacks

BROKEN = STREAM.replace(b'"content":"lo"', b'"content":lo')


@pytest.fixture(autouse=True)
def by_this_task(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(task_steps, "STEPS", {"splitting": split_capture})


@pytest.fixture
def in_this_process(monkeypatch: pytest.MonkeyPatch) -> None:
    """Readers without processes: of the steps alone."""
    monkeypatch.setattr(splitting, "read_in_process", lambda operation, given: operation(given))
    tried_by(monkeypatch, not_here)


TryClient = Callable[[SdkStep], SdkProgress]


def tried_by(monkeypatch: pytest.MonkeyPatch, client: TryClient) -> None:
    def alone(work: str, given: SdkStep, seconds: float, largest: int) -> Any:
        return client(given)

    monkeypatch.setattr(splitting, "read_alone", alone)


def not_here(given: SdkStep) -> SdkProgress:
    return SdkProgress(ReaderSplits(slug=given.slug, name=given.slug), 0, 0)


def result_of(person: Person, body: bytes, content_type: str | None = SSE) -> SplitResult:
    capture_id = inspected(person, body, content_type)
    assert isinstance(request_task(person.principal, capture_id, TaskKind.SPLITTING), CaptureTask)
    while task_steps.step():
        pass
    [task] = CaptureTask.objects.filter(capture=capture_id)
    assert task.state == "finished", task.error
    return msgspec.convert(capture_tasks.result_of(task), SplitResult)


# Readers give way to everything else on the machine: beside other tests they may take minutes.
@pytest.mark.timeout(900)
def test_a_stream_is_read_at_every_split_in_processes_of_their_own(
    owner: Person, readers: ReaderPool, settings: LazySettings
) -> None:
    settings.READING_SECONDS = 800
    result = result_of(owner, STREAM)
    assert (result.places, result.differing, result.byte_length) == (
        len(STREAM) - 1,
        0,
        len(STREAM),
    )
    assert [each.slug for each in result.readers] == [
        "lines-per-read",
        "events-per-read",
        "utf-8-per-read",
        "openai",
        "httpx-sse",
    ]
    # Tried where they are installed, and said to be missing where they are not.
    assert {each.state for each in result.readers} <= {"tried", "not-installed"}


def test_of_a_whole_body_it_is_said_that_there_is_nothing_to_split(
    owner: Person, in_this_process: None
) -> None:
    result = result_of(owner, WHOLE, "application/json")
    assert (result.is_stream, result.places, result.line_ends) == (False, 0, ())


def test_a_step_says_who_reads_and_how_far_it_is(
    owner: Person, in_this_process: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    def in_two_steps(given: SdkStep) -> SdkProgress:
        so_far = ReaderSplits(slug=given.slug, name=given.slug)
        return SdkProgress(so_far, given.done + 5, 10)

    tried_by(monkeypatch, in_two_steps)
    capture_id = inspected(owner, STREAM, SSE)
    request_task(owner.principal, capture_id, TaskKind.SPLITTING)
    seen = []
    while task_steps.step():
        task = CaptureTask.objects.get()
        seen.append((task.progress, task.done, task.state))
    stages = [progress["stage"] for progress, _, _ in seen]
    assert stages[-5:] == ["openai", "openai", "httpx-sse", "httpx-sse", "own"]
    assert seen[-1][2] == "finished"
    done = [done for _, done, _ in seen]
    assert done == sorted(done)


def test_a_client_that_ends_its_process_is_told_so_and_the_rest_is_kept(
    owner: Person, in_this_process: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    def ends(given: SdkStep) -> SdkProgress:
        if given.slug == "openai":
            raise ReadingError(ReadingErrorCause.TOO_LARGE)
        return not_here(given)

    tried_by(monkeypatch, ends)
    result = result_of(owner, STREAM)
    [found] = [each for each in result.readers if each.slug == "openai"]
    assert (found.state, found.sentence) == (
        "ended",
        "Trying it ended after 0 cuttings: reading_too_large.",
    )
    assert result.places == len(STREAM) - 1


DIFFERENCE = SplitDifference(
    cutting=Cutting.at(1204), pointer="/analysis/verdict", uncut='"complete"', cut='"cut-off"'
)


def differing(given: SplitStep) -> Any:
    position = split_step(given)
    result = msgspec.structs.replace(position.result, differing=3, differences=(DIFFERENCE,))
    return msgspec.structs.replace(position, result=result)


def test_a_difference_of_our_own_readings_is_a_finding_that_quotes_both(
    owner: Person, in_this_process: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(splitting, "read_in_process", lambda operation, given: differing(given))
    result_of(owner, STREAM)
    row = FindingRow.objects.get(source="splitting")
    assert (row.code, row.severity) == ("reading.split-dependent", "warning")
    assert row.message == (
        "Our own reading differs at /analysis/verdict where this stream is cut at byte 1,204:"
        ' "complete" uncut, "cut-off" cut. (3 cuttings differ)'
    )
    assert (row.byte_start, row.byte_end) == (1204, 1205)
    before = Inspection.objects.get().warning_count
    # A later run without a difference takes it back.
    monkeypatch.setattr(splitting, "read_in_process", lambda operation, given: operation(given))
    request_task(owner.principal, row.capture_id, TaskKind.SPLITTING)
    while task_steps.step():
        pass
    assert not FindingRow.objects.filter(source="splitting").exists()
    assert Inspection.objects.get().warning_count == before - 1


def test_without_a_difference_there_is_no_finding() -> None:
    result = SplitResult(framing=Framing.EVENT_STREAM, is_stream=True, byte_length=10)
    assert split_findings(result) == ()


def test_a_byte_of_the_compressed_form_is_no_place_in_the_body() -> None:
    coded = msgspec.structs.replace(
        DIFFERENCE, cutting=msgspec.structs.replace(Cutting.at(7), is_coded=True)
    )
    result = SplitResult(
        framing=Framing.EVENT_STREAM,
        is_stream=True,
        byte_length=10,
        differing=1,
        differences=(coded,),
    )
    [finding] = split_findings(result)
    assert "is cut at byte 7 in its compressed form" in finding.message
    assert finding.where.byte_start is None


# -- without a request ----------------------------------------------------------------------------


def test_a_stream_with_an_error_is_read_at_every_split_without_a_request(
    owner: Person, settings: LazySettings
) -> None:
    settings.SPLITTINGS_AN_HOUR = 1
    inspected(owner, STREAM, SSE)
    assert not CaptureTask.objects.exists()
    capture_id = inspected(owner, BROKEN, SSE)
    task = CaptureTask.objects.get()
    assert (task.capture_id, task.kind, task.requested_by) == (capture_id, "splitting", None)


def test_a_team_has_so_many_an_hour(
    owner: Person, stranger: Person, settings: LazySettings
) -> None:
    settings.SPLITTINGS_AN_HOUR = 2
    for _ in range(3):
        accept(owner, BROKEN, SSE)
    accept(stranger, BROKEN, SSE)
    inspect_all()
    teams = CaptureTask.objects.values_list("team", flat=True)
    assert sorted(teams) == sorted([owner.team.pk, owner.team.pk, stranger.team.pk])
    CaptureTask.objects.update(created_at=Now() - splitting.HOUR)
    inspected(owner, BROKEN, SSE)
    assert CaptureTask.objects.filter(team=owner.team).count() == 3


def test_a_whole_body_with_an_error_is_left_alone(owner: Person, settings: LazySettings) -> None:
    settings.SPLITTINGS_AN_HOUR = 5
    inspected(owner, WHOLE[:150])
    assert Inspection.objects.get().error_count > 0
    assert not CaptureTask.objects.exists()


def test_what_was_requested_comes_before_what_was_not(
    owner: Person, settings: LazySettings
) -> None:
    settings.SPLITTINGS_AN_HOUR = 5
    unasked = inspected(owner, BROKEN, SSE)
    asked = inspected(owner, STREAM, SSE)
    request_task(owner.principal, asked, TaskKind.SPLITTING)
    first, second = (capture_tasks.claim(("splitting",)) for _ in range(2))
    assert first is not None and second is not None
    assert (first.capture_id, second.capture_id) == (asked, unasked)


def test_what_was_not_requested_gives_way_to_new_captures(
    owner: Person, settings: LazySettings
) -> None:
    settings.SPLITTINGS_AN_HOUR = 5
    inspected(owner, BROKEN, SSE)
    accept(owner, STREAM, SSE)
    assert not task_steps.step()
    assert CaptureTask.objects.get().attempt == 0


def test_a_deleted_capture_has_no_task(owner: Person, settings: LazySettings) -> None:
    settings.SPLITTINGS_AN_HOUR = 5
    capture_id = inspected(owner, BROKEN, SSE)
    delete(owner.principal, capture_id)
    assert not CaptureTask.objects.exists()
    assert not task_steps.step()
