"""Playing: each step at its time, one message each, and what becomes of a caller that leaves."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from typing import Any

import pytest

from inspector.replay.plan import PlanEnding, PlanHead, Step
from inspector.replay.playing import (
    CallerClock,
    PlayedCounts,
    PlayedEnding,
    clock_of_caller,
    play,
)

HEADERS = (("content-type", "text/event-stream"), ("x-name", "ü"))
STEPS = (Step(200, b"one"), Step(500, b"two"), Step(500, b"three"))


def head(
    ending: PlanEnding = PlanEnding.WHOLE, end_at_us: int = 700, *, is_from_first: bool = False
) -> PlanHead:
    return PlanHead(200, HEADERS, 200, ending, end_at_us, is_from_first)


class SteppedClock:
    """Time that passes only where somebody waits for it. The caller leaves at ``leaves_at_us``."""

    def __init__(self, leaves_at_us: int = 1 << 60, each_send_us: int = 0) -> None:
        self.at_us = 0
        self.leaves_at_us = leaves_at_us

    def now_us(self) -> int:
        return self.at_us

    def set_to(self, at_us: int) -> None:
        self.at_us = at_us

    async def wait_until(self, at_us: int) -> bool:
        self.at_us = max(self.at_us, min(at_us, self.leaves_at_us))
        return self.at_us >= self.leaves_at_us


class Told:
    """What was sent, with its time."""

    def __init__(self, clock: SteppedClock, send_us: int = 0) -> None:
        self.messages: list[tuple[int, dict[str, Any]]] = []
        self._clock = clock
        self._send_us = send_us

    async def send(self, message: dict[str, Any]) -> None:
        self.messages.append((self._clock.at_us, message))
        self._clock.at_us += self._send_us

    @property
    def bodies(self) -> list[tuple[int, bytes, bool]]:
        return [
            (at, message["body"], message["more_body"])
            for at, message in self.messages
            if message["type"] == "http.response.body"
        ]


def played(
    head: PlanHead, clock: SteppedClock, longest_us: int = 1 << 40, send_us: int = 0
) -> tuple[PlayedCounts, Told]:
    told = Told(clock, send_us)
    return asyncio.run(play(head, STEPS, told.send, clock, longest_us)), told


def test_head_and_steps_are_sent_at_their_times_and_then_the_end() -> None:
    counts, told = played(head(), SteppedClock())
    assert told.messages[0] == (
        200,
        {
            "type": "http.response.start",
            "status": 200,
            "headers": [
                (b"content-type", b"text/event-stream"), (b"x-name", "ü".encode()),
            ],
        },
    )  # fmt: skip
    assert told.bodies == [
        (200, b"one", True),
        (500, b"two", True),
        (500, b"three", True),
        (700, b"", False),
    ]
    assert counts == PlayedCounts(3, 11, PlayedEnding.WHOLE, 0)


def test_a_slow_send_makes_no_later_step_later_than_it_must_be() -> None:
    counts, told = played(head(), SteppedClock(), send_us=100)
    assert [at for at, _, _ in told.bodies] == [300, 500, 600, 700]
    assert counts.latest_us == 100


def test_where_only_gaps_are_known_a_late_first_read_shortens_none() -> None:
    clock = SteppedClock()
    clock.at_us = 450
    counts, told = played(head(is_from_first=True), clock)
    assert [at for at, _, _ in told.bodies] == [200, 500, 500, 700]
    assert counts.latest_us == 0


def test_where_the_time_before_the_first_read_is_known_a_late_one_delays_no_other() -> None:
    clock = SteppedClock()
    clock.at_us = 450
    counts, told = played(head(), clock)
    assert [at for at, _, _ in told.bodies] == [450, 500, 500, 700]
    assert counts.latest_us == 250


def test_a_cut_ends_without_an_end() -> None:
    clock = SteppedClock()
    counts, told = played(head(PlanEnding.CUT, 900), clock)
    assert told.bodies[-1] == (500, b"three", True)
    assert (counts.ending, clock.at_us) == (PlayedEnding.CUT, 900)


def test_a_stall_is_given_up_as_a_cut() -> None:
    clock = SteppedClock()
    counts, _ = played(head(PlanEnding.STALL, 90_000), clock)
    assert (counts.ending, clock.at_us) == (PlayedEnding.CUT, 90_000)


@pytest.mark.parametrize(
    ("leaves_at_us", "messages", "reads"), [(100, 0, 0), (300, 2, 1), (600, 4, 3)]
)
def test_nothing_is_sent_to_a_caller_that_has_left(
    leaves_at_us: int, messages: int, reads: int
) -> None:
    counts, told = played(head(PlanEnding.STALL, 90_000), SteppedClock(leaves_at_us))
    assert len(told.messages) == messages
    assert (counts.reads, counts.ending) == (reads, PlayedEnding.LEFT)


@pytest.mark.parametrize(
    ("longest_us", "sent"), [(300, [b"one"]), (600, [b"one", b"two", b"three"])]
)
def test_a_replay_that_lasts_too_long_is_cut(longest_us: int, sent: list[bytes]) -> None:
    clock = SteppedClock()
    counts, told = played(head(), clock, longest_us)
    assert [data for _, data, _ in told.bodies] == sent
    assert (counts.ending, clock.at_us) == (PlayedEnding.CUT, longest_us)


def test_steps_may_still_be_on_their_way() -> None:
    async def arriving() -> AsyncIterator[Step]:
        for step in STEPS:
            await asyncio.sleep(0)
            yield step

    clock = SteppedClock()
    told = Told(clock)
    counts = asyncio.run(play(head(), arriving(), told.send, clock))
    assert (counts.reads, counts.ending) == (3, PlayedEnding.WHOLE)


def test_the_clock_of_a_caller_knows_when_the_caller_left() -> None:
    async def left() -> bool:
        gone = asyncio.Event()

        async def receive() -> dict[str, str]:
            await gone.wait()
            return {"type": "http.disconnect"}

        async with clock_of_caller(receive) as clock:
            asyncio.get_running_loop().call_soon(gone.set)
            # An hour, which nobody waits for.
            return await clock.wait_until(3_600_000_000)

    assert asyncio.run(left())


def test_the_clock_of_a_caller_waits_for_the_time_and_never_returns_early() -> None:
    async def waited() -> tuple[bool, int]:
        clock = CallerClock(asyncio.get_running_loop().create_future())
        has_left = await clock.wait_until(20_000)
        return has_left, clock.now_us()

    has_left, now_us = asyncio.run(waited())
    # Timers of event loops count in milliseconds: half of one may be missing.
    assert (has_left, now_us >= 19_500) == (False, True)


def test_the_clock_of_a_caller_can_be_set_to_a_time() -> None:
    async def set_back() -> bool:
        clock = CallerClock(asyncio.get_running_loop().create_future())
        clock.set_to(3_600_000_000)
        return clock.now_us() >= 3_600_000_000 and not await clock.wait_until(3_600_000_000)

    assert asyncio.run(set_back())


def test_others_have_their_turn_between_any_two_steps() -> None:
    async def turns() -> list[str]:
        seen: list[str] = []

        async def send(message: dict[str, Any]) -> None:
            seen.append(message["type"])

        async def another() -> None:
            while len(seen) < 5:
                if not seen or seen[-1] != "another":
                    seen.append("another")
                await asyncio.sleep(0)

        other = asyncio.create_task(another())
        at_once = [Step(0, b"a"), Step(0, b"b")]
        await play(head(), at_once, send, SteppedClock())
        other.cancel()
        return seen

    seen = asyncio.run(turns())
    first = seen.index("http.response.body")
    assert seen[first : first + 3] == ["http.response.body", "another", "http.response.body"]
