import hashlib
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest
import zstandard
from django.db import IntegrityError, connection, transaction

from inspector.archive.intake import capture_insert, submission
from inspector.archive.intake.submission import Accepted, IdempotencyKeyReused, Submission
from inspector.archive.models import Capture, Evidence, State, TagRow
from inspector.archive.storage import disk_space
from inspector.archive.storage.disk_space import DiskNearlyFull
from inspector.core.wire.exchange import Exchange, Request
from inspector.teams.access import READ, for_key
from inspector.teams.keys import create_api_key
from tests.archive.disks import disk
from tests.archive.samples import WHOLE, accept, accept_arrival
from tests.people import Person

pytestmark = pytest.mark.both_stacks


def keyed(key: str, body: bytes) -> Submission:
    sha256 = hashlib.sha256(body).hexdigest()
    return Submission(Exchange.of_body(body), idempotency_key=key, posted_sha256=sha256)


def test_the_bytes_are_kept_as_they_came(owner: Person) -> None:
    body = b"\xff\0 not even text \r\n"
    capture = Capture.objects.get(pk=accept(owner, body, "text/plain"))
    evidence = Evidence.objects.get(pk=capture.pk)
    assert zstandard.decompress(evidence.body) == body
    assert capture.sha256 == hashlib.sha256(body).hexdigest()
    assert (capture.byte_length, capture.content_type) == (19, "text/plain")


def test_a_capture_belongs_to_the_team_of_the_key_and_is_received(owner: Person) -> None:
    capture = Capture.objects.get(pk=accept(owner))
    assert capture.team == owner.team
    assert capture.key_id == owner.service.key_id
    assert (capture.state, capture.attempt) == (State.RECEIVED, 0)


def test_row_and_evidence_are_stored_together_or_not_at_all(owner: Person) -> None:
    exchange = Exchange(reads=Exchange.of_body(WHOLE).reads, status_code=-200)
    with pytest.raises(IntegrityError), transaction.atomic():
        submission.accept(owner.service, Submission(exchange))
    assert not Capture.objects.exists()
    assert not Evidence.objects.exists()


def test_the_bell_rings_after_the_commit_and_not_before(
    owner: Person, django_capture_on_commit_callbacks: Any
) -> None:
    with django_capture_on_commit_callbacks() as callbacks:
        accept(owner)
    assert callbacks == [submission.doorbell.ring]


def test_equal_bytes_are_two_captures_where_no_key_says_otherwise(owner: Person) -> None:
    assert accept(owner) != accept(owner)


def test_a_resend_with_its_key_is_the_same_capture(owner: Person) -> None:
    first = accept_arrival(owner, keyed("k", WHOLE))
    again = accept_arrival(owner, keyed("k", WHOLE))
    assert (first.duplicate, again.duplicate) == (False, True)
    assert again.id == first.id
    assert Capture.objects.count() == 1


def test_a_key_with_another_body_is_refused(owner: Person) -> None:
    first = accept_arrival(owner, keyed("k", WHOLE))
    assert submission.accept(owner.service, keyed("k", b"other")) == IdempotencyKeyReused(first.id)
    assert Capture.objects.count() == 1


@pytest.mark.parametrize("body", [WHOLE, b"other"])
def test_what_is_told_of_an_earlier_capture_is_on_the_disk_first(
    owner: Person, monkeypatch: pytest.MonkeyPatch, body: bytes
) -> None:
    accept_arrival(owner, keyed("k", WHOLE))
    flushed: list[bool] = []
    monkeypatch.setattr(capture_insert, "flush_wal", lambda: flushed.append(True))
    submission.accept(owner.service, keyed("k", body))
    assert flushed == [True]


def test_one_key_in_two_teams_is_two_captures(owner: Person, stranger: Person) -> None:
    first = accept_arrival(owner, keyed("k", WHOLE))
    other = accept_arrival(stranger, keyed("k", WHOLE))
    assert not other.duplicate
    assert other.id != first.id


