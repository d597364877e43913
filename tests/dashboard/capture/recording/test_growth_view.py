"""The address at which the page of a running recording asks for what has come since."""

import gzip
from collections import OrderedDict
from typing import Any
from uuid import UUID

import pytest

from inspector.archive import live_reading
from inspector.archive.intake.recording import append, finish
from inspector.core.reading import Reading
from inspector.core.wire.exchange import Read
from tests.archive.calls import begun, call, segment
from tests.archive.samples import inspected
from tests.core.bodies import ROLE, chunk, delta
from tests.people import Person

pytestmark = [pytest.mark.django_db, pytest.mark.both_stacks]

HELLO = Read(100_000, chunk(ROLE) + chunk(delta(b'"content":"Ship from "')))
MORE = Read(700_000, chunk(delta(b'"content":"Rotterdam."')))


def asked(person: Person, capture_id: UUID, since: str = "") -> Any:
    answer = person.browser().get(f"/captures/{capture_id}/growth/?since={since}")
    assert answer.status_code == 200
    assert answer["Cache-Control"] == "private, no-store"
    return answer.json()


def test_team_is_told_what_has_come_since_it_asked_last(owner: Person, teammate: Person) -> None:
    one = call(owner)
    lease = begun(one)
    append([segment(lease, 0, HELLO)])
    first = asked(teammate, one.id)
    assert (first["state"], first["starts_over"]) == ("growing", True)
    assert first["columns"]["texts"] == [[0, "Ship from "]]
    assert first["columns"]["reads"]["at_us"] == [100_000]
    append([segment(lease, 1, MORE)])
    more = asked(owner, one.id, first["cursor"])
    assert more["starts_over"] is False
    assert more["columns"]["texts"] == [[0, "Rotterdam."]]
    assert more["head"]["model"] == "parcel-1"
    assert more["now_us"] >= 700_000


def test_where_nothing_is_new_nothing_is_read_or_told(
    owner: Person, monkeypatch: pytest.MonkeyPatch
) -> None:
    one = call(owner)
    lease = begun(one)
    empty = asked(owner, one.id)
    assert empty["head"]["byte_length"] == 0
    append([segment(lease, 0, HELLO)])
    cursor = asked(owner, one.id, empty["cursor"])["cursor"]
    monkeypatch.setattr(Reading, "feed", lambda *_: pytest.fail("it was read"))
    answer = owner.browser().get(f"/captures/{one.id}/growth/?since={cursor}")
    assert (answer.status_code, answer.content) == (204, b"")


def test_the_longer_what_has_come_the_longer_a_page_waits(owner: Person) -> None:
    one = call(owner)
    lease = begun(one)
    append([segment(lease, 0, HELLO)])
    assert asked(owner, one.id)["wait_ms"] == 500
    append([segment(lease, 1, Read(200_000, b":" * 3_600_000 + b"\n"))])
    assert asked(owner, one.id)["wait_ms"] == 900


def test_of_what_has_ended_only_that_is_told(owner: Person) -> None:
    one = call(owner)
    begun(one)
    finish([one])
    assert asked(owner, one.id) == {"state": "ended"}
    assert asked(owner, inspected(owner)) == {"state": "ended"}


def test_more_than_is_read_again_and_again_is_not_told(
    owner: Person, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(live_reading, "MOST_BYTES", len(HELLO.data))
    one = call(owner)
    lease = begun(one)
    append([segment(lease, 0, HELLO)])
    cursor = asked(owner, one.id)["cursor"]
    append([segment(lease, 1, MORE)])
    assert asked(owner, one.id, cursor) == {"state": "too-long"}


def test_what_has_come_is_read_once_and_in_steps(
    owner: Person, teammate: Person, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(live_reading, "STEP_MEMORY", 0)
    fed: list[Read] = []
    feed = Reading.feed
    monkeypatch.setattr(Reading, "feed", lambda self, read: (fed.append(read), feed(self, read)))
    one = call(owner)
    lease = begun(one)
    append([segment(lease, 0, HELLO), segment(lease, 1, MORE)])
    first = asked(owner, one.id)
    assert first["columns"]["texts"] == [[0, "Ship from "]]
    assert asked(owner, one.id, first["cursor"])["columns"]["texts"] == [[0, "Rotterdam."]]
    assert asked(teammate, one.id)["columns"]["texts"] == [[0, "Ship from Rotterdam."]]
    assert fed == [HELLO, MORE]


def test_a_process_that_has_read_less_than_the_page_has_tells_nothing(
    owner: Person, monkeypatch: pytest.MonkeyPatch
) -> None:
    one = call(owner)
    lease = begun(one)
    append([segment(lease, 0, HELLO), segment(lease, 1, MORE)])
    cursor = asked(owner, one.id)["cursor"]
    monkeypatch.setattr(live_reading, "_watched", OrderedDict())
    monkeypatch.setattr(live_reading, "STEP_MEMORY", 0)
    append([segment(lease, 2, MORE)])
    ask = f"/captures/{one.id}/growth/?since={cursor}"
    browser = owner.browser()
    assert [browser.get(ask).status_code for _ in range(3)] == [204, 204, 200]


def test_a_compressed_response_is_read_from_its_beginning(owner: Person) -> None:
    one = call(owner)
    packed = gzip.compress(HELLO.data + MORE.data)
    append([segment(begun(one), 0, Read(100_000, packed))])
    assert asked(owner, one.id)["columns"]["texts"] == [[0, "Ship from Rotterdam."]]


def test_what_takes_long_is_not_read_on(owner: Person, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(live_reading, "STEP_SECONDS", -1.0)
    one = call(owner)
    lease = begun(one)
    append([segment(lease, 0, HELLO)])
    cursor = asked(owner, one.id)["cursor"]
    append([segment(lease, 1, MORE)])
    assert asked(owner, one.id, cursor) == {"state": "too-long"}
