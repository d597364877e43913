import time
from collections.abc import Callable
from datetime import timedelta
from uuid import UUID, uuid4

import pytest
from django.conf import LazySettings
from django.db import connection
from django.db.models.functions import Now
from django.utils import timezone

from inspector.archive import deletion
from inspector.archive.inspection import claims, slow_readings, tasks
from inspector.archive.intake import submission
from inspector.archive.models import Capture, SlowReading, State
from inspector.core.wire.exchange import Exchange
from tests.archive.samples import WHOLE, accept
from tests.people import Person

pytestmark = pytest.mark.both_stacks


def end_lease(capture: Capture) -> None:
    Capture.objects.filter(pk=capture.pk).update(due_at=Now() - timedelta(seconds=1))


def make_due(capture_id: UUID) -> None:
    Capture.objects.filter(pk=capture_id).update(due_at=Now() - timedelta(seconds=1))


def waits_seconds(capture_id: UUID) -> float:
    return (Capture.objects.get(pk=capture_id).due_at - timezone.now()).total_seconds()


def test_a_claim_counts_the_attempt_before_any_work(owner: Person) -> None:
    capture_id = accept(owner)
    (claimed,) = claims.claim()
    row = Capture.objects.get(pk=capture_id)
    assert (row.state, row.attempt) == (State.PROCESSING, 1)
    assert row.lease_token == claimed.lease_token is not None
    assert 30 < waits_seconds(capture_id) < 61


@pytest.mark.thorough
def test_what_is_due_now_is_due_at_every_moment_of_a_second(owner: Person) -> None:
    capture_id = accept(owner)
    end = time.monotonic() + 1.1
    while time.monotonic() < end:
        Capture.objects.filter(pk=capture_id).update(due_at=Now())
        assert claims.any_due()


def test_what_is_claimed_is_not_claimed_again(owner: Person) -> None:
    accept(owner)
    assert len(claims.claim()) == 1
    assert claims.claim() == []


def test_what_was_deleted_is_not_claimed(owner: Person, monkeypatch: pytest.MonkeyPatch) -> None:
    deleted, other = accept(owner), accept(owner)
    lease = claims._lease

    def leased_and_deleted(chosen: list[Capture], token: UUID) -> None:
        lease(chosen, token)
        deletion.delete(owner.principal, deleted)

    monkeypatch.setattr(claims, "_lease", leased_and_deleted)
    assert [capture.pk for capture in claims.claim()] == [other]


def test_a_claim_takes_so_many_rows_and_no_more(owner: Person, settings: LazySettings) -> None:
    settings.CLAIM_ROWS = 3
    for _ in range(5):
        accept(owner)
    assert [len(claims.claim()) for _ in range(3)] == [3, 2, 0]


def test_a_claim_has_a_limit_of_bytes_and_one_row(owner: Person, settings: LazySettings) -> None:
    settings.CLAIM_BYTES = 100
    for size in (60, 40, 1, 500, 30):
        accept(owner, b"x" * size)
    sizes = [[capture.byte_length for capture in claims.claim()] for _ in range(5)]
    assert sizes == [[60, 40], [1], [500], [30], []]


def claim_again() -> list[Capture]:
    """Claim what was begun before and not finished."""
    assert claims.claim() == []
    return claims.claim_slow()


def test_a_row_that_failed_before_is_claimed_alone_and_as_a_slow_one(owner: Person) -> None:
    first, second, third = (accept(owner) for _ in range(3))
    Capture.objects.filter(pk=second).update(attempt=1)
    assert {c.pk for c in claims.claim()} == {first, third}
    assert [c.pk for c in claims.claim_slow()] == [second]
    assert claims.claim() == claims.claim_slow() == []


def test_rows_that_failed_hide_none_that_did_not(owner: Person, settings: LazySettings) -> None:
    settings.CLAIM_ROWS = 2
    ids = [accept(owner) for _ in range(4)]
    Capture.objects.filter(pk__in=ids[:3]).update(attempt=1)
    assert [c.pk for c in claims.claim()] == [ids[3]]


