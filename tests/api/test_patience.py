import gc
import threading
import time
import weakref
from functools import partial
from threading import Event, Thread

import pytest

from api import patience
from api.patience import BYTES_PER_SECOND, SECONDS, NobodyHelps, allowed_seconds, finishes


def test_work_that_ends_in_time_has_ended() -> None:
    done: list[int] = []
    assert finishes(lambda: done.append(1), 5)
    assert done == [1]


def test_nobody_waits_longer_than_allowed_for_work_that_hangs() -> None:
    hanging = Event()
    before = time.monotonic()
    assert not finishes(lambda: hanging.wait(10) and None, 0.05)
    assert time.monotonic() - before < 5
    hanging.set()


def test_a_longer_body_may_take_longer() -> None:
    assert allowed_seconds(0) == SECONDS
    assert allowed_seconds(10 * BYTES_PER_SECOND) == SECONDS + 10


def test_one_work_after_the_other_is_done_by_one_thread() -> None:
    seen: set[int] = set()
    for _ in range(3):
        assert finishes(lambda: seen.add(threading.get_ident()), 5)
    assert len(seen) == 1 and threading.get_ident() not in seen


def test_whoever_asks_after_work_that_hangs_does_not_wait_for_it() -> None:
    hanging = Event()
    assert not finishes(lambda: hanging.wait(10) and None, 0.05)
    assert finishes(lambda: None, 5)
    hanging.set()


def test_what_the_work_raises_is_raised_to_whoever_asked() -> None:
    def breaks() -> None:
        raise ValueError("as work does")

    with pytest.raises(ValueError, match="as work does"):
        finishes(breaks, 5)
    assert finishes(lambda: None, 5)


def test_a_helper_ends_with_whoever_asked_it() -> None:
    found: list[Thread] = []
    asking = Thread(target=lambda: finishes(lambda: found.append(threading.current_thread()), 5))
    asking.start()
    asking.join(10)
    (helper,) = found
    helper.join(10)
    assert not helper.is_alive()


def test_what_was_read_is_not_held_until_the_next_body_comes() -> None:
    class Pieces(list[bytes]):
        pass

    pieces = Pieces()
    held = weakref.ref(pieces)
    assert finishes(partial(pieces.append, b"a body"), 5)
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

    monkeypatch.setattr(patience, "_mine", threading.local())
    monkeypatch.setattr(patience.Thread, "start", none_left)
    with pytest.raises(NobodyHelps):
        finishes(lambda: None, 5)
