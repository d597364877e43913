"""Votes follow their captures: attached when they come, deleted with them."""

from datetime import timedelta
from typing import Any
from uuid import UUID

import pytest
import time_machine
from django.db import connection
from django.db.models.functions import Now
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from inspector.archive.deletion import delete
from inspector.archive.inspection.tasks import inspect_due
from inspector.archive.models import Capture, State
from inspector.feedback import issue_tokens, subscriber, triage
from inspector.feedback.models import (
    DAY_SECONDS,
    HOUR_SECONDS,
    LIVE,
    Revocation,
    TokenPlace,
    Triage,
    TriageState,
    Vote,
)
from tests.archive.samples import accept, inspect_all
from tests.feedback.voting import (
    SEED_TOKEN,
    assert_sums_are_of_live_votes,
    body_of,
    carrying,
    sums,
    token_for,
    voted,
)
from tests.people import Person

pytestmark = pytest.mark.both_stacks


def inspect_again(capture_id: UUID) -> None:
    Capture.objects.filter(pk=capture_id).update(state=State.RECEIVED, attempt=0, due_at=Now())
    assert inspect_due() == 1


def test_the_same_reading_again_changes_nothing(owner: Person) -> None:
    capture_id = carrying(owner, SEED_TOKEN, None)
    voted(owner, SEED_TOKEN)
    voted(owner, token_for(owner, capture_id, 1), "negative")
    before = sums(), list(TokenPlace.objects.values_list("sha256", "capture", "choice"))
    inspect_again(capture_id)
    after = sums(), list(TokenPlace.objects.values_list("sha256", "capture", "choice"))
    assert after == before
    assert_sums_are_of_live_votes()


def test_deleting_a_capture_deletes_what_was_said_of_it_and_says_how_much(owner: Person) -> None:
    capture_id, other = carrying(owner, SEED_TOKEN, None), carrying(owner, None)
    voted(owner, SEED_TOKEN, "positive")
    last = voted(owner, SEED_TOKEN, "negative", comment="CANARY")
    voted(owner, token_for(owner, capture_id, 1))
    voted(owner, token_for(owner, other))
    assert triage.triage_vote(owner.principal, last.id, TriageState.RESOLVED, "CANARY")
    assert issue_tokens.revoke_tokens(owner.principal, capture_id, 1)
    receipt = delete(owner.service, capture_id)
    assert receipt is not None and receipt.feedback_votes == 3
    assert [v.capture_id for v in Vote.objects.all()] == [other]
    assert not Triage.objects.exists()
    assert not TokenPlace.objects.exists() and not Revocation.objects.exists()
    assert sums() == {"positive": 1}
    assert_sums_are_of_live_votes()


def test_captures_that_are_deleted_together_leave_the_sums_of_the_others(owner: Person) -> None:
    first, second, other = (carrying(owner, None) for _ in range(3))
    for capture_id in (first, second, other):
        voted(owner, token_for(owner, capture_id))
        voted(owner, token_for(owner, capture_id), "negative")
    gone = list(Capture.objects.filter(pk__in=[first, second]))
    assert subscriber.deleted(gone).feedback_votes == 4
    assert sums() == {"positive": 1, "negative": 1}
    assert_sums_are_of_live_votes()


def test_what_people_wrote_is_not_read_to_count_or_delete_it(owner: Person) -> None:
    capture_id = carrying(owner, SEED_TOKEN)
    voted(owner, SEED_TOKEN, comment="CANARY")
    with CaptureQueriesContext(connection) as sent:
        inspect_again(capture_id)
        assert delete(owner.service, capture_id)
    told = [str(each["sql"]) for each in sent]
    selected = [sql for sql in told if 'FROM "feedback_vote"' in sql]
    assert selected and not [sql for sql in selected if '"comment"' in sql]


def test_a_capture_without_votes_says_none(owner: Person) -> None:
    receipt = delete(owner.service, carrying(owner, None))
    assert receipt is not None and receipt.feedback_votes == 0
    unread = delete(owner.service, accept(owner))
    assert unread is not None and unread.feedback_votes == 0


@pytest.mark.parametrize("token", [None, "", 7, ["x"], {"a": 1}, True, "x" * 4_097])
def test_what_is_no_token_has_no_place(owner: Person, token: Any) -> None:
    carrying(owner, token)
    assert not TokenPlace.objects.exists()


def test_hostile_tokens_stop_no_inspection(owner: Person) -> None:
    """Equal ones, one of half a surrogate pair, and one with a NUL among them."""
    body = (
        body_of("same", "same", "x", "y")
        .replace(b'"x"', b'"\\ud800"')
        .replace(b'"y"', b'"\\u0000"')
    )
    capture_id = accept(owner, body)
    inspect_all()
    assert Capture.objects.get(pk=capture_id).state == State.INSPECTED
    assert TokenPlace.objects.filter(capture=capture_id).count() == 4
    # The first choice is meant.
    voted(owner, "same")
    assert Vote.objects.get().choice == 0


def test_a_choice_that_is_numbered_beyond_every_column_has_no_place(owner: Person) -> None:
    body = body_of("a", "b").replace(b'"index": 1', b'"index": 1' + b"0" * 30)
    capture_id = accept(owner, body)
    inspect_all()
    assert [p.choice for p in TokenPlace.objects.filter(capture=capture_id)] == [0]


def test_a_vote_counts_in_the_hour_and_the_day_it_was_cast(owner: Person) -> None:
    capture_id = carrying(owner, None)
    token = token_for(owner, capture_id)
    now = timezone.now()
    next_day = now.replace(hour=0, minute=0, second=0, microsecond=0) + timedelta(days=1)
    with time_machine.travel(next_day.replace(hour=10, minute=59, second=59), tick=False):
        voted(owner, token)
    with time_machine.travel(next_day + timedelta(days=1), tick=False):
        voted(owner, token, "negative")
        voted(owner, token, "positive", user_id="u")
    assert sums(HOUR_SECONDS) == sums(DAY_SECONDS)
    assert_sums_are_of_live_votes()
    assert Vote.objects.filter(LIVE).count() == 2


def test_a_projection_that_is_told_twice_counts_once(owner: Person) -> None:
    capture_id = carrying(owner, SEED_TOKEN)
    voted(owner, SEED_TOKEN)
    capture = Capture.objects.get(pk=capture_id)
    assert subscriber.deleted([capture]).feedback_votes == 1
    assert subscriber.deleted([capture]).feedback_votes == 0
    assert sums() == {}
