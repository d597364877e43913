import time
from threading import Event

from inspector.archive.inspection.doorbell import LONGEST_WAIT_SECONDS, REST_SECONDS, Doorbell


def wait_until(what: object, seconds: float = 50.0) -> None:
    end = time.monotonic() + seconds
    while not what():  # type: ignore[operator]
        assert time.monotonic() < end, "it never happened"
        time.sleep(0.005)


def test_a_ring_is_sent() -> None:
    sent: list[int] = []
    Doorbell(lambda: sent.append(1)).ring()
    wait_until(lambda: sent)


def test_nobody_waits_for_a_broker_that_hangs() -> None:
    hanging = Event()
    bell = Doorbell(hanging.wait)
    for _ in range(1_000):
        bell.ring()
    hanging.set()


def test_rings_in_a_row_are_one_ring() -> None:
    sent, go_on = [], Event()

    def send() -> None:
        sent.append(1)
        assert go_on.wait(120)

    bell = Doorbell(send)
    bell.ring()
    wait_until(lambda: len(sent) == 1)
    for _ in range(1_000):
        bell.ring()
    go_on.set()
    wait_until(lambda: len(sent) == 2)
    bell.ring()
    wait_until(lambda: len(sent) == 3)


def test_a_ring_that_comes_while_one_is_sent_is_sent_too() -> None:
    sent, sending, go_on = [], Event(), Event()

    def send() -> None:
        sending.set()
        assert go_on.wait(60)
        sent.append(1)

    bell = Doorbell(send)
    bell.ring()
    assert sending.wait(60)
    bell.ring()
    go_on.set()
    wait_until(lambda: len(sent) == 2)


def test_failures_are_counted_and_the_bell_waits_longer_each_time() -> None:
    def fails() -> None:
        raise OSError("no broker")

    bell = Doorbell(fails)
    assert [bell._send_one() for _ in range(7)] == [1, 2, 4, 8, 16, 30, LONGEST_WAIT_SECONDS]
    assert bell.failures == 7


def test_a_ring_that_was_taken_ends_the_count() -> None:
    bell = Doorbell(lambda: None)
    bell.failures = 3
    assert bell._send_one() == REST_SECONDS
    assert bell.failures == 0
