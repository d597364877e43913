"""All captures of a query are deleted by a job: as many as were confirmed, and none beside."""

from datetime import timedelta
from typing import Any

import pytest
from django.utils import timezone

from inspector.archive import deletion
from inspector.archive.background import bulk_jobs, bulk_steps
from inspector.archive.background.bulk_jobs import BulkJobStatus, OtherCount, TooManyBulkJobs
from inspector.archive.models import BulkKind, Capture, Inspection, State, Tombstone
from inspector.teams.access import DELETE, for_key
from inspector.teams.keys import create_api_key
from inspector.teams.models import AuditEntry, Role
from inspector.work.models import Work
from inspector.work.run import run_one
from tests.archive.carrying_out import carry_out
from tests.archive.samples import CUT, WHOLE, accept, conditions, inspect_all
from tests.people import Person, make_person
from tests.stored import everything

SECRET = CUT.replace(b"Hel", b"BETWEENUSALONE")


def request(person: Person, confirmed: int, query: str = "") -> Any:
    return bulk_jobs.request_bulk_deletion(person.principal, conditions(query), confirmed)


def states() -> list[str]:
    return list(Capture.objects.order_by("received_at").values_list("state", flat=True))


@pytest.mark.both_stacks
def test_matches_are_deleted_with_receipts(owner: Person, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(bulk_steps, "DELETED_CAPTURES", 2)
    stays = accept(owner)
    gone = [accept(owner, SECRET) for _ in range(3)]
    inspect_all()
    job = request(owner, 3, "verdict:cut-off")
    assert isinstance(job, BulkJobStatus) and (job.action, job.total) == ("delete", 3)
    carry_out()
    found = bulk_jobs.bulk_job(owner.principal, job.id)
    assert found is not None and found.receipt is not None
    assert (found.state, found.done, found.changed) == ("finished", 3, 3)
    assert found.receipt.bytes == 3 * len(SECRET)
    assert set(Tombstone.objects.values_list("capture", flat=True)) == set(gone)
    assert set(Tombstone.objects.values_list("deleted_by", flat=True)) == {job.requested_by}
    assert Capture.objects.get(pk=stays).state == State.INSPECTED
    assert b"BETWEENUSALONE" not in everything()
    entry = AuditEntry.objects.get(act="captures_deleted")
    assert entry.on == f"3 captures, bulk job {job.id}"


def test_another_number_than_confirmed_deletes_nothing(owner: Person) -> None:
    accept(owner)
    assert request(owner, 2) == OtherCount(1)
    assert request(owner, 0) == OtherCount(1)
    assert not Work.objects.exists()


def test_what_arrives_later_stays(owner: Person) -> None:
    accept(owner)
    request(owner, 1)
    accept(owner)
    carry_out()
    assert states() == ["gone", "received"]


def test_no_more_go_than_were_confirmed_whatever_comes_to_match(owner: Person) -> None:
    for _ in range(3):
        accept(owner)
    accept(owner, CUT)
    inspect_all()
    request(owner, 1, "verdict:cut-off")
    # As if another release had read them anew.
    Inspection.objects.update(verdict="cut-off")
    carry_out()
    assert Tombstone.objects.count() == 1


@pytest.mark.both_stacks
def test_a_step_that_is_cut_off_deletes_nothing_and_is_repeated(
    owner: Person, monkeypatch: pytest.MonkeyPatch
) -> None:
    for _ in range(3):
        accept(owner)
    job = request(owner, 3)
    advance = bulk_steps._advance

    def cut_off(*args: Any, **columns: Any) -> None:
        raise ValueError("cut off")

    monkeypatch.setattr(bulk_steps, "_advance", cut_off)
    assert run_one(bulk_steps.KIND)
    assert states() == ["received"] * 3 and not Tombstone.objects.exists()
    monkeypatch.setattr(bulk_steps, "_advance", advance)
    Work.objects.update(due_at=timezone.now() - timedelta(seconds=1))
    carry_out()
    found = bulk_jobs.bulk_job(owner.principal, job.id)
    assert found is not None and (found.changed, found.state) == (3, "finished")


def test_what_somebody_deleted_meanwhile_is_not_counted(owner: Person) -> None:
    first = accept(owner)
    accept(owner)
    job = request(owner, 2)
    assert deletion.delete(owner.principal, first)
    carry_out()
    found = bulk_jobs.bulk_job(owner.principal, job.id)
    assert found is not None and (found.changed, found.state) == (1, "finished")


def test_it_can_be_stopped_and_what_went_stays_gone(
    owner: Person, teammate: Person, stranger: Person, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(bulk_steps, "DELETED_CAPTURES", 1)
    for _ in range(3):
        accept(owner)
    job = request(owner, 3)
    asked: list[bool] = []

    def after_one() -> bool:
        asked.append(True)
        return len(asked) > 1

    assert run_one(bulk_steps.KIND, after_one)
    for nobody in (teammate, stranger):
        assert bulk_jobs.request_undo(nobody.principal, job.id) is None
    stopped = bulk_jobs.request_undo(owner.principal, job.id)
    assert isinstance(stopped, BulkJobStatus)
    assert (stopped.id, stopped.state, stopped.changed) == (job.id, "stopped", 1)
    assert not stopped.can_be_undone
    carry_out()
    assert sorted(states()) == ["gone", "received", "received"]


def test_only_who_may_delete_does(owner: Person, teammate: Person, stranger: Person) -> None:
    accept(owner)
    assert request(teammate, 1) is None
    assert request(stranger, 1) == OtherCount(0)
    admin = make_person("ada", "default", Role.ADMIN)
    assert isinstance(request(admin, 1), BulkJobStatus)
    deleting = for_key(create_api_key(owner.team, "deleting", [DELETE]))
    assert deleting is not None
    assert bulk_jobs.request_bulk_deletion(deleting, conditions(), 1) is None


def test_a_query_with_a_mistake_is_never_taken(owner: Person) -> None:
    with pytest.raises(ValueError):
        request(owner, 0, "verdict:nothing-like-it")


def test_ten_of_a_team_may_be_open(owner: Person) -> None:
    for _ in range(10):
        assert isinstance(request(owner, 0), BulkJobStatus)
    assert request(owner, 0) == TooManyBulkJobs(10)


def test_a_capture_that_it_tagged_before_goes_with_its_note(owner: Person) -> None:
    accept(owner, WHOLE)
    inspect_all()
    bulk_jobs.request_bulk_job(owner.principal, BulkKind.TAG, "seen", conditions())
    carry_out()
    request(owner, 1)
    carry_out()
    assert states() == ["gone"] and b'"seen"' not in everything()
