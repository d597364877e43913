"""Jobs for all captures of a query over HTTP: requested, followed, undone; and told to nobody else."""

import json

import pytest

from inspector.archive.background import bulk_jobs, bulk_steps
from inspector.archive.models import Capture
from inspector.teams.access import DELETE, INGEST, READ
from inspector.teams.keys import create_api_key
from inspector.work.models import Work
from inspector.work.run import run_one
from tests.archive.carrying_out import carry_out
from tests.archive.samples import CUT, accept, inspect_all, inspected
from tests.people import JSON, Person, ask, bearer

BULK = "/api/v1/captures/bulk/"
TAG_IT = json.dumps({"action": "tag", "tag": "seen"}).encode()


def test_all_captures_of_a_query_are_tagged_and_it_is_undone(
    owner: Person, teammate: Person
) -> None:
    complete, cut = inspected(owner), inspected(owner, CUT)
    requested = owner.post(f"{BULK}?verdict=complete", TAG_IT)
    assert (requested.status, requested.json["state"]) == (202, "open")
    job = f"{BULK}{requested.json['id']}/"
    carry_out()
    found = teammate.get(job).json
    assert (found["state"], found["total"], found["done"], found["changed"]) == (
        "finished",
        1,
        1,
        1,
    )
    assert (found["action"], found["tag"], found["query"]) == ("tag", "seen", "q=verdict:complete")
    assert Capture.objects.get(pk=complete).tags == ["seen"]
    assert Capture.objects.get(pk=cut).tags == []
    undoing = teammate.post(f"{job}undo/", b"")
    assert (undoing.status, undoing.json["undoes"]) == (202, found["id"])
    carry_out()
    assert Capture.objects.get(pk=complete).tags == []
    assert owner.get(job).json["undone_by"] == undoing.json["id"]


def test_a_tag_is_taken_from_all(owner: Person) -> None:
    capture_id = accept(owner)
    owner.post(BULK, TAG_IT)
    owner.post(f"{BULK}?tag=seen", b'{"action":"untag","tag":"seen"}')
    carry_out()
    assert Capture.objects.get(pk=capture_id).tags == []


@pytest.mark.parametrize(
    ("query", "body", "code"),
    [
        ("", b"{}", "invalid_body"),
        ("", b'{"action":"delete","tag":"seen"}', "invalid_body"),
        ("", b'{"action":"tag","tag":" "}', "invalid_body"),
        ("", b'{"action":"tag","tag":"seen","all":true}', "invalid_body"),
        ("?verdict=nothing", TAG_IT, "invalid_parameter"),
        ("?limit=3", TAG_IT, "unknown_parameter"),
    ],
)
def test_what_is_not_understood_is_refused(
    owner: Person, query: str, body: bytes, code: str
) -> None:
    found = owner.post(BULK + query, body)
    assert (found.status, found.code) == (422, code)
    assert not Work.objects.exists()


def test_what_is_no_number_of_a_job_is_missing(owner: Person) -> None:
    for path in (f"{BULK}0/", f"{BULK}x/", f"{BULK}{10**30}/"):
        assert owner.get(path).status == 404


def test_a_key_that_only_sends_or_only_reads_requests_nothing(owner: Person) -> None:
    job = f"{BULK}{owner.post(BULK, TAG_IT).json['id']}/"
    for scope in (INGEST, READ):
        key = bearer(create_api_key(owner.team, scope, [scope]))
        assert ask("POST", BULK, TAG_IT, JSON, key).code == "missing_scope"
        assert ask("POST", f"{job}undo/", headers=key).status in (403, 404)
    assert Work.objects.count() == 1


def test_open_jobs_are_bounded(owner: Person, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(bulk_jobs, "MAX_OPEN_BULK_JOBS", 0)
    refused = owner.post(BULK, TAG_IT)
    assert (refused.status, refused.code) == (429, "too_many_jobs")
    assert refused.headers["Retry-After"] == "60"


DELETION = "/api/v1/captures/bulk/deletion/"


def test_all_of_a_query_is_deleted_once_its_number_is_confirmed(owner: Person) -> None:
    accept(owner)
    cut = accept(owner, CUT)
    inspect_all()
    query = f"{DELETION}?verdict=cut-off"
    refused = owner.post(query, b'{"confirm_captures":2}')
    assert (refused.status, refused.code) == (409, "other_count")
    assert "1 captures match" in refused.json["error"]["message"]
    answer = owner.post(query, b'{"confirm_captures":1}')
    assert (answer.status, answer.json["action"], answer.json["total"]) == (202, "delete", 1)
    while run_one(bulk_steps.KIND):
        pass
    status = owner.get(f"/api/v1/captures/bulk/{answer.json['id']}/").json
    assert (status["state"], status["changed"], status["receipt"]["bytes"]) == (
        *("finished", 1),
        len(CUT),
    )
    assert owner.get(f"/api/v1/captures/{cut}/").status == 404
    assert len(owner.get("/api/v1/captures/").json["captures"]) == 1


@pytest.mark.parametrize("body", [b"{}", b'{"confirm_captures":-1}', b'{"confirm_captures":"1"}'])
def test_a_deletion_without_a_number_is_refused(owner: Person, body: bytes) -> None:
    assert owner.post(DELETION, body).status == 422


def test_a_key_that_starts_a_deletion_stops_it(owner: Person) -> None:
    kept = accept(owner)
    key = bearer(create_api_key(owner.team, "deleting", [READ, DELETE]))
    job = ask("POST", DELETION, b'{"confirm_captures":1}', JSON, key).json["id"]
    stopped = ask("DELETE", f"{BULK}{job}/", headers=key)
    assert (stopped.status, stopped.json["state"]) == (200, "stopped")
    carry_out()
    assert owner.get(f"/api/v1/captures/{kept}/").status == 200


def test_a_tagging_that_is_stopped_changes_nothing_more(owner: Person) -> None:
    capture_id = accept(owner)
    job = f"{BULK}{owner.post(BULK, TAG_IT).json['id']}/"
    assert owner.ask("DELETE", job).json["state"] == "stopped"
    carry_out()
    assert Capture.objects.get(pk=capture_id).tags == []
    assert owner.get(job).json["state"] == "stopped"
