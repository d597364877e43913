import hashlib
from concurrent.futures import ThreadPoolExecutor

import pytest
import zstandard
from django.db import connection

from inspector.archive import intake
from inspector.archive.intake import Accepted, Arrival, KeyReused
from inspector.archive.models import Capture, Evidence, State
from inspector.core.exchange import Exchange, Request
from inspector.teams.access import READ, for_key
from inspector.teams.keys import create_api_key
from tests.archive.samples import WHOLE, accept, accept_arrival
from tests.people import Person


def keyed(key: str, body: bytes) -> Arrival:
    sha256 = hashlib.sha256(body).hexdigest()
    return Arrival(Exchange.of_body(body), idempotency_key=key, posted_sha256=sha256)


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


def test_row_and_evidence_are_stored_together_or_not_at_all(
    owner: Person, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fails(*args: object, **kwargs: object) -> None:
        raise RuntimeError("the disk is full")

    monkeypatch.setattr(Evidence, "save", fails)
    with pytest.raises(RuntimeError):
        accept(owner)
    assert not Capture.objects.exists()


def test_the_bell_rings_after_the_commit_and_not_before(
    owner: Person, django_capture_on_commit_callbacks: object
) -> None:
    with django_capture_on_commit_callbacks() as callbacks:  # type: ignore[operator]
        accept(owner)
    assert callbacks == [intake.doorbell.ring]


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
    assert intake.accept(owner.service, keyed("k", b"other")) == KeyReused(first.id)
    assert Capture.objects.count() == 1


def test_one_key_in_two_teams_is_two_captures(owner: Person, stranger: Person) -> None:
    first = accept_arrival(owner, keyed("k", WHOLE))
    other = accept_arrival(stranger, keyed("k", WHOLE))
    assert not other.duplicate
    assert other.id != first.id


@pytest.mark.django_db(transaction=True)
def test_of_a_hundred_resends_at_once_one_is_stored(
    owner: Person, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(intake.doorbell, "ring", lambda: None)

    def send(_: int) -> Accepted | KeyReused:
        try:
            return intake.accept(owner.service, keyed("k", WHOLE))
        finally:
            connection.close()

    with ThreadPoolExecutor(8) as pool:
        results = list(pool.map(send, range(100)))
    assert Capture.objects.count() == 1
    assert len({result.id for result in results}) == 1
    assert [r.duplicate for r in results if isinstance(r, Accepted)].count(False) == 1


def test_two_who_looked_before_either_stored_are_one_capture(
    owner: Person, monkeypatch: pytest.MonkeyPatch
) -> None:
    first = accept_arrival(owner, keyed("k", WHOLE))
    look, seen = intake._earlier, []

    def blind_at_first(team_id: int, arrival: Arrival) -> Accepted | KeyReused | None:
        seen.append(arrival)
        return None if len(seen) == 1 else look(team_id, arrival)

    monkeypatch.setattr(intake, "_earlier", blind_at_first)
    again = accept_arrival(owner, keyed("k", WHOLE))
    assert (again.id, again.duplicate) == (first.id, True)


def test_odd_texts_become_visible_in_columns(owner: Person) -> None:
    arrival = Arrival(
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
        headers=(("Authorization", "Bearer CANARY"), ("X-Team", "blue")),
    )
    exchange = Exchange(
        reads=Exchange.of_body(WHOLE).reads, request=request, headers=(("Set-Cookie", "CANARY"),)
    )
    id = accept_arrival(owner, Arrival(exchange)).id
    surroundings = zstandard.decompress(Evidence.objects.get(pk=id).surroundings)
    assert b"CANARY" not in surroundings
    assert b"blue" in surroundings
    assert Capture.objects.get(pk=id).request_url == "https://h/v1?key=[removed]"


def test_whoever_may_not_send_cannot(owner: Person) -> None:
    reader = for_key(create_api_key(owner.team, "reader", [READ]))
    assert reader is not None
    with pytest.raises(ValueError):
        intake.accept(reader, Arrival(Exchange.of_body(WHOLE)))
