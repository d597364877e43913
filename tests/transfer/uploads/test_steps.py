"""An upload is cut into captures step by step, and whatever cuts a step off, nothing is stored
twice and nothing is lost.
"""

import json
from datetime import timedelta
from typing import Any, NoReturn

import pytest
import time_machine
from django.conf import LazySettings
from django.core.management import call_command
from django.db import OperationalError
from django.db.models.functions import Now
from django.utils import timezone

from inspector.archive import redaction_rules
from inspector.archive.intake import submission
from inspector.archive.models import Capture
from inspector.archive.redaction_rules import RedactionRuleStatus
from inspector.archive.storage import disk_space
from inspector.core.redaction_mark import MaskKind
from inspector.teams.access import INGEST, READ, TELEMETRY, Principal, for_key
from inspector.teams.keys import create_api_key
from inspector.transfer.models import UploadBody
from inspector.transfer.telemetry.trace_encoding import TraceEncoding
from inspector.transfer.uploads import parked, steps
from inspector.transfer.uploads.parked import TooManyUploads, UploadStatus
from inspector.work.models import Work
from inspector.work.run import forget_old, run_one
from tests.core.telemetry_records import CHAT, HELLO, WHO, document, span
from tests.people import Person

ANSWERED = {**CHAT, **WHO, "gen_ai.output.messages": HELLO}
HTTP = {"http.request.method": "GET"}


def spans(number: int, attributes: dict[str, Any] = ANSWERED) -> bytes:
    made = [span(attributes, spanId=f"{count:016x}") for count in range(1, number + 1)]
    return json.dumps(document(*made)).encode()


def exporter(person: Person) -> Principal:
    principal = for_key(create_api_key(person.team, "an exporter", [TELEMETRY]))
    assert principal is not None
    return principal


def parked_by(principal: Principal, body: bytes) -> UploadStatus:
    found = parked.for_principal(principal, TELEMETRY).park(TraceEncoding.JSON, body)
    assert isinstance(found, UploadStatus)
    return found


def after(principal: Principal, upload: UploadStatus) -> UploadStatus:
    found = parked.for_principal(principal, TELEMETRY).one(upload.id)
    assert found is not None
    return found


def cut_to_the_end() -> None:
    while run_one(steps.KIND):
        pass


@pytest.fixture(autouse=True)
def small_groups(settings: LazySettings) -> None:
    settings.BATCH_COMMIT_LINES = 2


@pytest.mark.both_stacks
def test_every_entry_becomes_a_capture_of_the_key_that_sent_it(owner: Person) -> None:
    sender = exporter(owner)
    upload = parked_by(sender, spans(5))
    assert (upload.state, upload.entries) == ("open", 0)
    assert not Capture.objects.exists()
    cut_to_the_end()
    found = after(sender, upload)
    assert (found.state, found.entries, found.captures, found.left) == ("finished", 5, 5, ())
    assert found.finished_at is not None
    keys = set(Capture.objects.values_list("team", "key"))
    assert keys == {(owner.team.pk, sender.key_id)}
    assert Capture.objects.count() == 5
    assert not UploadBody.objects.exists()


def test_what_is_no_capture_is_told_by_its_number_with_the_reason(owner: Person) -> None:
    sender = exporter(owner)
    mixed = document(
        span(ANSWERED), span(HTTP, spanId="00f067aa0ba902b7"), span(ANSWERED, traceId="0" * 32)
    )
    upload = parked_by(sender, json.dumps(mixed).encode())
    cut_to_the_end()
    found = after(sender, upload)
    assert (found.entries, found.captures) == (3, 1)
    assert [(each.number, each.code) for each in found.left] == [
        (2, "passed_over"),
        (3, "unreadable_entry"),
    ]
    assert "no valid traceId" in found.left[1].message


