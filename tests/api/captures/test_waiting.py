import pytest
from django.conf import LazySettings
from django.db import OperationalError

from inspector.archive.inspection import claims, projection_store
from inspector.archive.intake import wait_for_inspection
from inspector.archive.models import Capture, State
from inspector.archive.readers import on_demand
from inspector.core.analysis import Analysis
from inspector.core.wire.exchange import Exchange
from inspector.teams.access import INGEST
from inspector.teams.keys import create_api_key
from tests.archive.samples import CUT, WHOLE, inspect_all
from tests.people import JSON, Person, ask, bearer

CAPTURES = "/api/v1/captures/"


def test_who_waits_is_answered_with_the_analysis(owner: Person) -> None:
    answer = owner.post(f"{CAPTURES}?wait=5", WHOLE)
    capture_id = answer.json["id"]
    assert answer.status == 200
    assert (answer.json["state"], answer.json["duplicate"]) == ("inspected", False)
    assert answer.json["analysis"]["choices"][0]["content"] == "Hello"
    assert owner.get(f"{CAPTURES}{capture_id}/").json["verdict"] == "complete"


def test_wait_longer_than_any_is_longest(owner: Person, monkeypatch: pytest.MonkeyPatch) -> None:
    seconds = []

    class Noting(wait_for_inspection._WaitingReader):
        def read(self, exchange: Exchange) -> Analysis:
            seconds.append(self._seconds)
            return super().read(exchange)

    monkeypatch.setattr(wait_for_inspection, "_WaitingReader", Noting)
    for wait in ("1", "10", "600"):
        assert owner.post(f"{CAPTURES}?wait={wait}", WHOLE).status == 200
    assert seconds == [1, 10, 10]


@pytest.mark.parametrize("wait", ["0", "-1", "1.5", "", "long", "1&wait=2"])
def test_a_wait_that_is_no_number_of_seconds_is_refused(owner: Person, wait: str) -> None:
    answer = owner.post(f"{CAPTURES}?wait={wait}", WHOLE)
    assert answer.status == 422 and "'wait'" in answer.json["error"]["message"]
    assert not Capture.objects.exists()


def test_what_is_too_much_to_wait_for_is_accepted_all_the_same(
    owner: Person, settings: LazySettings
) -> None:
    settings.MAX_WAIT_BYTES = 10
    answer = owner.post(f"{CAPTURES}?wait=5", WHOLE)
    assert (answer.status, answer.json["state"], "analysis" in answer.json) == (
        202,
        "received",
        False,
    )
    inspect_all()
    assert owner.get(f"{CAPTURES}{answer.json['id']}/").json["state"] == "inspected"


def test_a_fault_of_the_reading_is_no_fault_of_the_sender(
    owner: Person, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fails(*_: object) -> None:
        raise RuntimeError("CANARY")

    monkeypatch.setattr(on_demand, "read", fails)
    answer = owner.post(f"{CAPTURES}?wait=5", WHOLE)
    assert (answer.status, answer.json["state"]) == (202, "received")
    assert b"CANARY" not in answer.body
    assert owner.get(f"{CAPTURES}{answer.json['id']}/").json["attempt"] == 1


def test_what_is_kept_is_never_asked_for_again(
    owner: Person, monkeypatch: pytest.MonkeyPatch
) -> None:
    def is_locked(*_: object) -> None:
        raise OperationalError("database is locked")

    monkeypatch.setattr(projection_store, "store_rows", is_locked)
    monkeypatch.setattr(claims, "fail_attempt", is_locked)
    answer = owner.post(f"{CAPTURES}?wait=5", WHOLE)
    assert (answer.status, Capture.objects.count()) == (202, 1)
    assert answer.json["id"] == str(Capture.objects.get().id)


def test_a_resend_that_waits_is_answered_with_what_is_there(owner: Person) -> None:
    key = {"Idempotency-Key": "run-7"}
    first = owner.post(CAPTURES, CUT, headers=key)
    early = owner.post(f"{CAPTURES}?wait=5", CUT, headers=key)
    assert (early.status, early.json["duplicate"], "analysis" in early.json) == (200, True, False)
    inspect_all()
    late = owner.post(f"{CAPTURES}?wait=5", CUT, headers=key)
    assert late.json["analysis"]["verdict"] == "cut-off"
    assert late.json["id"] == first.json["id"]
    assert "analysis" not in owner.post(CAPTURES, CUT, headers=key).json


def test_a_quarantined_capture_is_not_read_for_a_resend(
    owner: Person, monkeypatch: pytest.MonkeyPatch
) -> None:
    key = {"Idempotency-Key": "run-7"}
    capture_id = owner.post(CAPTURES, WHOLE, headers=key).json["id"]
    Capture.objects.filter(pk=capture_id).update(state=State.QUARANTINED, attempt=3)
    monkeypatch.setattr(on_demand, "read", lambda *_: pytest.fail("it was read"))
    answer = owner.post(f"{CAPTURES}?wait=5", WHOLE, headers=key)
    assert (answer.status, answer.json["state"]) == (200, "quarantined")
    assert "analysis" not in answer.json


def test_who_may_only_send_is_told_of_what_he_sent_himself(owner: Person) -> None:
    sender = {**bearer(create_api_key(owner.team, "sender", [INGEST])), "Idempotency-Key": "k"}
    first = ask("POST", f"{CAPTURES}?wait=5", WHOLE, JSON, sender)
    again = ask("POST", f"{CAPTURES}?wait=5", WHOLE, JSON, sender)
    assert first.json["analysis"]["verdict"] == "complete"
    assert (again.status, "analysis" in again.json) == (200, False)
