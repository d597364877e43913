"""A legal hold wins over everybody who deletes."""

from __future__ import annotations

from datetime import timedelta
from typing import Any
from uuid import UUID

import pytest
from django.utils import timezone

from inspector.archive import deletion, legal_holds
from inspector.archive.background import bulk_jobs, bulk_steps
from inspector.archive.background.bulk_jobs import BulkJobStatus
from inspector.archive.legal_holds import HoldRefusal, HoldStatus
from inspector.archive.listing.filter_params import FilterParams
from inspector.archive.models import Capture, LegalHold, State
from inspector.teams.models import AuditEntry, Role
from tests.archive.samples import CUT, WHOLE, inspected
from tests.people import Person, make_person


def place(person: Person, query: str = "verdict:complete", name: str = "case 7") -> Any:
    return legal_holds.place(person.principal, name, query, timezone.now())


def state_of(capture_id: UUID) -> str:
    return Capture.objects.get(pk=capture_id).state


@pytest.mark.both_stacks
def test_what_is_held_is_deleted_by_nobody_and_the_rest_as_ever(owner: Person) -> None:
    held, free = inspected(owner), inspected(owner, CUT)
    assert isinstance(place(owner), HoldStatus)
    assert deletion.delete(owner.principal, held) is None
    assert legal_holds.hold_on(owner.principal, held) == "case 7"
    assert legal_holds.hold_on(owner.principal, free) is None
    assert deletion.delete(owner.principal, free) is not None
    assert (state_of(held), state_of(free)) == (State.INSPECTED, State.GONE)


def test_once_it_is_ended_what_it_kept_can_be_deleted(owner: Person) -> None:
    capture = inspected(owner)
    hold = place(owner)
    ended = legal_holds.end(owner.principal, hold.id)
    assert ended is not None and ended.ended_by == "user olga" and not ended.is_in_force
    assert legal_holds.end(owner.principal, hold.id) is None
    assert deletion.delete(owner.principal, capture) is not None
    acts = AuditEntry.objects.filter(act__startswith="hold").order_by("pk")
    assert list(acts.values_list("act", "on")) == [
        ("hold_placed", "case 7: verdict:complete"),
        ("hold_ended", "case 7"),
    ]


def test_the_api_answers_409_held(owner: Person, stranger: Person) -> None:
    capture = inspected(owner)
    place(owner)
    answer = owner.ask("DELETE", f"/api/v1/captures/{capture}/")
    assert (answer.status, answer.code) == (409, "held")
    assert answer.json["error"]["message"] == "the legal hold 'case 7' keeps this capture"
    assert stranger.ask("DELETE", f"/api/v1/captures/{capture}/").status == 404
    assert owner.get(f"/api/v1/captures/{capture}/").status == 200


def test_the_page_says_which_hold_keeps_it(owner: Person, teammate: Person) -> None:
    capture = inspected(owner)
    place(owner, name="<b>case</b>")
    answer = owner.browser().post(f"/captures/{capture}/delete/", {"confirm": "yes"})
    assert answer.status_code == 409
    assert "the legal hold “&lt;b&gt;case&lt;/b&gt;” keeps this capture" in answer.content.decode()
    assert teammate.browser().post(f"/captures/{capture}/delete/").status_code == 403


def test_a_job_passes_by_what_is_held_and_says_how_many(owner: Person) -> None:
    held = [inspected(owner), inspected(owner)]
    inspected(owner, CUT)
    place(owner)
    job = bulk_jobs.request_bulk_deletion(owner.principal, FilterParams(), 3)
    assert isinstance(job, BulkJobStatus)
    while bulk_steps.step():
        pass
    ended = bulk_jobs.bulk_job(owner.principal, job.id)
    assert ended is not None and ended.receipt is not None
    assert (ended.state, ended.changed, ended.receipt.held) == ("finished", 1, 2)
    assert {state_of(each) for each in held} == {State.INSPECTED}
    page = owner.browser().get(f"/t/default/captures/bulk/{job.id}/").content.decode()
    assert "A legal hold kept 2 captures." in page


def test_a_ledger_of_deletions_deletes_nothing_again_that_is_held(owner: Person) -> None:
    capture = inspected(owner)
    place(owner)
    row = Capture.objects.get(pk=capture)
    assert deletion.delete_again(capture, row.sha256, timezone.now(), "user olga") is None
    assert state_of(capture) == State.INSPECTED


def test_captures_of_another_team_are_not_held(owner: Person, stranger: Person) -> None:
    theirs = inspected(stranger)
    place(owner, "")
    assert deletion.delete(stranger.principal, theirs) is not None


@pytest.mark.parametrize(
    ("query", "refusal"),
    [
        ("verdict:nonsense", HoldRefusal.NOT_UNDERSTOOD),
        ("nonsense:x", HoldRefusal.NOT_UNDERSTOOD),
        ("tag:evidence", HoldRefusal.CHANGEABLE),
        ("-tag:evidence", HoldRefusal.CHANGEABLE),
        ("verdict:complete (model:x or note:y)", HoldRefusal.CHANGEABLE),
        ("has:note", HoldRefusal.CHANGEABLE),
    ],
)
def test_a_query_that_is_not_understood_or_that_people_change_holds_nothing(
    owner: Person, query: str, refusal: HoldRefusal
) -> None:
    assert place(owner, query) is refusal
    assert not LegalHold.objects.exists()


def test_a_hold_needs_a_name_and_there_are_not_too_many(
    owner: Person, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert place(owner, name=" \t") is HoldRefusal.NO_NAME
    monkeypatch.setattr(legal_holds, "MAX_HOLDS", 1)
    assert isinstance(place(owner), HoldStatus)
    assert place(owner) is HoldRefusal.TOO_MANY


def test_a_hold_that_a_later_release_placed_keeps_everything(owner: Person) -> None:
    capture = inspected(owner)
    LegalHold.objects.create(team=owner.team, name="later", query="field_of_later:x", made_by="")
    assert deletion.delete(owner.principal, capture) is None
    assert legal_holds.hold_on(owner.principal, capture) == "later"


def test_ages_in_a_hold_count_from_when_it_was_placed(owner: Person) -> None:
    capture = inspected(owner, WHOLE)
    hold = place(owner, "since:1d")
    LegalHold.objects.filter(pk=hold.id).update(created_at=timezone.now() + timedelta(days=30))
    assert deletion.delete(owner.principal, capture) is not None


def test_admins_place_holds_and_owners_end_them(
    owner: Person, teammate: Person, stranger: Person
) -> None:
    admin = make_person("ada", "default", Role.ADMIN)
    for nobody in (teammate,):
        assert place(nobody) is HoldRefusal.FORBIDDEN
    hold = place(admin)
    for nobody in (admin, teammate, stranger):
        assert legal_holds.end(nobody.principal, hold.id) is None
    assert legal_holds.all_holds(stranger.principal) == ()
    assert [each.id for each in legal_holds.all_holds(teammate.principal)] == [hold.id]
    assert legal_holds.end(owner.principal, hold.id) is not None


def test_without_holds_a_deletion_asks_one_question_more(
    owner: Person, django_assert_num_queries: Any
) -> None:
    captures = [Capture.objects.get(pk=inspected(owner)) for _ in range(3)]
    with django_assert_num_queries(1):
        assert legal_holds.held_among(captures) == set()
