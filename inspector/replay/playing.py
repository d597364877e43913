"""Plays a plan to a caller at its times, over ASGI."""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncIterable, AsyncIterator, Awaitable, Callable, Iterable, Mapping
from contextlib import asynccontextmanager
from enum import StrEnum
from typing import Any, Protocol

import msgspec

from inspector.core.wire.exchange import Headers
from inspector.replay.plan import PlanEnding, PlanHead, Step

LONGEST_US = 3_600_000_000
"""A replay that is not over by then is cut: a recording may state any times."""
START, BODY = "http.response.start", "http.response.body"
DUE_US = 500
"""A step this near is due: timers of event loops count in milliseconds."""
Send = Callable[[dict[str, Any]], Awaitable[None]]
Receive = Callable[[], Awaitable[Mapping[str, Any]]]


class PlayedEnding(StrEnum):
    WHOLE = "whole"
    CUT = "cut"
    """The server must break the connection now."""
    LEFT = "left"
    """The caller left first."""


class PlayedCounts(msgspec.Struct, frozen=True):
    """Counts of what was sent until the end."""

    reads: int
    bytes: int
    ending: PlayedEnding
    latest_us: int
    """The longest time by which a step came after its time."""


class PlayClock(Protocol):
    """The time since the whole request had come, and the caller who may leave meanwhile."""

    def now_us(self) -> int: ...

    def set_to(self, at_us: int) -> None:
        """From now on count as if it were this time."""
        ...

    async def wait_until(self, at_us: int) -> bool:
        """Return at this time, at once if it has passed; earlier if the caller leaves. Returns
        True if the caller has left.
        """
        ...


class CallerClock:
    """The clock of one request that an ASGI server received."""

    def __init__(self, gone: asyncio.Future[Any] | asyncio.Task[Any]) -> None:
        self._began_at = time.monotonic()
        self._gone = gone

    def now_us(self) -> int:
        return int((time.monotonic() - self._began_at) * 1e6)

    def set_to(self, at_us: int) -> None:
        self._began_at = time.monotonic() - at_us / 1e6

    async def wait_until(self, at_us: int) -> bool:
        # By the absolute time: errors of single waits would add up.
        while not self._gone.done() and (left_us := at_us - self.now_us()) > DUE_US:
            await asyncio.wait((self._gone,), timeout=left_us / 1e6)
        return self._gone.done()


@asynccontextmanager
async def clock_of_caller(receive: Receive) -> AsyncIterator[CallerClock]:
    """Starts counting. The request's body must have been received."""
    gone = asyncio.create_task(_until_gone(receive))
    try:
        yield CallerClock(gone)
    finally:
        gone.cancel()


async def _until_gone(receive: Receive) -> None:
    while (await receive())["type"] != "http.disconnect":
        pass


async def play(
    head: PlanHead,
    steps: Iterable[Step] | AsyncIterable[Step],
    send: Send,
    clock: PlayClock,
    longest_us: int = LONGEST_US,
) -> PlayedCounts:
    """Sends head and steps, each as one message at its time. After ``cut`` the server must break
    the connection. Raises what ``send`` raises.
    """
    if await clock.wait_until(min(head.at_us, longest_us)):
        return PlayedCounts(0, 0, PlayedEnding.LEFT, 0)
    if head.is_from_first:
        # What finding and planning took is no part of the first gap.
        clock.set_to(head.at_us)
    await send({"type": START, "status": head.status, "headers": _raw(head.headers)})
    sent = await _send_steps(steps, send, clock, longest_us)
    if sent.ending is PlayedEnding.WHOLE:
        return await _end(head, sent, send, clock, longest_us)
    return sent


async def _send_steps(
    steps: Iterable[Step] | AsyncIterable[Step], send: Send, clock: PlayClock, longest_us: int
) -> PlayedCounts:
    reads, size, latest_us = 0, 0, 0
    async for step in _each(steps):
        if step.at_us > longest_us:
            await clock.wait_until(longest_us)
            return PlayedCounts(reads, size, PlayedEnding.CUT, latest_us)
        if await clock.wait_until(step.at_us):
            return PlayedCounts(reads, size, PlayedEnding.LEFT, latest_us)
        latest_us = max(latest_us, clock.now_us() - step.at_us)
        await send({"type": BODY, "body": step.data, "more_body": True})
        # Loops put together what is written in one turn; and others are served meanwhile.
        await asyncio.sleep(0)
        reads, size = reads + 1, size + len(step.data)
    return PlayedCounts(reads, size, PlayedEnding.WHOLE, latest_us)


async def _end(
    head: PlanHead, sent: PlayedCounts, send: Send, clock: PlayClock, longest_us: int
) -> PlayedCounts:
    has_left = await clock.wait_until(min(head.end_at_us, longest_us))
    if has_left:
        return msgspec.structs.replace(sent, ending=PlayedEnding.LEFT)
    if head.ending is not PlanEnding.WHOLE or head.end_at_us > longest_us:
        return msgspec.structs.replace(sent, ending=PlayedEnding.CUT)
    await send({"type": BODY, "body": b"", "more_body": False})
    return sent


async def _each(steps: Iterable[Step] | AsyncIterable[Step]) -> AsyncIterator[Step]:
    if isinstance(steps, AsyncIterable):
        async for step in steps:
            yield step
    else:
        for step in steps:
            yield step


def _raw(headers: Headers) -> list[tuple[bytes, bytes]]:
    return [(name.encode("ascii"), value.encode()) for name, value in headers]
