import gc
import threading
import time
import weakref
from functools import partial
from threading import Event, Thread

import pytest

from inspector.web import client_timeout
from inspector.web.client_timeout import (
    BYTES_PER_SECOND,
    DEFAULT_WAIT_SECONDS,
    BodyWaitSlots,
    NoWaitSlot,
    allowed_seconds,
    finishes_within,
)


def test_work_that_ends_in_time_has_ended() -> None:
    done: list[int] = []
    assert finishes_within(lambda: done.append(1), 60)
    assert done == [1]


def test_nobody_waits_longer_than_allowed_for_work_that_hangs() -> None:
    hanging = Event()
    assert not finishes_within(lambda: hanging.wait(120) and None, 0.05)
    hanging.set()


def test_a_longer_body_may_take_longer() -> None:
    assert allowed_seconds(0) == DEFAULT_WAIT_SECONDS
    assert allowed_seconds(10 * BYTES_PER_SECOND) == DEFAULT_WAIT_SECONDS + 10


def test_one_work_after_the_other_is_done_by_one_thread() -> None:
    seen: set[int] = set()
    for _ in range(3):
        assert finishes_within(lambda: seen.add(threading.get_ident()), 60)
    assert len(seen) == 1 and threading.get_ident() not in seen


def test_whoever_asks_after_work_that_hangs_does_not_wait_for_it() -> None:
    hanging = Event()
    assert not finishes_within(lambda: hanging.wait(120) and None, 0.05)
    assert finishes_within(lambda: None, 60)
    hanging.set()


def test_what_the_work_raises_is_raised_to_whoever_asked() -> None:
    def breaks() -> None:
        raise ValueError("as work does")

    with pytest.raises(ValueError, match="as work does"):
        finishes_within(breaks, 60)
    assert finishes_within(lambda: None, 60)


def test_a_helper_ends_with_whoever_asked_it() -> None:
    found: list[Thread] = []
    asking = Thread(
        target=lambda: finishes_within(lambda: found.append(threading.current_thread()), 60)
    )
    asking.start()
    asking.join(120)
    (helper,) = found
    helper.join(120)
    assert not helper.is_alive()


def test_what_was_read_is_not_held_until_the_next_body_comes() -> None:
    class Pieces(list[bytes]):
        pass

    pieces = Pieces()
    held = weakref.ref(pieces)
    assert finishes_within(partial(pieces.append, b"a body"), 60)
    del pieces
    for _ in range(500):
        gc.collect()
        if held() is None:
            return
        time.sleep(0.01)
    raise AssertionError("it is held")


def test_a_machine_without_a_thread_left_is_told_apart(monkeypatch: pytest.MonkeyPatch) -> None:
    def none_left(self: Thread) -> None:
        raise RuntimeError("can't start new thread")

    monkeypatch.setattr(client_timeout, "_mine", threading.local())
    monkeypatch.setattr(client_timeout.Thread, "start", none_left)
    with pytest.raises(NoWaitSlot):
        finishes_within(lambda: None, 60)


class Clock:
    now = 100.0

    def __call__(self) -> float:
        return self.now


def test_one_asker_has_places_of_its_own_and_others_theirs() -> None:
    room = BodyWaitSlots(places=4, places_of_one=2, clock=Clock())
    room.enter("a")
    room.enter("a")
    with pytest.raises(NoWaitSlot):
        room.enter("a")
    room.enter("b")
    room.enter("b")
    with pytest.raises(NoWaitSlot):
        room.enter("c")


def test_a_place_that_is_left_is_free() -> None:
    room = BodyWaitSlots(places=1, places_of_one=1)
    for _ in range(3):
        room.leave(room.enter("a"))


def test_whoever_waited_longest_goes_for_another_after_a_second() -> None:
    clock = Clock()
    room = BodyWaitSlots(places=3, places_of_one=2, clock=clock)
    first = room.enter("a")
    clock.now += 0.5
    second = room.enter("a")
    clock.now += 0.5
    room.enter("a")
    assert first.done.cancelled() and not second.done.cancelled()
    room.enter("b")
    clock.now += 1
    room.enter("c")
    assert second.done.cancelled()


def test_who_has_to_go_is_told_that_work_did_not_finish(monkeypatch: pytest.MonkeyPatch) -> None:
    room = BodyWaitSlots(places=1, places_of_one=1, clock=(clock := Clock()))
    monkeypatch.setattr(client_timeout, "_slots", room)
    begun, may_end, told = Event(), Event(), list[bool]()

    def works() -> None:
        begun.set()
        assert may_end.wait(120)

    waiting = Thread(target=lambda: told.append(finishes_within(works, 30)))
    waiting.start()
    assert begun.wait(120)
    clock.now += 1
    assert finishes_within(lambda: None, 30)
    waiting.join(120)
    assert told == [False]
    may_end.set()
