"""Every split over HTTP: requested, under way, done; and told to nobody else."""

from __future__ import annotations

from uuid import UUID, uuid4

import pytest

from inspector.archive.background import splitting, task_steps
from inspector.archive.background.splitting import split_capture
from inspector.archive.deletion import delete
from inspector.archive.inspection import capture_tasks
from inspector.archive.models import Capture, CaptureTask, State
from inspector.archive.readers.sdk_readers import SdkProgress, SdkStep
from inspector.core.splits.readers import ReaderSplits
from inspector.teams.access import READ
from inspector.teams.keys import create_api_key
from tests.archive.samples import SSE, STREAM, WHOLE, inspected
from tests.people import Person, ask, bearer


@pytest.fixture(autouse=True)
def in_this_process(monkeypatch: pytest.MonkeyPatch) -> None:
    def alone(work: str, given: SdkStep, seconds: float, largest: int) -> SdkProgress:
        return SdkProgress(ReaderSplits(slug=given.slug, name=given.slug), 0, 0)

    monkeypatch.setattr(task_steps, "STEPS", {"splitting": split_capture})
    monkeypatch.setattr(splitting, "read_in_process", lambda operation, given: operation(given))
    monkeypatch.setattr(splitting, "read_alone", alone)


def path_of(capture_id: object) -> str:
    return f"/api/v1/captures/{capture_id}/splits/"


def carry_out() -> None:
    while task_steps.step():
        pass


def test_every_split_is_requested_and_told(owner: Person, teammate: Person) -> None:
    path = path_of(inspected(owner, STREAM, SSE))
    before = owner.get(path)
    assert (before.status, before.json["state"], before.json["result"]) == (
        200,
        "not-requested",
        None,
    )
    requested = teammate.post(path, b"")
    assert (requested.status, requested.json["state"]) == (202, "open")
    assert owner.post(path, b"").json["created_at"] == requested.json["created_at"]
    carry_out()
    found = owner.get(path).json
    assert (found["state"], found["done"], found["error"]) == ("finished", found["total"], None)
    result = found["result"]
    assert (result["framing"], result["places"], result["differing"]) == (
        "event-stream",
        len(STREAM) - 1,
        0,
    )
    lines = result["readers"][0]
    assert lines["slug"] == "lines-per-read"
    assert lines["examples"][-1]["sentence"].startswith(
        "A reader that takes each read for whole lines "
    )


def test_of_a_whole_body_it_is_told_that_there_is_nothing_to_split(owner: Person) -> None:
    path = path_of(inspected(owner, WHOLE))
    owner.post(path, b"")
    carry_out()
    result = owner.get(path).json["result"]
    assert (result["is_stream"], result["places"], result["whole_readings"]) == (False, 0, 0)


def test_whom_it_does_not_concern_learns_nothing(owner: Person, stranger: Person) -> None:
    capture_id = inspected(owner, STREAM, SSE)
    for path in (path_of(capture_id), path_of(uuid4()), path_of("x")):
        assert (stranger.get(path).status, stranger.post(path, b"").status) == (404, 404)
    assert not CaptureTask.objects.exists()


def test_a_key_that_only_reads_requests_nothing(owner: Person) -> None:
    path = path_of(inspected(owner, STREAM, SSE))
    key = create_api_key(owner.team, "reader", [READ])
    assert ask("GET", path, headers=bearer(key)).status == 200
    assert ask("POST", path, headers=bearer(key)).status == 403
    assert not CaptureTask.objects.exists()


def recording(capture_id: UUID) -> None:
    Capture.objects.filter(pk=capture_id).update(state=State.RECORDING)


def test_what_is_recorded_or_deleted_is_not_there(owner: Person) -> None:
    still, gone = inspected(owner, STREAM, SSE), inspected(owner, STREAM, SSE)
    recording(still)
    delete(owner.principal, gone)
    for path in (path_of(still), path_of(gone)):
        assert (owner.get(path).status, owner.post(path, b"").status) == (404, 404)


def test_where_too_many_are_open_another_one_is_refused(
    owner: Person, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(capture_tasks, "MAX_OPEN_TASKS", 1)
    assert owner.post(path_of(inspected(owner, STREAM, SSE)), b"").status == 202
    refused = owner.post(path_of(inspected(owner, STREAM, SSE)), b"")
    assert (refused.status, refused.code) == (429, "too_many_tasks")


def test_a_result_of_another_form_is_told_as_none(owner: Person) -> None:
    path = path_of(inspected(owner, STREAM, SSE))
    owner.post(path, b"")
    task = capture_tasks.claim(("splitting",))
    assert task is not None
    capture_tasks.finish(task, {"of": "another release"})
    found = owner.get(path).json
    assert (found["state"], found["result"]) == ("finished", None)