@pytest.mark.django_db(transaction=True)
def test_of_a_hundred_resends_one_is_stored(owner: Person, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(submission.doorbell, "ring", lambda: None)

    def send(_: int) -> Accepted | IdempotencyKeyReused:
        try:
            return submission.accept(owner.service, keyed("k", WHOLE))
        finally:
            connection.close()

    with ThreadPoolExecutor(8) as pool:
        results = list(pool.map(send, range(100)))
    assert Capture.objects.count() == 1
    assert len({result.id for result in results}) == 1
    assert [r.duplicate for r in results if isinstance(r, Accepted)].count(False) == 1


def test_two_who_looked_are_one_capture(owner: Person, monkeypatch: pytest.MonkeyPatch) -> None:
    first = accept_arrival(owner, keyed("k", WHOLE))
    look, seen = submission._captures_by_key, []

    def blind_at_first(team_id: int, arrivals: Sequence[Submission]) -> dict[str | None, Capture]:
        seen.append(arrivals)
        return {} if len(seen) == 1 else look(team_id, arrivals)

    monkeypatch.setattr(submission, "_captures_by_key", blind_at_first)
    again = accept_arrival(owner, keyed("k", WHOLE))
    assert (again.id, again.duplicate) == (first.id, True)


def test_many_are_one_commit(owner: Person, django_capture_on_commit_callbacks: Any) -> None:
    bodies = [b"1", b"2", b"3"]
    arrivals = [Submission(Exchange.of_body(body), tags=("t",)) for body in bodies]
    with django_capture_on_commit_callbacks() as callbacks:
        results = submission.accept_batch(owner.service, arrivals)
    assert callbacks == [submission.doorbell.ring]
    for body, result in zip(bodies, results, strict=True):
        assert isinstance(result, Accepted) and not result.duplicate
        assert zstandard.decompress(Evidence.objects.get(pk=result.id).body) == body
    assert len(set(Capture.objects.values_list("received_at"))) == 1
    assert [c.id for c in Capture.objects.order_by("id")] == [r.id for r in results]
    assert TagRow.objects.count() == 3


def test_a_key_that_stands_twice_among_many_is_one_capture(owner: Person) -> None:
    first, again, other = submission.accept_batch(
        owner.service, [keyed("k", WHOLE), keyed("k", WHOLE), keyed("k", b"other")]
    )
    assert isinstance(first, Accepted) and not first.duplicate
    assert again == Accepted(first.id, first.state, duplicate=True)
    assert other == IdempotencyKeyReused(first.id)
    assert Capture.objects.count() == 1


def test_of_many_all_are_stored_or_none(owner: Person, monkeypatch: pytest.MonkeyPatch) -> None:
    first = accept_arrival(owner, keyed("k", WHOLE))
    monkeypatch.setattr(submission, "_captures_by_key", lambda *asked: {})
    with pytest.raises(IntegrityError), transaction.atomic():
        submission.accept_batch(owner.service, [keyed("new", WHOLE), keyed("k", WHOLE)])
    assert Capture.objects.get().id == first.id


@pytest.mark.embedded
def test_a_nearly_full_disk_refuses_before_anything_is_written(
    owner: Person, monkeypatch: pytest.MonkeyPatch, django_assert_num_queries: Any
) -> None:
    monkeypatch.setattr(
        disk_space.os, "statvfs", lambda path: disk(total=100 << 30, left=(1 << 30) - 1)
    )
    service = owner.service
    with pytest.raises(DiskNearlyFull), django_assert_num_queries(0):
        submission.accept(service, Submission(Exchange.of_body(WHOLE)))


def test_odd_texts_become_visible_in_columns(owner: Person) -> None:
    arrival = Submission(
        Exchange.of_body(WHOLE, "text/\0plain"),
        tags=("a\0b",),
        note="\ud800",
        metadata={"k\0": ["\udfff"]},
    )
    capture = Capture.objects.get(pk=accept_arrival(owner, arrival).id)
    assert capture.content_type == "text/\\u0000plain"
    assert capture.tags == ["a\\u0000b"]
    assert capture.note == "\\ud800"
    assert capture.metadata == {"k\\u0000": ["\\udfff"]}


def test_credentials_of_the_request_are_stored_nowhere(owner: Person) -> None:
    request = Request(
        method="POST",
        url="https://h/v1?key=CANARY",
        headers=(("Authorization", "Bearer CANARY"), ("Accept", "text/blue")),
    )
    exchange = Exchange(
        reads=Exchange.of_body(WHOLE).reads, request=request, headers=(("Set-Cookie", "CANARY"),)
    )
    capture_id = accept_arrival(owner, Submission(exchange)).id
    surroundings = zstandard.decompress(Evidence.objects.get(pk=capture_id).surroundings)
    assert b"CANARY" not in surroundings
    assert b"blue" in surroundings
    assert Capture.objects.get(pk=capture_id).request_url == "https://h/v1?key=[removed]"


def test_whoever_may_not_send_cannot(owner: Person) -> None:
    reader = for_key(create_api_key(owner.team, "reader", [READ]))
    assert reader is not None
    with pytest.raises(ValueError):
        submission.accept(reader, Submission(Exchange.of_body(WHOLE)))
