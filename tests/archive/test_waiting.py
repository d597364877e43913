from __future__ import annotations

import time
from threading import Event

import pytest
from django.conf import LazySettings

from inspector.archive import waiting
from inspector.archive.doorbell import doorbell
from inspector.archive.intake import Accepted, Arrival, KeyReused
from inspector.archive.models import Capture, State
from inspector.archive.waiting import READERS, Waited, accept
from inspector.core.exchange import Exchange
from inspector.core.reading import analyze
from tests.archive.samples import WHOLE, inspect_all
from tests.people import Person


def arrival(body: bytes = WHOLE, key: str | None = None) -> Arrival:
    return Arrival(Exchange.of_body(body), idempotency_key=key, posted_sha256="0" * 64)


def state_of(waited: Waited) -> tuple[str, int, object]:
    capture = Capture.objects.get(pk=waited.result.id)
    return capture.state, capture.attempt, capture.lease_token


def all_places_are_free() -> bool:
    """Readings that nobody waits for any more give their places back when they end."""
    end = time.monotonic() + 5
    while time.monotonic() < end:
        taken = [waiting._readers.acquire(blocking=False) for _ in range(READERS)]
        for _ in filter(None, taken):
            waiting._readers.release()
        if all(taken):
            return True
        time.sleep(0.01)
    return False


def test_who_waits_gets_the_analysis_and_no_worker_is_called(
    owner: Person, monkeypatch: pytest.MonkeyPatch, django_capture_on_commit_callbacks: object
) -> None:
    with django_capture_on_commit_callbacks() as callbacks:  # type: ignore[operator]
        waited = accept(owner.service, arrival(), 10)
    assert callbacks == []
    assert waited.analysis is not None and waited.analysis.choices[0].content == "Hello"
    assert isinstance(waited.result, Accepted) and waited.result.state == "inspected"
    assert state_of(waited) == ("inspected", 1, None)
    assert all_places_are_free()


def test_nobody_else_can_claim_what_is_being_read_for_its_sender(
    owner: Person, monkeypatch: pytest.MonkeyPatch
) -> None:
    states = []

    def looks(exchange: Exchange) -> object:
        states.append("read")
        return analyze(exchange)

    inspect = waiting.tasks.inspect

    def others_try_first(capture: Capture, read: object) -> None:
        states.append(Capture.objects.get(pk=capture.pk).state)
        inspect_all()
        inspect(capture, read)  # type: ignore[arg-type]

    monkeypatch.setattr(waiting, "analyze", looks)
    monkeypatch.setattr(waiting.tasks, "inspect", others_try_first)
    assert accept(owner.service, arrival(), 10).analysis is not None
    assert states == ["processing", "read"]


def test_a_reading_that_takes_too_long_is_left_to_the_workers(
    owner: Person, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(doorbell, "ring", lambda: None)
    goes_on = Event()
    monkeypatch.setattr(waiting, "analyze", lambda exchange: goes_on.wait(5) and analyze(exchange))
    waited = accept(owner.service, arrival(), 0.05)
    assert waited.analysis is None
    assert state_of(waited) == ("received", 1, None)
    goes_on.set()
    assert all_places_are_free()
    assert state_of(waited)[0] == "received"


def test_a_reading_that_fails_is_an_attempt_that_failed(
    owner: Person, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fails(exchange: Exchange) -> None:
        raise RuntimeError("a fault of ours")

    monkeypatch.setattr(waiting, "analyze", fails)
    waited = accept(owner.service, arrival(), 10)
    assert (waited.analysis, state_of(waited)) == (None, ("received", 1, None))
    assert all_places_are_free()


def test_a_body_over_the_limit_is_left_to_the_workers(
    owner: Person, settings: LazySettings
) -> None:
    settings.MAX_WAIT_BYTES = len(WHOLE) - 1
    waited = accept(owner.service, arrival(), 10)
    assert (waited.analysis, state_of(waited)) == (None, ("received", 0, None))


def test_where_all_places_are_taken_nobody_waits_for_one(owner: Person) -> None:
    for _ in range(READERS):
        assert waiting._readers.acquire(blocking=False)
    try:
        waited = accept(owner.service, arrival(), 10)
    finally:
        for _ in range(READERS):
            waiting._readers.release()
    assert (waited.analysis, state_of(waited)) == (None, ("received", 0, None))


def test_a_resend_is_not_read_again(owner: Person) -> None:
    first = accept(owner.service, arrival(key="k"), 10)
    again = accept(owner.service, arrival(key="k"), 10)
    assert isinstance(again.result, Accepted)
    assert (again.result.id, again.result.duplicate) == (first.result.id, True)
    assert (again.analysis, state_of(again)) == (None, ("inspected", 1, None))
    assert all_places_are_free()


def test_a_used_key_with_another_body_is_refused(owner: Person) -> None:
    accept(owner.service, arrival(key="k"), 10)
    other = Arrival(Exchange.of_body(b"{}"), idempotency_key="k", posted_sha256="1" * 64)
    assert isinstance(accept(owner.service, other, 10).result, KeyReused)
    assert all_places_are_free()
    assert Capture.objects.get().state == State.INSPECTED
