"""How chunks came: one by one, in bursts, gathered on the way, or all at once."""

import pytest

from inspector.core.analysis import Pacing, Timeline
from inspector.core.reading import analyze
from inspector.core.wire.exchange import Exchange, Read
from tests.core.bodies import DONE, GOOD, chunk, delta

WORD = chunk(delta(b'"content":"a"'))


def timeline(*reads: tuple[int | None, bytes]) -> Timeline:
    exchange = Exchange(reads=tuple(Read(at_us, data) for at_us, data in reads))
    return analyze(exchange).timeline


def every(gap_us: int, *parts: bytes, first_us: int = 300_000) -> Timeline:
    return timeline(*((first_us + n * gap_us, part) for n, part in enumerate(parts)))


def cut(body: bytes, size: int) -> list[bytes]:
    return [body[start : start + size] for start in range(0, len(body), size)]


@pytest.mark.parametrize(
    ("told", "pacing", "reason"),
    [
        (every(9, *[WORD] * 9), "steady", "9 chunks arrived one at a time."),
        (
            every(9, *[WORD] * 5, WORD * 3, WORD),
            "steady",
            "9 chunks arrived in 7 batches of up to 3.",
        ),
        (every(20_000, *[WORD * 10] * 3), "bursts", "30 chunks arrived in 3 batches of up to 10."),
        (
            every(400_000, *[WORD * 10] * 3),
            "held-back",
            "30 chunks arrived in 3 batches of up to 10, "
            "with 400 ms of silence between most of them.",
        ),
        (
            every(2_000, *[WORD * 10] * 3, first_us=8_000_000),
            "held-back",
            "30 chunks arrived in 3 batches of up to 10, all within 4.0 ms after 8.0 s of silence.",
        ),
        (
            every(1_000, *cut(WORD * 100, 4_096)),
            "held-back",
            "100 chunks arrived in 5 batches of up to 24, "
            "in blocks of 4,096 bytes that cut events.",
        ),
        (every(9, WORD * 9, DONE), "single-read", "All 9 chunks arrived at once."),
        (
            every(9, WORD * 7, DONE),
            "unknown",
            "Fewer than 8 chunks came: too few to judge the pacing.",
        ),
        (timeline((None, WORD * 9)), "unknown", "No arrival times were recorded."),
        (every(9, GOOD), "unknown", "The answer came as one body, not as a stream."),
    ],
    ids=[
        "one by one",
        "now and then some together",
        "fast bursts",
        "silences between bursts",
        "all at the end",
        "blocks of a buffer",
        "one read",
        "few chunks",
        "no times",
        "one body",
    ],
)
def test_a_pacing_is_named_with_its_reason(told: Timeline, pacing: str, reason: str) -> None:
    assert (told.pacing, told.pacing_reason) == (Pacing(pacing), reason)


def test_equal_reads_that_end_with_events_are_no_blocks_of_a_buffer() -> None:
    event = b": %s\n\n" % (b"x" * (4_096 - 8 * len(WORD) - 4))
    assert every(1_000, *[WORD * 8 + event] * 9).pacing is Pacing.BURSTS
