import time
from threading import Event

from api.patience import BYTES_PER_SECOND, SECONDS, allowed_seconds, finishes


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
