"""One change to all captures of a query: which ones, once each, by steps, and back again."""

from datetime import timedelta
from uuid import UUID, uuid4

import pytest
from django.conf import LazySettings
from django.http import QueryDict
from django.utils import timezone

from inspector.archive.annotation import MAX_TAGS, tag_all
from inspector.archive.background import bulk_jobs, bulk_steps
from inspector.archive.background.bulk_jobs import (
    BulkJobStatus,
    BulkTask,
    TooManyBulkJobs,
    bulk_job,
    recent_bulk_jobs,
    request_bulk_job,
    request_undo,
)
from inspector.archive.deletion import delete
from inspector.archive.listing.filter_params import FilterParams, parse_filter_params
from inspector.archive.models import BulkChange, BulkKind, Capture, TagRow
from inspector.teams.access import INGEST, for_key
from inspector.teams.keys import create_api_key
from inspector.teams.models import Membership, Role
from inspector.work.leases import Leased
from inspector.work.models import Work
from inspector.work.run import forget_old, run_one
from tests.archive.carrying_out import carry_out
from tests.archive.samples import CUT, accept, inspected, tagged
from tests.people import Person

pytestmark = pytest.mark.both_stacks


def parsed(query: str) -> FilterParams:
    return parse_filter_params(dict(QueryDict(query).lists()), timezone.now())


def requested(
    person: Person, query: str = "", tag: str = "seen", kind: BulkKind = BulkKind.TAG
) -> BulkJobStatus:
    found = request_bulk_job(person.principal, kind, tag, parsed(query))
    assert isinstance(found, BulkJobStatus)
    return found


def undone(person: Person, number: int) -> BulkJobStatus:
    found = request_undo(person.principal, number)
    assert isinstance(found, BulkJobStatus)
    return found


def status(person: Person, number: int) -> BulkJobStatus:
    found = bulk_job(person.principal, number)
    assert found is not None
    return found


def tags(capture_id: UUID) -> list[str]:
    in_rows = TagRow.objects.filter(capture=capture_id).values_list("tag", flat=True)
    found = Capture.objects.get(pk=capture_id).tags
    assert sorted(in_rows) == sorted(found)
    return list(found)


def test_all_captures_of_a_query_are_tagged_and_others_not(owner: Person, stranger: Person) -> None:
    complete, cut, foreign = inspected(owner), inspected(owner, CUT), inspected(stranger)
    job = requested(owner, "verdict=complete")
    assert (job.state, job.total, job.done) == ("open", 1, 0)
    carry_out()
    job = status(owner, job.id)
    assert (job.state, job.done, job.changed, job.full) == ("finished", 1, 1, 0)
    assert tags(complete) == ["seen"]
    assert tags(cut) == tags(foreign) == []


def test_what_arrives_later_is_left_alone(owner: Person) -> None:
    before = accept(owner)
    requested(owner)
    after = accept(owner)
    carry_out()
    assert (tags(before), tags(after)) == (["seen"], [])


def test_what_came_after_the_captures_were_counted_is_left_alone(owner: Person) -> None:
    before = accept(owner)
    bound = bulk_jobs.newest_bound(owner.principal)
    after = accept(owner)
    assert request_bulk_job(owner.principal, BulkKind.TAG, "seen", parsed(""), bound)
    carry_out()
    assert (tags(before), tags(after)) == (["seen"], [])


