"""Which failed call a call repeats."""

from dataclasses import replace
from datetime import timedelta
from typing import Any
from uuid import UUID

import msgspec
import pytest
from django.utils import timezone

from inspector.archive.intake.recording import Recording, begin, finish
from inspector.archive.intake.retries import request_digest
from inspector.core.wire.exchange import Request, TransportOutcome
from inspector.teams.access import for_key
from inspector.teams.keys import create_api_key
from tests.archive.calls import ASKED, call, ending, row
from tests.people import Person

pytestmark = pytest.mark.both_stacks

REFUSED: dict[str, Any] = {"status_code": 429, "reads": (), "ended_at_us": 500_000}


def failed(person: Person, after_seconds: float, **how: Any) -> Recording:
    """A call that ended half a second after it began, without success."""
    return ending(call(person, after_seconds=after_seconds), **(how or REFUSED))


def retry_of(recording: Recording) -> UUID | None:
    return row(recording.id).retry_of


@pytest.mark.parametrize(
    "how",
    [
        REFUSED,
        {"outcome": TransportOutcome.CLIENT_CANCELLED},
        {"outcome": TransportOutcome.UPSTREAM_ERROR, "reads": (), "status_code": None},
        {"outcome": TransportOutcome.UPSTREAM_TIMEOUT},
        {"outcome": TransportOutcome.RECORDER_STOPPED},
    ],
)
def test_a_request_once_more_after_a_failure_is_a_retry(owner: Person, how: dict[str, Any]) -> None:
    first, second = failed(owner, 0, **how), call(owner, after_seconds=2)
    finish([first])
    finish([second])
    assert retry_of(second) == first.id
    assert retry_of(first) is None


def test_a_retry_that_takes_long_is_linked_when_it_begins(owner: Person) -> None:
    first, second = failed(owner, 0), call(owner, after_seconds=2)
    finish([first])
    begin([second])
    assert retry_of(second) == first.id


def test_retries_are_linked_also_where_they_are_stored_together(owner: Person) -> None:
    first, second, third = failed(owner, 0), failed(owner, 1), call(owner, after_seconds=3)
    finish([third, first, second])
    assert (retry_of(second), retry_of(third)) == (first.id, second.id)


def test_a_call_after_one_that_succeeded_is_no_retry(owner: Person) -> None:
    first, second = call(owner), call(owner, after_seconds=2)
    finish([first])
    finish([second])
    assert retry_of(second) is None


def test_a_minute_later_it_is_no_retry(owner: Person) -> None:
    first, within, later = (
        failed(owner, 0),
        call(owner, after_seconds=60),
        call(owner, after_seconds=61),
    )
    finish([first])
    finish([within, later])
    assert (retry_of(within), retry_of(later)) == (first.id, None)


@pytest.mark.parametrize("ahead", [timedelta(minutes=-5), timedelta(minutes=5)])
def test_the_proxys_clock_need_not_be_the_databases(owner: Person, ahead: timedelta) -> None:
    began = timezone.now() + ahead
    first = replace(failed(owner, 0), started_at=began)
    second = replace(call(owner), started_at=began + timedelta(seconds=2))
    finish([first])
    finish([second])
    assert retry_of(second) == first.id


def test_a_call_that_ran_beside_it_is_no_retry(owner: Person) -> None:
    first, beside = failed(owner, 0), call(owner, after_seconds=0.4)
    finish([first])
    finish([beside])
    assert retry_of(beside) is None


def test_the_minute_counts_from_the_end_of_the_call_that_failed(owner: Person) -> None:
    first = failed(owner, 0, reads=(), ended_at_us=600_000_000, status_code=504)
    second = call(owner, after_seconds=601)
    finish([first])
    finish([second])
    assert retry_of(second) == first.id


def test_another_request_and_another_keys_are_no_retries(owner: Person, stranger: Person) -> None:
    finish([failed(owner, 0)])
    other = call(owner, after_seconds=1)
    other = ending(other, request=msgspec.structs.replace(ASKED, body=b'{"n":2}'))
    second_key = for_key(create_api_key(owner.team, "second"))
    assert second_key is not None and second_key.key_id is not None
    by_another_key = replace(call(owner, after_seconds=1), key_id=second_key.key_id)
    theirs = call(stranger, after_seconds=1)
    finish([other, by_another_key, theirs])
    assert [retry_of(each) for each in (other, by_another_key, theirs)] == [None] * 3


def digest(**changed: Any) -> str | None:
    return request_digest(msgspec.structs.replace(ASKED, **changed))


def test_equal_requests_to_one_path_have_one_digest() -> None:
    same = "https://upstream.example/v1/chat/completions?key=[removed]"
    assert digest() == digest(url=same) == digest(headers=())
    others = [
        digest(method="PUT"),
        digest(url="https://upstream.example/v1/completions"),
        digest(body=b""),
    ]
    assert len({digest(), *others}) == 4


def test_a_request_of_which_a_part_is_known_has_no_digest() -> None:
    assert digest(total_bytes=5_000_000) is None


@pytest.mark.parametrize("request_", [None, Request(), Request(url="/v1", method="POST")])
def test_a_request_that_is_not_known_has_no_digest(request_: Request | None) -> None:
    assert request_digest(request_) is None


def test_a_call_counts_as_open_until_it_ended_however_long_nothing_came(owner: Person) -> None:
    first = failed(owner, 0, outcome=TransportOutcome.CLIENT_CANCELLED, ended_at_us=90_000_000)
    beside, after = call(owner, after_seconds=80), call(owner, after_seconds=100)
    finish([first])
    finish([beside, after])
    assert (retry_of(beside), retry_of(after)) == (None, first.id)
