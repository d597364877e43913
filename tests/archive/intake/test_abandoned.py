"""Calls left by a recorder that is gone, and what it had kept where it comes back."""

from datetime import timedelta

import pytest
from django.db.models.functions import Now

from inspector.archive.body_deletion import delete_bodies
from inspector.archive.inspection.claims import claim
from inspector.archive.intake.abandoned import finish_abandoned
from inspector.archive.intake.recording import append, finish, renew
from inspector.archive.models import Capture, Evidence, EvidenceSegment, Inspection, State
from inspector.archive.storage import evidence
from inspector.core.credentials.removal import Removal
from inspector.core.wire.exchange import MeasuredBy, TransportOutcome
from tests.archive.calls import FIRST, SECOND, WHOLE_CALL, begun, call, ending, row, segment
from tests.archive.samples import STREAM, accept, inspect_all
from tests.people import Person

pytestmark = pytest.mark.both_stacks


def leases_end() -> None:
    Capture.objects.filter(state=State.RECORDING).update(due_at=Now() - timedelta(seconds=1))


def give_up() -> None:
    """At the second look nothing is waited for any more."""
    for _ in range(2):
        leases_end()
        finish_abandoned()


def test_a_capture_whose_recorder_is_gone_is_ended_with_its_segments(owner: Person) -> None:
    one = call(owner)
    lease = begun(one)
    removal = Removal(version=1, response_body=1)
    head = {"status_code": 200, "headers": WHOLE_CALL.headers, "removal": removal}
    append([segment(lease, 0, FIRST, **head), segment(lease, 1, SECOND)])
    leases_end()
    assert finish_abandoned() == 0
    leases_end()
    assert finish_abandoned() == 1
    capture = row(one.id)
    exchange = evidence.unpack(capture, capture.evidence)
    assert exchange.reads == (FIRST, SECOND)
    assert exchange.outcome is TransportOutcome.RECORDER_STOPPED
    assert (exchange.request, exchange.headers) == (WHOLE_CALL.request, WHOLE_CALL.headers)
    assert exchange.measured_by is MeasuredBy.PROXY
    assert evidence.marks_in(capture.evidence.surroundings).removal == removal
    assert (capture.state, capture.attempt) == (State.RECEIVED, 0)
    assert capture.finished_at is not None
    assert not EvidenceSegment.objects.exists()
    assert [each.pk for each in claim()] == [one.id]


def test_a_recorder_that_finds_the_database_again_goes_on(owner: Person) -> None:
    one = call(owner)
    lease = begun(one)
    leases_end()
    assert finish_abandoned() == 0
    assert renew([lease]) == {one.id}
    leases_end()
    assert finish_abandoned() == 0, "it is waited for as long as the first time"
    assert append([segment(lease, 0, FIRST)]) == {one.id}


def test_what_is_still_recorded_or_was_posted_is_left_alone(owner: Person) -> None:
    one = call(owner)
    begun(one)
    accept(owner)
    assert finish_abandoned() == 0
    assert row(one.id).attempt == 0


def test_a_segment_that_cannot_be_read_does_not_keep_the_sweep_from_others(owner: Person) -> None:
    broken, other = call(owner), call(owner)
    append([segment(begun(broken), 0, FIRST)])
    begun(other)
    EvidenceSegment.objects.update(body=b"no zstd")
    give_up()
    assert row(broken.id).state == State.RECORDING
    assert row(other.id).state == State.RECEIVED


def test_a_recorder_that_comes_back_adds_what_it_had_kept(owner: Person) -> None:
    one = call(owner)
    lease = begun(one)
    append([segment(lease, 0, FIRST, status_code=200, headers=WHOLE_CALL.headers)])
    give_up()
    inspect_all()
    assert Inspection.objects.get().verdict == "cut-off"
    assert append([segment(lease, 1, SECOND)]) == frozenset()
    assert finish([one]) == {one.id}
    inspect_all()
    capture = row(one.id)
    assert evidence.unpack(capture, capture.evidence) == WHOLE_CALL
    assert (capture.state, capture.byte_length) == (State.INSPECTED, len(STREAM))
    assert Inspection.objects.get().verdict == "complete"


def test_a_recorder_that_comes_back_with_less_changes_nothing(owner: Person) -> None:
    one = call(owner)
    append([segment(begun(one), 0, FIRST)])
    give_up()
    inspect_all()
    stopped = ending(one, reads=(), outcome=TransportOutcome.RECORDER_STOPPED)
    assert finish([stopped]) == {one.id}
    capture = row(one.id)
    assert (capture.state, capture.byte_length) == (State.INSPECTED, len(FIRST.data))


def test_a_recorder_that_comes_back_after_a_rule_brings_no_body_back(owner: Person) -> None:
    one = call(owner)
    append([segment(begun(one), 0, FIRST)])
    give_up()
    inspect_all()
    assert delete_bodies(owner.team.pk, [one.id], "retention rule 1") == 1
    assert finish([one]) == {one.id}
    assert not Evidence.objects.exists()
    assert Capture.objects.get().state == State.INSPECTED
