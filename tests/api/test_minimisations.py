"""Minimising over HTTP: requested, under way, done; and told to nobody else."""

from __future__ import annotations

import json
from uuid import UUID, uuid4

import pytest

from inspector.archive.background import minimising, task_steps
from inspector.archive.background.minimising import minimise_capture
from inspector.archive.deletion import delete
from inspector.archive.inspection import capture_tasks
from inspector.archive.models import Capture, CaptureTask, State
from inspector.teams.access import READ
from inspector.teams.keys import create_api_key
from tests.archive.samples import WHOLE, inspect_all, inspected
from tests.people import JSON, Answer, Person, ask, bearer

CODE = "usage.total-mismatch"
BODY = WHOLE.replace(b'"total_tokens":5', b'"total_tokens":6')
ASKED = json.dumps({"code": CODE}).encode()


@pytest.fixture(autouse=True)
def in_this_process(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(task_steps, "STEPS", {"minimisation": minimise_capture})
    monkeypatch.setattr(minimising, "read_in_process", lambda operation, given: operation(given))
    monkeypatch.setattr(minimising, "STEP_SECONDS", 3600.0)


def path_of(capture_id: object) -> str:
    return f"/api/v1/captures/{capture_id}/minimisations/"


def request_it(person: Person, capture_id: object, body: bytes = ASKED) -> Answer:
    return person.post(path_of(capture_id), body, JSON)


def carry_out() -> None:
    while task_steps.step():
        pass


def test_it_is_requested_and_told(owner: Person, teammate: Person) -> None:
    source = inspected(owner, BODY)
    assert owner.get(path_of(source)).json == {"minimisations": []}
    requested = request_it(teammate, source)
    assert (requested.status, requested.json["state"], requested.json["url"]) == (202, "open", None)
    assert request_it(owner, source).json == requested.json
    carry_out()
    [found] = owner.get(path_of(source)).json["minimisations"]
    result = found["result"]
    assert (found["code"], found["state"], result["ending"]) == (CODE, "finished", "minimal")
    assert (result["bytes_before"], result["bytes_now"] < 130) == (len(BODY), True)
    assert found["page"].endswith(f"/captures/{result['capture']}/")
    assert found["url"].endswith(path_to(result["capture"]))
    inspect_all()
    made = owner.get(path_to(result["capture"])).json
    assert (made["minimised_from"], made["minimised_for"]) == (str(source), CODE)
    assert CODE in {each["code"] for each in made["analysis"]["findings"]}
    again = request_it(owner, source)
    assert (again.status, again.json["result"]) == (200, result)


def path_to(capture_id: object) -> str:
    return f"/api/v1/captures/{capture_id}/"


def test_progress_is_told_before_the_end(owner: Person, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(minimising, "STEP_SECONDS", -1.0)
    source = inspected(owner, BODY)
    request_it(owner, source)
    task_steps.step()
    [found] = owner.get(path_of(source)).json["minimisations"]
    assert (found["state"], found["stage"], found["bytes_now"], found["result"]) == (
        "open",
        "events",
        len(BODY),
        None,
    )


@pytest.mark.parametrize(
    "body, code",
    [
        (b'{"code":"ending.missing-finish"}', "no_such_finding"),
        (b'{"code":"usage.total-mismatch","pointer":"/nowhere"}', "no_such_finding"),
        (b'{"code":7}', "invalid_body"),
        (b"{}", "invalid_body"),
        (b'{"code":"usage.total-mismatch","seconds":3}', "invalid_body"),
    ],
)
def test_what_the_capture_does_not_have_is_refused(owner: Person, body: bytes, code: str) -> None:
    refused = request_it(owner, inspected(owner, BODY), body)
    assert (refused.status, refused.code) == (422, code)
    assert not CaptureTask.objects.exists()


def test_whom_it_does_not_concern_learns_nothing(owner: Person, stranger: Person) -> None:
    source = inspected(owner, BODY)
    for name in (source, uuid4(), "x"):
        assert stranger.get(path_of(name)).status == 404
        assert request_it(stranger, name).status == 404
        assert request_it(stranger, name, b"no JSON").status == 404
    assert not CaptureTask.objects.exists()


def test_a_key_that_only_reads_requests_nothing(owner: Person) -> None:
    path = path_of(inspected(owner, BODY))
    key = create_api_key(owner.team, "reader", [READ])
    assert ask("GET", path, headers=bearer(key)).status == 200
    assert ask("POST", path, headers=bearer(key)).status == 403
    assert not CaptureTask.objects.exists()


def test_what_is_recorded_or_deleted_is_not_there(owner: Person) -> None:
    still, gone = inspected(owner, BODY), inspected(owner, BODY)
    Capture.objects.filter(pk=still).update(state=State.RECORDING)
    delete(owner.principal, gone)
    for name in (still, gone):
        assert (owner.get(path_of(name)).status, request_it(owner, name).status) == (404, 404)


def test_the_receipt_names_what_was_deleted_along(owner: Person) -> None:
    source = inspected(owner, BODY)
    request_it(owner, source)
    carry_out()
    [found] = owner.get(path_of(source)).json["minimisations"]
    made = found["result"]["capture"]
    receipt = ask("DELETE", path_to(source), headers=bearer(owner.key)).json
    assert receipt["minimised"] == [made]
    assert owner.get(path_to(made)).status == 404


def test_where_too_many_are_open_another_one_is_refused(
    owner: Person, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(capture_tasks, "MAX_OPEN_TASKS", 1)
    assert request_it(owner, inspected(owner, BODY)).status == 202
    refused = request_it(owner, inspected(owner, BODY))
    assert (refused.status, refused.code) == (429, "too_many_tasks")


def test_a_result_of_another_form_is_told_as_none(owner: Person) -> None:
    source: UUID = inspected(owner, BODY)
    request_it(owner, source)
    task = capture_tasks.claim(("minimisation",))
    assert task is not None
    capture_tasks.finish(task, {"of": "another release"})
    [found] = owner.get(path_of(source)).json["minimisations"]
    assert (found["state"], found["result"]) == ("finished", None)
