"""A call in three steps or in one: each of them may be repeated, none is lost or doubled."""

from dataclasses import replace
from datetime import timedelta
from typing import Any
from uuid import uuid4

import msgspec
import pytest
from django.db.models.functions import Now

from inspector.archive.deletion import delete
from inspector.archive.inspection.claims import claim
from inspector.archive.intake.recording import (
    Recording,
    RecordingLease,
    append,
    begin,
    finish,
    renew,
)
from inspector.archive.models import Capture, Evidence, EvidenceSegment, State
from inspector.archive.storage import disk_space, evidence, segments
from inspector.archive.storage.disk_space import DiskNearlyFull
from inspector.core.credentials.removal import Removal
from inspector.core.wire.exchange import Exchange, Read, TransportFault, TransportOutcome
from tests.archive.calls import (
    ASKED,
    FIRST,
    SECOND,
    THIRD,
    WHOLE_CALL,
    begun,
    call,
    ending,
    row,
    segment,
)
from tests.archive.samples import SSE, STREAM, accept, inspect_all
from tests.people import Person

pytestmark = pytest.mark.both_stacks


def stored(recording: Recording) -> Exchange:
    capture = row(recording.id)
    return evidence.unpack(capture, capture.evidence)


def whole_but(**changed: Any) -> Exchange:
    exchange: Exchange = msgspec.structs.replace(WHOLE_CALL, **changed)
    return exchange


def so_far(recording: Recording) -> Exchange:
    exchange = segments.exchange_so_far(row(recording.id))
    assert exchange is not None
    return exchange


def test_a_call_has_the_tags_and_metadata_that_its_caller_said(owner: Person) -> None:
    said = {"tags": ("checkout", "beta"), "metadata": {"release": "2026.11"}}
    begins, short = replace(call(owner), **said), replace(call(owner), **said)
    begun(begins)
    finish([begins, short])
    for one in (begins, short):
        capture = row(one.id)
        assert sorted(capture.tags) == ["beta", "checkout"]
        assert capture.metadata == {"release": "2026.11"}


# -- begin ----------------------------------------------------------------------------------------


def test_what_begins_is_a_capture_without_reads_that_nobody_claims(owner: Person) -> None:
    one = call(owner)
    lease = begun(one)
    capture = row(one.id)
    assert (capture.state, capture.outcome) == (State.RECORDING, TransportOutcome.OPEN)
    assert (capture.byte_length, capture.sha256, capture.finished_at) == (0, "", None)
    assert (capture.started_at, capture.key_id) == (one.started_at, owner.service.key_id)
    assert capture.lease_token == lease.token
    assert capture.upstream == "openai"
    assert stored(one) == whole_but(reads=(), outcome=TransportOutcome.OPEN)
    Capture.objects.update(due_at=Now() - timedelta(hours=1))
    assert claim() == []


def test_what_begins_is_ordered_among_what_arrives(owner: Person) -> None:
    before = accept(owner)
    one = call(owner)
    begin([one])
    after = accept(owner)
    newest = Capture.objects.order_by("-received_at").values_list("pk", flat=True)
    assert [*newest] == [after, one.id, before]


def test_the_calls_of_two_teams_begin_together(owner: Person, stranger: Person) -> None:
    ours, theirs = call(owner), call(stranger)
    assert {*begin([ours, theirs])} == {ours.id, theirs.id}
    assert row(theirs.id).team == stranger.team


def test_what_begins_a_second_time_begins_anew_under_another_lease(owner: Person) -> None:
    one = call(owner)
    first = begun(one)
    append([segment(first, 0, FIRST)])
    second = begun(one)
    assert append([segment(first, 1, SECOND)]) == frozenset()
    assert append([segment(second, 0, FIRST)]) == {one.id}
    assert so_far(one).reads == (FIRST,)
    assert row(one.id).byte_length == len(FIRST.data)


def test_what_has_ended_does_not_begin_again(owner: Person) -> None:
    one, other = call(owner), call(owner)
    finish([one])
    assert {*begin([one, other])} == {other.id}
    assert row(one.id).state == State.RECEIVED


