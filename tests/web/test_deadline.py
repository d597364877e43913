"""An end for work in a thread, told by events and never by how fast a machine is."""

from contextlib import suppress
from importlib.util import find_spec, module_from_spec
from itertools import count
from threading import Event, Thread
from types import SimpleNamespace
from typing import Any

import pytest
from django.conf import LazySettings
from django.http import HttpRequest, HttpResponse

from api.middleware import limit_time
from inspector.web import deadline
from inspector.web.deadline import DeadlineExceeded, interrupt_after, processor_clock
from tests.people import Person
from tests.steps import steps


def for_ever() -> None:
    while True:
        pass


def test_work_that_goes_on_is_ended() -> None:
    with pytest.raises(DeadlineExceeded), interrupt_after(0.01):
        for_ever()


def test_what_works_in_time_is_left_alone() -> None:
    with interrupt_after(600):
        pass
    assert deadline._works == {}


def test_what_ended_in_time_leaves_a_thread_that_can_be_traced() -> None:
    """Held by the limit of every test: a thread that looks for an exception for ever never ends."""
    with interrupt_after(600):
        pass
    assert steps(lambda: sorted([3, 1, 2])) > 0


def test_the_sooner_end_holds_inside_of_another() -> None:
    with interrupt_after(600):
        with pytest.raises(DeadlineExceeded), interrupt_after(0.01):
            for_ever()
        still_here = True
    assert still_here
    with pytest.raises(DeadlineExceeded), interrupt_after(0.01), interrupt_after(600):
        for_ever()


def test_what_waits_takes_no_time_of_the_processor() -> None:
    asked, is_asked_often, processor = count(), Event(), processor_clock()

    def clock() -> float:
        """Return the processor time; note when it is asked for oftener than within a second."""
        if next(asked) > 2 / deadline.LOOK_EVERY_SECONDS:
            is_asked_often.set()
        return processor()

    with interrupt_after(1, clock):
        assert is_asked_often.wait(60)
    with pytest.raises(DeadlineExceeded), interrupt_after(0.01, processor_clock()):
        for_ever()


def test_the_end_of_the_outer_holds_by_whatever_clock() -> None:
    with (
        pytest.raises(DeadlineExceeded),
        interrupt_after(0.01),
        interrupt_after(600, processor_clock()),
    ):
        for_ever()


def test_what_is_raised_in_the_work_does_not_hit_the_next(monkeypatch: pytest.MonkeyPatch) -> None:
    about_to_raise, raised, really = Event(), Event(), deadline._raise_in

    def late(thread: int, error: object) -> None:
        """So late that the work is over when it raises."""
        about_to_raise.set()
        for _ in range(100_000):
            if thread not in deadline._works:
                break
        really(thread, error)
        raised.set()

    monkeypatch.setattr(deadline, "_raise_in", late)
    # Whoever is slow to hear of it is ended inside, as is due.
    with suppress(DeadlineExceeded), interrupt_after(0.01):
        about_to_raise.wait(60)
    assert raised.wait(60)
    assert sum(range(1_000)) == 499_500


def test_work_that_heard_nothing_is_told_again(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(deadline, "AGAIN_SECONDS", 0.0)
    with pytest.raises(DeadlineExceeded), interrupt_after(0.01):
        with suppress(DeadlineExceeded):
            for_ever()
        for_ever()


def test_another_thread_is_not_ended() -> None:
    begun, go_on, ended = Event(), Event(), []

    def waits() -> None:
        begun.set()
        go_on.wait(60)
        ended.append("well")

    other = Thread(target=waits)
    other.start()
    begun.wait(60)
    with pytest.raises(DeadlineExceeded), interrupt_after(0.01):
        for_ever()
    go_on.set()
    other.join()
    assert ended == ["well"]


def request_of(method: str, path: str) -> HttpRequest:
    request = HttpRequest()
    request.method, request.path = method, path
    return request


def answers_never(request: HttpRequest) -> HttpResponse:
    for_ever()
    raise AssertionError


@pytest.mark.parametrize(
    ("path", "said"),
    [("/api/v1/captures/", b'"code":"too_long"'), ("/captures/1/", b"This takes longer")],
)
def test_who_asks_is_answered_in_time(settings: LazySettings, path: str, said: bytes) -> None:
    settings.PAGE_SECONDS = 0.01
    answer = limit_time(answers_never)(request_of("GET", path))
    assert (answer.status_code, answer["Retry-After"]) == (503, "30")
    assert said in answer.content


@pytest.fixture
def unwatched() -> Any:
    """The module once more: what sleeps in the first stays asleep if told that it is awake."""
    spec = find_spec(deadline.__name__)
    assert spec is not None and spec.loader is not None
    module = module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_who_watches_nobody_sleeps_until_somebody_begins(unwatched: Any) -> None:
    asked: list[str] = []

    def begins() -> None:
        asked.append("begin")
        unwatched._works[0] = object()

    unwatched._wakes = SimpleNamespace(get=begins)
    unwatched._sleep_without_work()
    unwatched._sleep_without_work()
    assert (asked, unwatched._is_asleep) == (["begin"], False)


def test_who_begins_wakes_who_sleeps(unwatched: Any) -> None:
    unwatched._start_watching = lambda: None
    with unwatched.interrupt_after(600):
        assert unwatched._wakes.empty()
    unwatched._is_asleep = True
    with unwatched.interrupt_after(600):
        assert unwatched._wakes.qsize() == 1


def test_who_sends_has_the_time_that_sending_takes(settings: LazySettings) -> None:
    settings.PAGE_SECONDS = 0

    def has_no_end(request: HttpRequest) -> HttpResponse:
        assert deadline._works == {}
        return HttpResponse("stored")

    answer = limit_time(has_no_end)(request_of("POST", "/api/v1/captures/batch/"))
    assert answer.status_code == 200


def test_a_page_that_takes_too_long_is_answered_through_all_layers(
    owner: Person, settings: LazySettings, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("api.service.root._limits", for_ever)
    settings.PAGE_SECONDS = 0.01
    refused = owner.get("/api/v1/")
    assert (refused.status, refused.code) == (503, "too_long")