def test_a_query_that_narrows_itself_ends(owner: Person, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(bulk_steps, "STEP_CAPTURES", 2)
    captures = [tagged(owner, "old", "kept") for _ in range(5)]
    job = requested(owner, "tag=old", "old", BulkKind.UNTAG)
    carry_out()
    assert [tags(each) for each in captures] == [["kept"]] * 5
    assert status(owner, job.id).changed == 5


def test_undoing_reverts_what_the_job_changed_and_nothing_else(owner: Person) -> None:
    had_it, got_it = tagged(owner, "seen"), accept(owner)
    job = requested(owner)
    carry_out()
    assert status(owner, job.id).changed == 1
    undoing = undone(owner, job.id)
    assert (undoing.action, undoing.undoes, undoing.total) == ("untag", job.id, 1)
    carry_out()
    assert (tags(had_it), tags(got_it)) == (["seen"], [])
    assert not status(owner, job.id).can_be_undone


def test_what_somebody_changed_since_is_not_undone(owner: Person, teammate: Person) -> None:
    again, untouched = accept(owner), accept(owner)
    job = requested(owner)
    carry_out()
    tag_all(teammate.principal, [again], "seen", add=False)
    tag_all(teammate.principal, [again], "seen", add=True)
    tag_all(teammate.principal, [untouched], "other", add=True)
    undone(owner, job.id)
    carry_out()
    assert (tags(again), tags(untouched)) == (["seen"], ["other"])


def test_a_change_by_hand_meanwhile_stays(owner: Person, monkeypatch: pytest.MonkeyPatch) -> None:
    capture_id = accept(owner)
    job = requested(owner)
    carry_out()
    undone(owner, job.id)
    found = bulk_steps._next_changes

    def then_changed(job: Leased, undone: int) -> bulk_steps.BulkSlice:
        result = found(job, undone)
        tag_all(owner.principal, [capture_id], "seen", add=False)
        tag_all(owner.principal, [capture_id], "seen", add=True)
        return result

    monkeypatch.setattr(bulk_steps, "_next_changes", then_changed)
    carry_out()
    assert tags(capture_id) == ["seen"]


def test_undoing_an_undo_does_it_again(owner: Person) -> None:
    capture_id = accept(owner)
    job = requested(owner)
    carry_out()
    undoing = undone(owner, job.id)
    carry_out()
    assert tags(capture_id) == []
    assert undone(owner, undoing.id).action == "tag"
    carry_out()
    assert tags(capture_id) == ["seen"]


def test_an_open_job_stops_and_is_undone(owner: Person, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(bulk_steps, "STEP_CAPTURES", 1)
    captures = [accept(owner) for _ in range(3)]
    job = requested(owner)
    stops = iter([False, True])
    assert run_one(bulk_steps.KIND, lambda: next(stops))
    assert sum(tags(each) == ["seen"] for each in captures) == 1
    undone(owner, job.id)
    assert status(owner, job.id).state == "stopped"
    carry_out()
    assert [tags(each) for each in captures] == [[], [], []]


def test_it_is_undone_once(owner: Person) -> None:
    accept(owner)
    job = requested(owner)
    carry_out()
    assert undone(owner, job.id).id == undone(owner, job.id).id


def test_a_step_that_was_cut_off_is_repeated_and_changes_nothing_twice(
    owner: Person, monkeypatch: pytest.MonkeyPatch, settings: LazySettings
) -> None:
    settings.LEASE_SECONDS = 0
    captures = [accept(owner) for _ in range(3)]
    job = requested(owner)

    def killed(*_: object, **columns: object) -> None:
        raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr(bulk_steps, "_advance", killed)
        with pytest.raises(KeyboardInterrupt):
            run_one(bulk_steps.KIND)
    assert [tags(each) for each in captures] == [[], [], []]
    carry_out()
    assert [tags(each) for each in captures] == [["seen"]] * 3
    assert (status(owner, job.id).done, status(owner, job.id).changed) == (3, 3)


def test_a_step_without_lease_does_nothing(owner: Person, monkeypatch: pytest.MonkeyPatch) -> None:
    capture_id = accept(owner)
    job = requested(owner)
    found = bulk_steps._next_slice

    def then_taken(job: Leased, task: BulkTask) -> bulk_steps.BulkSlice | None:
        result = found(job, task)
        Work.objects.filter(pk=job.row.pk).update(lease_token=uuid4())
        return result

    with monkeypatch.context() as patch:
        patch.setattr(bulk_steps, "_next_slice", then_taken)
        assert run_one(bulk_steps.KIND)
    assert tags(capture_id) == []
    assert status(owner, job.id).state == "open"


def test_what_keeps_failing_says_its_type(owner: Person, monkeypatch: pytest.MonkeyPatch) -> None:
    accept(owner)
    job = requested(owner)

    def broken(*_: object, **__: object) -> None:
        raise ValueError("the text of a payload")

    monkeypatch.setattr(bulk_steps, "change_tag", broken)
    for _ in range(3):
        Work.objects.update(due_at=timezone.now() - timedelta(seconds=1))
        assert run_one(bulk_steps.KIND)
    assert (status(owner, job.id).state, status(owner, job.id).error) == ("failed", "ValueError")


def test_a_query_that_means_nothing_any_more_fails(owner: Person) -> None:
    capture_id = accept(owner)
    job = requested(owner)
    request = Work.objects.get(pk=job.id).request | {"query": "was-a-filter=1"}
    Work.objects.filter(pk=job.id).update(request=request)
    carry_out()
    assert (status(owner, job.id).state, status(owner, job.id).error) == (
        "failed",
        "query_not_understood",
    )
    assert tags(capture_id) == []


def test_a_query_with_a_mistake_is_refused(owner: Person) -> None:
    with pytest.raises(ValueError):
        requested(owner, "verdict=nothing")


def test_captures_that_are_deleted_meanwhile_are_passed_over(owner: Person) -> None:
    kept, deleted, tagged_then_deleted = accept(owner), accept(owner), accept(owner)
    job = requested(owner)
    assert delete(owner.principal, deleted)
    carry_out()
    assert delete(owner.principal, tagged_then_deleted)
    assert set(BulkChange.objects.values_list("capture", flat=True)) == {kept}
    undone(owner, job.id)
    carry_out()
    assert tags(kept) == []
    assert Capture.objects.get(pk=tagged_then_deleted).tags == []


def test_captures_with_as_many_tags_as_allowed_are_counted(owner: Person) -> None:
    tagged(owner, *map(str, range(MAX_TAGS)))
    job = requested(owner)
    carry_out()
    assert (status(owner, job.id).changed, status(owner, job.id).full) == (0, 1)


def test_ages_count_back_from_the_request(owner: Person) -> None:
    capture_id = accept(owner)
    job = requested(owner, "since=1h")
    Work.objects.filter(pk=job.id).update(created_at=timezone.now() + timedelta(hours=2))
    carry_out()
    assert tags(capture_id) == []


def test_the_team_sees_its_jobs_alone(owner: Person, teammate: Person, stranger: Person) -> None:
    accept(owner)
    job = requested(owner)
    assert bulk_job(teammate.principal, job.id) == bulk_job(owner.principal, job.id)
    assert [each.id for each in recent_bulk_jobs(teammate.principal)] == [job.id]
    assert bulk_job(stranger.principal, job.id) is None
    assert request_undo(stranger.principal, job.id) is None
    assert recent_bulk_jobs(stranger.principal) == ()


def test_who_may_not_tag_or_not_read_requests_nothing(owner: Person, teammate: Person) -> None:
    accept(owner)
    job = requested(owner)
    Membership.objects.filter(user=teammate.user).update(role=Role.VIEWER)
    sender = for_key(create_api_key(owner.team, "sender", [INGEST]))
    assert sender is not None
    for principal in (teammate.principal, sender):
        assert request_bulk_job(principal, BulkKind.TAG, "seen", parsed("")) is None
    assert request_undo(teammate.principal, job.id) is None


def test_open_jobs_of_a_team_are_bounded(
    owner: Person, stranger: Person, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(bulk_jobs, "MAX_OPEN_BULK_JOBS", 1)
    accept(owner)
    job = requested(owner)
    refused = request_bulk_job(owner.principal, BulkKind.TAG, "seen", parsed(""))
    assert isinstance(refused, TooManyBulkJobs)
    requested(stranger)
    # A job that stops makes room for the one that undoes it.
    undone(owner, job.id)


def test_jobs_that_ended_long_ago_are_forgotten(owner: Person) -> None:
    capture_id = accept(owner)
    old, open_one = requested(owner), requested(owner, tag="other")
    carry_out()
    Work.objects.filter(pk=old.id).update(finished_at=timezone.now() - timedelta(days=31))
    forget_old([bulk_steps.KIND])
    assert [each.id for each in recent_bulk_jobs(owner.principal)] == [open_one.id]
    assert sorted(tags(capture_id)) == ["other", "seen"]


def test_a_job_is_kept_as_long_as_one_that_undoes_it(owner: Person) -> None:
    capture_id = accept(owner)
    job = requested(owner)
    carry_out()
    long_ago = timezone.now() - timedelta(days=31)
    undone(owner, job.id)
    Work.objects.filter(pk=job.id).update(finished_at=long_ago)
    forget_old([bulk_steps.KIND])
    carry_out()
    assert tags(capture_id) == []
    Work.objects.update(finished_at=long_ago)
    for _ in range(2):
        forget_old([bulk_steps.KIND])
    assert recent_bulk_jobs(owner.principal) == ()


def test_too_many_to_count_are_no_number(owner: Person, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("inspector.archive.queries.COUNTED_ROWS", 1)
    accept(owner)
    accept(owner)
    assert requested(owner).total is None