# -- append ---------------------------------------------------------------------------------------


def test_segments_are_what_there_is_so_far(owner: Person) -> None:
    one = call(owner)
    lease = begun(one)
    append([segment(lease, 0, FIRST, status_code=200, headers=WHOLE_CALL.headers)])
    append([segment(lease, 1, SECOND), segment(lease, 2, THIRD)])
    assert so_far(one) == whole_but(outcome=TransportOutcome.OPEN)
    capture = row(one.id)
    assert (capture.status_code, capture.content_type) == (200, SSE)
    assert capture.byte_length == len(STREAM)


def test_a_segment_that_is_stored_stays_as_it_is(owner: Person) -> None:
    one = call(owner)
    lease = begun(one)
    append([segment(lease, 0, FIRST)])
    append([segment(lease, 0, FIRST), segment(lease, 1, SECOND)])
    assert so_far(one).reads == (FIRST, SECOND)
    assert row(one.id).byte_length == len(FIRST.data + SECOND.data)


def test_what_follows_a_gap_is_not_shown_as_if_it_followed_what_is_before_it(owner: Person) -> None:
    one = call(owner)
    lease = begun(one)
    append([segment(lease, 0, FIRST), segment(lease, 2, THIRD)])
    assert so_far(one).reads == (FIRST,)


def test_the_removals_so_far_are_kept(owner: Person) -> None:
    one = call(owner)
    removal = Removal(version=1, response_body=2)
    append([segment(begun(one), 0, FIRST, removal=removal)])
    around = evidence.surroundings_of(row(one.id))
    assert around is not None and around.removal == removal
    assert around.request == ASKED


def test_a_segment_renews_the_lease(owner: Person) -> None:
    one, silent = call(owner), call(owner)
    lease, other = begun(one), begun(silent)
    Capture.objects.update(due_at=Now() - timedelta(seconds=1), attempt=1)
    assert append([segment(lease, 0, FIRST)]) == {one.id}
    assert renew([other]) == {silent.id}
    due = Capture.objects.filter(due_at__gt=Now() + timedelta(seconds=30), attempt=0)
    assert due.count() == 2


def test_without_the_lease_nothing_is_added(owner: Person) -> None:
    one = call(owner)
    begun(one)
    stolen = RecordingLease(one.id, uuid4())
    assert append([segment(stolen, 0, FIRST)]) == renew([stolen]) == frozenset()
    assert so_far(one).reads == ()


# -- finish ---------------------------------------------------------------------------------------


def test_in_the_end_one_row_of_evidence_replaces_the_segments(owner: Person) -> None:
    one = call(owner)
    lease = begun(one)
    append([segment(lease, 0, FIRST)])
    assert finish([one]) == {one.id}
    assert not EvidenceSegment.objects.exists()
    assert stored(one) == WHOLE_CALL
    capture = row(one.id)
    assert (capture.state, capture.outcome) == (State.RECEIVED, TransportOutcome.ENDED)
    assert capture.byte_length == len(STREAM) and len(capture.sha256) == 64
    assert capture.finished_at is not None and capture.finished_at >= capture.received_at
    inspect_all()
    assert row(one.id).state == State.INSPECTED


def test_what_is_known_of_a_failure_is_kept(owner: Person) -> None:
    one = ending(
        call(owner),
        reads=(),
        status_code=None,
        outcome=TransportOutcome.UPSTREAM_ERROR,
        fault=TransportFault.UNREACHABLE,
        total_bytes=7,
    )
    begun(one)
    finish([one])
    assert stored(one) == one.exchange


def test_an_end_that_is_stored_is_not_stored_again(owner: Person) -> None:
    one = call(owner)
    begun(one)
    finish([one])
    inspect_all()
    finished_at = row(one.id).finished_at
    assert finish([one]) == {one.id}
    assert (row(one.id).state, row(one.id).finished_at) == (State.INSPECTED, finished_at)