def test_a_lease_that_ended_is_somebody_elses(owner: Person) -> None:
    capture_id = accept(owner)
    (late,) = claims.claim()
    end_lease(late)
    (next_one,) = claim_again()
    assert (next_one.pk, next_one.attempt) == (capture_id, 2)
    assert not claims.finish([late])
    assert claims.finish([next_one]) == {capture_id}
    assert not claims.finish([next_one])
    assert Capture.objects.get(pk=capture_id).state == State.INSPECTED


def test_a_late_failure_takes_nothing_back(owner: Person) -> None:
    capture_id = accept(owner)
    (late,) = claims.claim()
    end_lease(late)
    (next_one,) = claim_again()
    claims.fail_attempt(late, "too late")
    assert Capture.objects.get(pk=capture_id).lease_token == next_one.lease_token


def test_failures_wait_longer_and_the_third_is_the_last(owner: Person) -> None:
    capture_id = accept(owner)
    waits, claim = [], claims.claim
    for _ in range(2):
        (claimed,) = claim()
        claims.fail_attempt(claimed, "ValueError: no")
        waits.append(waits_seconds(capture_id))
        assert claim_again() == []
        make_due(capture_id)
        claim = claim_again
    # A machine that stands still in between makes the rest of a wait shorter.
    assert [waits[0] < 6, 6 < waits[1] < 31] == [True, True]
    (claimed,) = claim()
    claims.fail_attempt(claimed, "ValueError: \0 still no")
    row = Capture.objects.get(pk=capture_id)
    assert (row.state, row.attempt) == (State.QUARANTINED, 3)
    assert row.quarantine_reason == "ValueError: \\u0000 still no"
    make_due(capture_id)
    assert claim_again() == []


def test_a_payload_that_ends_three_processes_is_put_aside_alone(owner: Person) -> None:
    poison, claim = accept(owner), claims.claim
    for _ in range(3):
        (claimed,) = claim()
        end_lease(claimed)
        claim = claim_again
    healthy = accept(owner)
    assert [capture.pk for capture in claims.claim()] == [healthy]
    assert claims.claim_slow() == []
    row = Capture.objects.get(pk=poison)
    assert row.state == State.QUARANTINED
    assert row.quarantine_reason is not None and "3 attempts" in row.quarantine_reason


def test_what_was_claimed_and_not_begun_costs_no_attempt(owner: Person) -> None:
    capture_id = accept(owner)
    claims.give_back_untouched(claims.claim())
    row = Capture.objects.get(pk=capture_id)
    assert (row.state, row.attempt, row.lease_token) == (State.RECEIVED, 0, None)
    assert len(claims.claim()) == 1


def test_the_sweep_leaves_what_is_young_to_the_workers(owner: Person) -> None:
    capture_id = accept(owner)
    assert claims.claim(timedelta(seconds=5)) == []
    Capture.objects.filter(pk=capture_id).update(due_at=Now() - timedelta(seconds=6))
    assert len(claims.claim(timedelta(seconds=5))) == 1


@pytest.mark.parametrize("state", [s for s in State if s not in (State.RECEIVED, State.PROCESSING)])
def test_only_what_waits_is_claimed(owner: Person, state: State) -> None:
    Capture.objects.filter(pk=accept(owner)).update(state=state)
    assert claims.claim() == []


def test_a_token_that_is_not_the_rows_finishes_nothing(owner: Person) -> None:
    accept(owner)
    (claimed,) = claims.claim()
    claimed.lease_token = uuid4()
    assert not claims.finish([claimed])
    claimed.lease_token = None
    assert not claims.finish([claimed])


def test_looking_at_nothing_takes_no_lock(owner: Person, django_assert_num_queries: object) -> None:
    with django_assert_num_queries(1) as queries:  # type: ignore[operator]
        tasks.inspect_due()
    assert queries.captured_queries[0]["sql"].startswith("SELECT")


def test_while_something_slow_is_read_another_one_waits_without_a_lock(
    owner: Person,
) -> None:
    for capture_id in (accept(owner), accept(owner)):
        note_slow(capture_id, 600)
    assert claims.claim_slow()
    sent = []

    def execute(run: Callable[..., object], sql: str, *rest: object) -> object:
        sent.append(sql[:6])
        return run(sql, *rest)

    with connection.execute_wrapper(execute):
        assert claims.claim_slow() == []
    assert sent == ["SELECT", "SELECT"]


