from uuid import uuid4

import pytest
from django.db import connection

from inspector.archive.background import retention_rules
from inspector.archive.background.retention_rules import RetentionRuleStatus
from inspector.archive.models import Capture, RetentionClock, State
from tests.archive.samples import WHOLE, accept, inspected
from tests.people import Person

CAPTURES = "/api/v1/captures/"
PARTS = ("", "raw/", "completion/", "timeline/", "findings/")


def test_deleting_answers_with_a_receipt(owner: Person) -> None:
    capture_id = inspected(owner)
    known = owner.get(f"{CAPTURES}{capture_id}/").json
    answer = owner.ask("DELETE", f"{CAPTURES}{capture_id}/")
    deleted_at, deleted_by = answer.json.pop("deleted_at"), answer.json["deleted_by"]
    assert answer.status == 200
    assert set(answer.json) - {"deleted_at"} == {
        "id",
        "state",
        "received_at",
        "sha256",
        "byte_length",
        "deleted_by",
        "feedback_tokens",
        "feedback_votes",
        "exports",
        "shares",
        "erased_from_disk",
        "receipt_days",
    }
    for name in ("id", "received_at", "sha256", "byte_length"):
        assert answer.json[name] == known[name]
    assert (answer.json["state"], deleted_at[-1]) == ("gone", "Z")
    assert "olga's service" in deleted_by


def test_the_receipt_tells_when_the_disk_has_it_no_more(owner: Person) -> None:
    receipt = owner.ask("DELETE", f"{CAPTURES}{inspected(owner)}/").json
    told = "within_seconds" if connection.vendor == "sqlite" else "after_vacuum"
    assert receipt["erased_from_disk"] == told


def test_the_receipt_is_kept_for_good_or_as_long_as_a_rule_says(owner: Person) -> None:
    def receipt_days() -> int | None:
        days: int | None = owner.ask("DELETE", f"{CAPTURES}{inspected(owner)}/").json[
            "receipt_days"
        ]
        return days

    assert receipt_days() is None
    rule = retention_rules.add_rule(owner.principal, RetentionClock.TOMBSTONES, "", 30)
    assert isinstance(rule, RetentionRuleStatus)
    assert receipt_days() is None
    retention_rules.turn_rule(owner.principal, rule.id, on=True)
    assert receipt_days() == 30


@pytest.mark.parametrize("state", [State.RECEIVED, State.PROCESSING, State.QUARANTINED])
def test_whatever_its_state_it_is_gone_at_once(owner: Person, state: State) -> None:
    capture_id = accept(owner)
    Capture.objects.filter(pk=capture_id).update(state=state)
    assert owner.ask("DELETE", f"{CAPTURES}{capture_id}/").status == 200
    for part in PARTS:
        assert owner.get(f"{CAPTURES}{capture_id}/{part}").status == 404
    for method in ("PATCH", "DELETE"):
        assert owner.ask(method, f"{CAPTURES}{capture_id}/", b'{"note":"x"}').status == 404
    assert owner.get(CAPTURES).json["captures"] == []


def test_what_a_client_has_kept_of_it_is_no_answer_any_more(owner: Person) -> None:
    capture_id = inspected(owner)
    etags = {part: owner.get(f"{CAPTURES}{capture_id}/{part}").headers["ETag"] for part in PARTS}
    owner.ask("DELETE", f"{CAPTURES}{capture_id}/")
    for part, etag in etags.items():
        assert owner.get(f"{CAPTURES}{capture_id}/{part}", {"If-None-Match": etag}).status == 404


def test_foreign_missing_and_gone_are_one_answer(
    owner: Person, teammate: Person, stranger: Person
) -> None:
    capture_id = inspected(owner)
    foreign = stranger.ask("DELETE", f"{CAPTURES}{capture_id}/")
    missing = stranger.ask("DELETE", f"{CAPTURES}{uuid4()}/")
    assert owner.get(f"{CAPTURES}{capture_id}/raw/").body == WHOLE
    assert teammate.ask("DELETE", f"{CAPTURES}{capture_id}/").status == 200
    gone = owner.ask("DELETE", f"{CAPTURES}{capture_id}/")
    messages = {answer.json["error"]["message"] for answer in (foreign, missing, gone)}
    assert {answer.status for answer in (foreign, missing, gone)} == {404}
    assert len(messages) == 1


def test_a_parameter_that_asks_for_less_is_refused_and_nothing_is_deleted(owner: Person) -> None:
    capture_id = inspected(owner)
    assert owner.ask("DELETE", f"{CAPTURES}{capture_id}/?dry_run=1").status == 422
    assert owner.get(f"{CAPTURES}{capture_id}/").status == 200


def test_a_resend_after_the_deletion_is_told_that_it_is_gone(owner: Person) -> None:
    key = {"Idempotency-Key": "run-7"}
    capture_id = owner.post(CAPTURES, WHOLE, headers=key).json["id"]
    owner.ask("DELETE", f"{CAPTURES}{capture_id}/")
    again = owner.post(CAPTURES, WHOLE, headers=key)
    assert (again.status, again.json["id"], again.json["state"]) == (200, capture_id, "gone")
    assert Capture.objects.count() == 1