def test_a_deletion_ends_the_recording(owner: Person) -> None:
    one = call(owner)
    lease = begun(one)
    append([segment(lease, 0, FIRST, status_code=200, headers=WHOLE_CALL.headers)])
    receipt = delete(owner.principal, one.id)
    assert receipt is not None and receipt.byte_length == len(FIRST.data)
    assert append([segment(lease, 1, SECOND)]) == renew([lease]) == frozenset()
    assert finish([one]) == {one.id}, "nothing remains to be stored"
    assert begin([one]) == {}
    gone = Capture.objects.get(pk=one.id)
    assert (gone.state, gone.request_sha256, gone.retry_of) == (State.GONE, None, None)
    assert not EvidenceSegment.objects.exists() and not Evidence.objects.exists()


# -- finish alone ---------------------------------------------------------------------------------------


def test_a_short_call_is_stored_at_once(owner: Person) -> None:
    one = call(owner)
    assert finish([one]) == {one.id}
    assert stored(one) == WHOLE_CALL
    capture = row(one.id)
    assert (capture.state, capture.started_at) == (State.RECEIVED, one.started_at)
    assert capture.finished_at == capture.received_at
    assert [each.pk for each in claim()] == [one.id]


def test_a_call_that_is_recorded_twice_is_stored_once(owner: Person) -> None:
    one, other = call(owner), call(owner)
    finish([one])
    inspect_all()
    assert finish([one, other]) == {one.id, other.id}
    assert row(one.id).state == State.INSPECTED
    assert Capture.objects.count() == Evidence.objects.count() == 2


def test_a_recorder_that_comes_back_ends_what_an_earlier_one_began(owner: Person) -> None:
    one = call(owner)
    append([segment(begun(one), 0, FIRST)])
    stopped = ending(one, reads=(FIRST, SECOND), outcome=TransportOutcome.RECORDER_STOPPED)
    assert finish([stopped]) == {one.id}
    assert stored(one).reads == (FIRST, SECOND)
    assert row(one.id).state == State.RECEIVED
    assert not EvidenceSegment.objects.exists()


def test_the_calls_of_two_teams_are_stored_together(owner: Person, stranger: Person) -> None:
    ours, theirs = call(owner), call(stranger)
    finish([ours, theirs])
    assert [row(each.id).team for each in (ours, theirs)] == [owner.team, stranger.team]


def test_a_posted_capture_ends_when_it_is_received(owner: Person) -> None:
    capture = row(accept(owner))
    assert capture.finished_at == capture.received_at
    assert capture.request_sha256 is capture.retry_of is None


def test_a_read_without_bytes_is_a_read(owner: Person) -> None:
    one = ending(call(owner), reads=(FIRST, Read(2_500, b"")))
    finish([one])
    assert stored(one).reads == one.exchange.reads


@pytest.mark.parametrize("step", [begin, finish])
def test_a_full_disk_takes_no_call(
    owner: Person, monkeypatch: pytest.MonkeyPatch, step: object
) -> None:
    monkeypatch.setattr(disk_space, "has_space", lambda: False)
    assert callable(step)
    with pytest.raises(DiskNearlyFull):
        step([call(owner)])
    assert not Capture.objects.exists()


# -- each step again, wherever the recorder was killed --------------------------------------------


@pytest.mark.parametrize("killed_after", range(5))
def test_a_recorder_killed_at_any_step_loses_nothing(owner: Person, killed_after: int) -> None:
    one = call(owner)
    leases: list[RecordingLease] = []
    steps = [
        lambda: leases.append(begun(one)),
        lambda: append([segment(leases[-1], 0, FIRST)]),
        lambda: append([segment(leases[-1], 1, SECOND)]),
        lambda: append([segment(leases[-1], 2, THIRD)]),
        lambda: finish([one]),
    ]
    for number, step in enumerate(steps):
        step()
        if number == killed_after:
            step()
    # And its successor finds the call in the spool.
    finish([replace(one)])
    assert stored(one) == WHOLE_CALL
    assert Capture.objects.count() == 1 and not EvidenceSegment.objects.exists()