def test_what_is_long_is_read_apart_at_once_and_sooner_after_something_slow_of_its_team(
    owner: Person, stranger: Person, settings: LazySettings
) -> None:
    settings.QUICK_BYTES, settings.QUICKEST_BYTES = 1_000, 100
    note_slow(accept(owner), 600)
    for person in (owner, stranger):
        for size in (50, 500, 5_000):
            accept(person, b"x" * size)
    lengths = [(each.team_id, each.byte_length) for each in claims.claim()]
    assert sorted(lengths) == sorted(
        [(owner.team.pk, 50), (stranger.team.pk, 50), (stranger.team.pk, 500)]
    )
    assert not claims.any_due()


def teams_of(claimed: list[Capture]) -> list[str]:
    return [Capture.objects.select_related("team").get(pk=c.pk).team.slug for c in claimed]


@pytest.mark.both_stacks
def test_claims_take_teams_in_turn(owner: Person, stranger: Person, settings: LazySettings) -> None:
    settings.CLAIM_ROWS = 6
    for _ in range(20):
        accept(owner)
    for _ in range(2):
        accept(stranger)
    teams = teams_of(claims.claim())
    assert (sorted(teams[:2]), sorted(teams[2:4])) == (["default", "elsewhere"],) * 2
    assert teams.count("elsewhere") == 2


def note_slow(capture_id: UUID, ms: int) -> None:
    slow_readings.note_slow_reading(Capture.objects.get(pk=capture_id), ms)


@pytest.mark.both_stacks
def test_what_is_slow_is_claimed_apart_one_at_a_time(owner: Person, stranger: Person) -> None:
    slow_one, another_slow_one, quick = accept(owner), accept(owner), accept(stranger)
    for capture_id in (slow_one, another_slow_one):
        note_slow(capture_id, 600)
    assert [c.pk for c in claims.claim()] == [quick]
    assert not claims.any_due()
    (first,) = claims.claim_slow()
    assert claims.claim_slow() == []
    claims.finish([first])
    (second,) = claims.claim_slow()
    assert {first.pk, second.pk} == {slow_one, another_slow_one}


@pytest.mark.both_stacks
def test_of_slow_ones_the_sender_that_took_least_is_first(owner: Person, stranger: Person) -> None:
    first, second, others = accept(owner), accept(owner), accept(stranger)
    for capture_id, ms in ((first, 600), (second, 600), (others, 900)):
        note_slow(capture_id, ms)
    order = []
    for _ in range(3):
        (claimed,) = claims.claim_slow()
        claims.finish([claimed])
        order.append(claimed.pk)
    assert order == [others, first, second]


@pytest.mark.both_stacks
def test_who_sent_slow_ones_comes_behind_for_a_minute(owner: Person, stranger: Person) -> None:
    slow = accept(owner)
    note_slow(slow, 600)
    ids = {accept(owner) for _ in range(3)}
    others = {accept(stranger) for _ in range(3)}
    claimed = claims.claim()
    assert [{c.pk for c in claimed[:3]}, {c.pk for c in claimed[3:]}] == [others, ids]
    SlowReading.objects.update(at=Now() - timedelta(seconds=61))
    assert slow_readings.spent() == {}


def test_what_people_paste_takes_its_turn_beside_their_keys(owner: Person) -> None:
    by_key = accept(owner)
    pasted = submission.accept(owner.principal, submission.Submission(Exchange.of_body(WHOLE))).id
    assert {capture.pk for capture in claims.claim()} == {by_key, pasted}


def test_slow_readings_are_forgotten_once_they_count_no_more(owner: Person) -> None:
    done, waiting = accept(owner), accept(owner)
    Capture.objects.filter(pk=done).update(state=State.INSPECTED)
    for capture_id in (done, waiting):
        slow_readings.note_slow_reading(Capture.objects.get(pk=capture_id), 600)
    SlowReading.objects.update(at=Now() - timedelta(seconds=61))
    slow_readings.forget_old()
    assert [each.pk for each in SlowReading.objects.all()] == [waiting]