def test_of_the_reasons_the_first_are_kept(owner: Person, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(steps, "MAX_LEFT", 3)
    sender = exporter(owner)
    upload = parked_by(sender, spans(5, HTTP))
    cut_to_the_end()
    found = after(sender, upload)
    assert [each.number for each in found.left] == [1, 2, 3]
    assert (found.entries, found.captures) == (5, 0)


def test_a_step_ends_after_its_time_and_the_next_goes_on_behind_it(
    owner: Person, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(steps, "STEP_SECONDS", 0)
    sender = exporter(owner)
    upload = parked_by(sender, spans(5))
    counts = []
    while run_one(steps.KIND):
        counts.append(Capture.objects.count())
    assert counts == [2, 4, 5, 5]
    assert after(sender, upload).captures == 5


@pytest.mark.both_stacks
@pytest.mark.parametrize("entries", [(6, 8), (1, 2)], ids=["cut in steps", "cut at once"])
def test_teams_take_turns_however_many_uploads_each_has(
    owner: Person, stranger: Person, monkeypatch: Any, entries: tuple[int, int]
) -> None:
    monkeypatch.setattr(steps, "STEP_SECONDS", 0)
    busy = exporter(owner)
    for number in entries:
        parked_by(busy, spans(number))
    run_one(steps.KIND)
    quiet = exporter(stranger)
    upload = parked_by(quiet, spans(4))
    run_one(steps.KIND)
    assert after(quiet, upload).captures == 2
    run_one(steps.KIND)
    assert after(quiet, upload).captures == 2, "the other team's turn"
    run_one(steps.KIND)
    assert after(quiet, upload).captures == 4


@pytest.mark.both_stacks
def test_a_process_that_ends_between_storing_and_noting_it_stores_nothing_twice(
    owner: Person, monkeypatch: pytest.MonkeyPatch
) -> None:
    sender = exporter(owner)
    upload = parked_by(sender, spans(4))

    def ended(*_: object) -> NoReturn:
        raise SystemExit

    with monkeypatch.context() as patched:
        patched.setattr(steps, "_why_left", ended)
        with pytest.raises(SystemExit):
            run_one(steps.KIND)
    assert Capture.objects.count() == 2
    assert not run_one(steps.KIND)
    Work.objects.update(due_at=Now() - timedelta(seconds=1))
    cut_to_the_end()
    assert Capture.objects.count() == 4
    assert after(sender, upload).captures == 4


def test_a_step_whose_lease_is_anothers_notes_nothing(
    owner: Person, monkeypatch: pytest.MonkeyPatch
) -> None:
    sender = exporter(owner)
    upload = parked_by(sender, spans(2))
    store = submission.accept_batch

    def lost(*given: Any) -> Any:
        Work.objects.update(lease_token=None)
        return store(*given)

    monkeypatch.setattr(submission, "accept_batch", lost)
    assert run_one(steps.KIND)
    assert (after(sender, upload).entries, after(sender, upload).state) == (0, "open")


def test_a_request_that_is_sent_again_is_the_same_upload_until_it_is_cut(owner: Person) -> None:
    sender = exporter(owner)
    first, again = (parked_by(sender, spans(3)) for _ in range(2))
    assert again.id == first.id
    cut_to_the_end()
    later = parked_by(sender, spans(3))
    assert later.id != first.id
    cut_to_the_end()
    assert after(sender, later).captures == 3
    assert Capture.objects.count() == 3


def test_a_team_has_so_many_and_others_are_not_counted(
    owner: Person, stranger: Person, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(parked, "MAX_OPEN_UPLOADS", 1)
    sender = exporter(owner)
    parked_by(sender, spans(1))
    assert (
        parked.for_principal(sender, TELEMETRY).park(TraceEncoding.JSON, spans(2))
        == TooManyUploads()
    )
    parked_by(exporter(stranger), spans(1))
    cut_to_the_end()
    parked_by(sender, spans(2))


def test_who_may_send_such_ones_sees_it_and_nobody_else(owner: Person, stranger: Person) -> None:
    upload = parked_by(exporter(owner), spans(1))
    assert after(exporter(owner), upload).id == upload.id
    for scope, person in ((READ, owner), (TELEMETRY, stranger)):
        other = for_key(create_api_key(person.team, f"another that may {scope}", [scope]))
        assert other is not None
        assert parked.for_principal(other, TELEMETRY).one(upload.id) is None
    assert parked.for_principal(exporter(owner), INGEST).one(upload.id) is None


def test_cutting_removes_credentials_and_what_rules_of_the_team_name(owner: Person) -> None:
    rule = redaction_rules.add_redaction_rule(owner.principal, MaskKind.WORD, "Nightjar")
    assert isinstance(rule, RedactionRuleStatus)
    redaction_rules.turn_redaction_rule(owner.principal, rule.id, on=True)
    secret = "sk-proj-" + "Ab12Cd34" * 6
    told = {**ANSWERED, "user.id": secret, "gen_ai.request.model": "Nightjar"}
    parked_by(exporter(owner), spans(1, told))
    cut_to_the_end()
    capture = Capture.objects.get()
    assert capture.metadata["user"] == "[removed]"
    assert b"Nightjar" not in owner.get(f"/api/v1/captures/{capture.pk}/raw/").body
    assert not UploadBody.objects.exists()


def test_what_takes_too_long_to_read_fails_with_what_was_stored_told(
    owner: Person, monkeypatch: pytest.MonkeyPatch
) -> None:
    def endless(*_: object) -> NoReturn:
        while True:
            pass

    monkeypatch.setattr(steps, "GROUP_SECONDS", 0.01)
    monkeypatch.setattr(steps, "body_of", endless)
    sender = exporter(owner)
    upload = parked_by(sender, spans(1))
    assert run_one(steps.KIND)
    found = after(sender, upload)
    assert (found.state, found.error, found.entries) == ("failed", "too_long_to_parse", 0)


def test_what_failed_is_kept_and_cut_when_somebody_asks_for_it(owner: Person) -> None:
    sender = exporter(owner)
    upload = parked_by(sender, spans(2))
    Work.objects.update(attempt=3)
    assert run_one(steps.KIND) and after(sender, upload).state == "failed"
    with time_machine.travel(timezone.now() + timedelta(days=400), tick=False):
        forget_old([steps.KIND])
    assert UploadBody.objects.exists()
    call_command("retry_uploads")
    cut_to_the_end()
    found = after(sender, upload)
    assert (found.state, found.captures, found.error) == ("finished", 2, None)
    assert not UploadBody.objects.exists() and Work.objects.get().once is None


def test_of_what_failed_twice_alike_one_waits_at_a_time(owner: Person) -> None:
    sender = exporter(owner)
    for _ in range(2):
        parked_by(sender, spans(1))
        Work.objects.filter(state="open").update(attempt=3)
        assert run_one(steps.KIND)
    assert [steps.retry_failed(), steps.retry_failed()] == [1, 0]


def test_a_kind_that_a_newer_release_knows_waits_for_its_programs(owner: Person) -> None:
    upload = parked_by(exporter(owner), spans(1))
    Work.objects.filter(pk=upload.id).update(subject="newer")
    assert not run_one(steps.KIND)
    assert Work.objects.get().state == "open" and UploadBody.objects.exists()


def test_a_database_that_is_away_is_no_attempt(
    owner: Person, monkeypatch: pytest.MonkeyPatch
) -> None:
    def away(*_: object) -> NoReturn:
        raise OperationalError

    parked_by(exporter(owner), spans(1))
    monkeypatch.setattr(steps, "body_of", away)
    assert run_one(steps.KIND)
    assert Work.objects.get().attempt == 0


def test_one_that_ends_its_process_three_times_is_not_begun_again(owner: Person) -> None:
    sender = exporter(owner)
    upload = parked_by(sender, spans(1))
    Work.objects.update(attempt=3)
    assert run_one(steps.KIND)
    found = after(sender, upload)
    assert found.state == "failed"
    assert found.error is not None and "process" in found.error
    assert not Capture.objects.exists()


def test_a_fault_is_tried_again_and_then_told_by_its_type(
    owner: Person, monkeypatch: pytest.MonkeyPatch
) -> None:
    def faulty(*_: object) -> NoReturn:
        raise LookupError

    monkeypatch.setattr(steps, "body_of", faulty)
    sender = exporter(owner)
    upload = parked_by(sender, spans(1))
    for state in ("open", "open", "failed"):
        Work.objects.update(due_at=Now() - timedelta(seconds=1))
        assert run_one(steps.KIND)
        assert after(sender, upload).state == state
    assert after(sender, upload).error == "LookupError"


def test_on_a_full_disk_it_waits_and_is_no_failure(
    owner: Person, monkeypatch: pytest.MonkeyPatch
) -> None:
    sender = exporter(owner)
    upload = parked_by(sender, spans(1))
    with monkeypatch.context() as full:
        full.setattr(disk_space, "has_space", lambda: False)
        assert run_one(steps.KIND)
        with pytest.raises(OperationalError):
            parked_by(sender, spans(2))
    assert Work.objects.get().attempt == 0
    Work.objects.update(due_at=Now() - timedelta(seconds=1))
    cut_to_the_end()
    assert after(sender, upload).captures == 1


def test_what_became_of_it_is_kept_for_a_week(owner: Person) -> None:
    parked_by(exporter(owner), spans(1))
    cut_to_the_end()
    for days, left in ((6, 1), (8, 0)):
        with time_machine.travel(timezone.now() + timedelta(days=days), tick=False):
            forget_old([steps.KIND])
        assert Work.objects.count() == left
    assert Capture.objects.exists()


def test_with_its_team_an_upload_goes(stranger: Person) -> None:
    parked_by(exporter(stranger), spans(1))
    stranger.team.delete()
    assert not Work.objects.exists()
    assert not UploadBody.objects.exists()
    assert not run_one(steps.KIND)
