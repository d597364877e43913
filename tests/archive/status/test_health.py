"""How the work on a team's captures stands, and a way out of quarantine."""

from datetime import timedelta
from uuid import uuid4

import pytest
from django.utils import timezone

from inspector.archive.annotation import requeue_quarantined
from inspector.archive.inspection import claims, doorbell
from inspector.archive.models import Capture, Inspection, State
from inspector.archive.status.health import team_health
from inspector.teams.models import Role
from tests.archive.older import grow_old, read_everything_again
from tests.archive.samples import accept, inspect_all, inspected
from tests.people import Person, make_person

pytestmark = pytest.mark.both_stacks


def test_an_empty_archive_waits_for_nothing(owner: Person) -> None:
    found = team_health(owner.principal)
    assert (found.state_counts.accepted, found.waiting.pending, found.waiting.oldest_at) == (
        0,
        0,
        None,
    )
    assert (found.lag, found.quarantined) == (None, ())


def test_what_waits_is_told_by_how_it_waits(owner: Person) -> None:
    taken, fresh, failed = accept(owner), accept(owner), accept(owner)
    now = timezone.now()
    Capture.objects.filter(id=taken).update(
        state=State.PROCESSING, attempt=1, due_at=now + timedelta(minutes=1)
    )
    Capture.objects.filter(id=failed).update(attempt=1, due_at=now + timedelta(minutes=1))
    Capture.objects.filter(id=fresh).update(due_at=now - timedelta(hours=1))
    waiting = team_health(owner.principal).waiting
    assert (waiting.pending, waiting.at_work, waiting.again, waiting.overdue) == (3, 1, 1, 1)
    assert waiting.oldest_at == Capture.objects.get(id=taken).received_at


def test_a_lease_that_ended_long_ago_is_overdue(owner: Person) -> None:
    accept(owner)
    Capture.objects.update(state=State.PROCESSING, due_at=timezone.now() - timedelta(hours=1))
    waiting = team_health(owner.principal).waiting
    assert (waiting.at_work, waiting.overdue) == (0, 1)


def test_the_lag_is_that_of_the_latest_inspections(owner: Person) -> None:
    now = timezone.now()
    for seconds in (1, 2, 9):
        capture_id = inspected(owner)
        Capture.objects.filter(id=capture_id).update(
            received_at=now, called_at=now, finished_at=now
        )
        Inspection.objects.filter(capture=capture_id).update(
            inspected_at=now + timedelta(seconds=seconds)
        )
    lag = team_health(owner.principal).lag
    assert lag is not None
    assert (lag.captures, lag.median, lag.longest) == (
        3,
        timedelta(seconds=2),
        timedelta(seconds=9),
    )
    assert lag.last_at == now + timedelta(seconds=9)


def test_clocks_that_differ_make_no_time_run_backwards(owner: Person) -> None:
    capture_id = inspected(owner)
    past = timezone.now() - timedelta(minutes=1)
    Inspection.objects.filter(capture=capture_id).update(inspected_at=past)
    lag = team_health(owner.principal).lag
    assert lag is not None and lag.median == timedelta(0)


def test_another_teams_captures_are_not_counted(owner: Person, stranger: Person) -> None:
    inspected(owner)
    accept(owner)
    found = team_health(stranger.principal)
    assert (found.state_counts.accepted, found.waiting.pending, found.lag) == (0, 0, None)


@pytest.fixture
def quarantined(owner: Person) -> Capture:
    capture_id = accept(owner)
    Capture.objects.filter(id=capture_id).update(
        state=State.QUARANTINED, attempt=3, quarantine_reason="It took over 40 s."
    )
    return Capture.objects.get(id=capture_id)


def test_a_retry_is_as_if_nobody_had_tried(
    owner: Person, quarantined: Capture, monkeypatch: pytest.MonkeyPatch,
    django_capture_on_commit_callbacks: object,
) -> None:  # fmt: skip
    rung: list[bool] = []
    monkeypatch.setattr(doorbell.doorbell, "ring", lambda: rung.append(True))
    (row,) = team_health(owner.principal).quarantined
    assert (row.id, row.attempt, row.reason) == (quarantined.pk, 3, "It took over 40 s.")
    with django_capture_on_commit_callbacks(execute=True):  # type: ignore[operator]
        assert requeue_quarantined(owner.principal, quarantined.pk)
    quarantined.refresh_from_db()
    assert (quarantined.state, quarantined.attempt) == (State.RECEIVED, 0)
    assert quarantined.quarantine_reason is None
    assert rung == [True]
    assert [each.pk for each in claims.claim()] == [quarantined.pk]


def test_what_is_not_in_quarantine_is_left_as_it_is(owner: Person) -> None:
    capture_id = inspected(owner)
    assert requeue_quarantined(owner.principal, capture_id)
    assert Capture.objects.get(id=capture_id).state == State.INSPECTED
    inspect_all()
    assert Capture.objects.get(id=capture_id).attempt == 1


def test_who_may_send_may_retry(owner: Person, stranger: Person, quarantined: Capture) -> None:
    viewer = make_person("vera", "default", Role.VIEWER)
    assert not requeue_quarantined(stranger.principal, quarantined.pk)
    assert not requeue_quarantined(viewer.principal, quarantined.pk)
    assert not requeue_quarantined(owner.principal, uuid4())
    quarantined.refresh_from_db()
    assert quarantined.state == State.QUARANTINED


def test_what_was_deleted_is_not_there_any_more(owner: Person, quarantined: Capture) -> None:
    Capture.objects.update(state=State.GONE)
    assert not requeue_quarantined(owner.principal, quarantined.pk)


def test_reading_again_is_no_lag(owner: Person) -> None:
    capture_id = inspected(owner)
    past = timezone.now() - timedelta(days=30)
    Capture.objects.filter(id=capture_id).update(received_at=past, called_at=past, finished_at=past)
    Inspection.objects.filter(pk=capture_id).update(inspected_at=past + timedelta(seconds=1))
    grow_old(capture_id)
    read_everything_again()
    lag = team_health(owner.principal).lag
    assert lag is not None and lag.longest == timedelta(seconds=1)
