from contextlib import ExitStack

import pytest
from django.conf import LazySettings

from inspector.archive.inspection.doorbell import doorbell
from inspector.archive.intake import wait_for_inspection
from inspector.archive.intake.submission import Accepted, IdempotencyKeyReused, Submission
from inspector.archive.intake.wait_for_inspection import WaitResult, accept_and_wait
from inspector.archive.models import Capture, State
from inspector.archive.readers import on_demand
from inspector.archive.readers.child import WebReader
from inspector.core.reading import analyze
from inspector.core.wire.exchange import Exchange
from tests.archive.samples import WHOLE, inspect_all
from tests.people import Person

pytestmark = pytest.mark.both_stacks


def arrival(body: bytes = WHOLE, key: str | None = None) -> Submission:
    return Submission(Exchange.of_body(body), idempotency_key=key, posted_sha256="0" * 64)


def state_of(waited: WaitResult) -> tuple[str, int, object]:
    capture = Capture.objects.get(pk=waited.result.id)
    return capture.state, capture.attempt, capture.lease_token


def test_who_waits_gets_the_analysis_and_no_worker_is_called(
    owner: Person, monkeypatch: pytest.MonkeyPatch, django_capture_on_commit_callbacks: object
) -> None:
    with django_capture_on_commit_callbacks() as callbacks:  # type: ignore[operator]
        waited = accept_and_wait(owner.service, arrival(), 10)
    assert callbacks == []
    assert waited.analysis is not None and waited.analysis.choices[0].content == "Hello"
    assert isinstance(waited.result, Accepted) and waited.result.state == "inspected"
    assert state_of(waited) == ("inspected", 1, None)


def test_what_is_being_read_is_not_claimed(owner: Person, monkeypatch: pytest.MonkeyPatch) -> None:
    states = []
    inspect = wait_for_inspection.tasks.inspect_capture

    def others_try_first(capture: Capture, read: object) -> None:
        states.append(Capture.objects.get(pk=capture.pk).state)
        inspect_all()
        states.append(Capture.objects.get(pk=capture.pk).state)
        inspect(capture, read)  # type: ignore[arg-type]

    monkeypatch.setattr(wait_for_inspection.tasks, "inspect_capture", others_try_first)
    assert accept_and_wait(owner.service, arrival(), 10).analysis is not None
    assert states == ["processing", "processing"]


def test_what_is_not_small_is_read_in_a_process_of_its_own(
    owner: Person, settings: LazySettings, readers: WebReader
) -> None:
    settings.SMALL_READING_BYTES = 0
    assert accept_and_wait(owner.service, arrival(), 10).analysis == analyze(
        Exchange.of_body(WHOLE)
    )
    assert len(readers.pids()) == 1


def test_a_reading_that_takes_too_long_is_ended_and_left_to_the_workers(
    owner: Person, settings: LazySettings, monkeypatch: pytest.MonkeyPatch, readers: WebReader
) -> None:
    monkeypatch.setattr(doorbell, "ring", lambda: None)
    settings.SMALL_READING_BYTES = 0
    # No process starts in so short a time.
    waited = accept_and_wait(owner.service, arrival(), 0.001)
    assert (waited.analysis, state_of(waited)) == (None, ("received", 1, None))
    assert readers.pids() == []


def test_a_failed_reading_is_an_attempt(owner: Person, monkeypatch: pytest.MonkeyPatch) -> None:
    def fails(*_: object) -> None:
        raise RuntimeError("a fault of ours")

    monkeypatch.setattr(on_demand, "read", fails)
    waited = accept_and_wait(owner.service, arrival(), 10)
    assert (waited.analysis, state_of(waited)) == (None, ("received", 1, None))


def test_where_no_reader_is_free_in_time_nothing_is_counted_and_the_workers_are_rung_for(
    owner: Person, settings: LazySettings, monkeypatch: pytest.MonkeyPatch, readers: WebReader
) -> None:
    rings: list[int] = []
    monkeypatch.setattr(doorbell, "ring", lambda: rings.append(1))
    settings.SMALL_READING_BYTES = settings.READER_WAIT_SECONDS = 0
    with readers.reader():
        waited = accept_and_wait(owner.service, arrival(), 10)
    assert (waited.analysis, state_of(waited)) == (None, ("received", 0, None))
    assert rings == [1]


def test_who_has_had_enough_read_is_accepted_all_the_same(
    owner: Person, settings: LazySettings, readers: WebReader
) -> None:
    settings.READ_BYTES_PER_SECOND = 1
    assert accept_and_wait(owner.service, arrival(), 10).analysis is not None
    waited = accept_and_wait(owner.service, arrival(), 10)
    assert (waited.analysis, state_of(waited)) == (None, ("received", 0, None))


def test_a_body_over_the_limit_is_left_to_workers(owner: Person, settings: LazySettings) -> None:
    settings.MAX_WAIT_BYTES = len(WHOLE) - 1
    waited = accept_and_wait(owner.service, arrival(), 10)
    assert (waited.analysis, state_of(waited)) == (None, ("received", 0, None))


def test_where_all_places_are_taken_nobody_waits_for_one(
    owner: Person, settings: LazySettings, readers: WebReader
) -> None:
    settings.SMALL_READING_BYTES = 0
    with ExitStack() as places:
        for _ in range(settings.READING_PLACES):
            places.enter_context(readers.place())
        waited = accept_and_wait(owner.service, arrival(), 10)
    assert (waited.analysis, state_of(waited)) == (None, ("received", 0, None))


def test_a_resend_is_not_read_again(owner: Person) -> None:
    first = accept_and_wait(owner.service, arrival(key="k"), 10)
    again = accept_and_wait(owner.service, arrival(key="k"), 10)
    assert isinstance(again.result, Accepted)
    assert (again.result.id, again.result.duplicate) == (first.result.id, True)
    assert (again.analysis, state_of(again)) == (None, ("inspected", 1, None))


def test_a_used_key_with_another_body_is_refused(owner: Person) -> None:
    accept_and_wait(owner.service, arrival(key="k"), 10)
    other = Submission(Exchange.of_body(b"{}"), idempotency_key="k", posted_sha256="1" * 64)
    assert isinstance(accept_and_wait(owner.service, other, 10).result, IdempotencyKeyReused)
    assert Capture.objects.get().state == State.INSPECTED
