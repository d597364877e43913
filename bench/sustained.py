"""A system under a constant rate: what it answers, how far it falls behind, whether it grows."""

import asyncio
import time
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from statistics import linear_regression

import payloads
from databases import Counter as DatabaseCounter
from databases import counter
from load import Call, steady
from measures import DRAINED_WITHIN_SECONDS, LOOK_EVERY_SECONDS, percentiles, rss
from rich.table import Table
from started_systems import Load, System

SSE = "text/event-stream"
CLIENTS = 32


@dataclass(frozen=True, slots=True)
class Rate:
    seconds: int
    per_second: int
    bytes: int
    """Bytes of each stream that is posted."""


@dataclass(slots=True)
class Watched:
    """Observations of a system under a constant rate, second by second."""

    backlog: list[int] = field(default_factory=list)
    rss_mb: list[tuple[float, float]] = field(default_factory=list)
    """Seconds and sum."""


async def sustained_on(system: System, rate: Rate) -> Table:
    calls: list[Call] = []
    watched = Watched()
    with counter(system.database, system.processed) as processed:
        before = processed()

        def backlog() -> int:
            return sum(call.accepted for call in calls) - (processed() - before)

        watching = asyncio.create_task(watch(system, backlog, watched))
        requests = (
            system.requests(Load("", SSE, [payloads.stream(rate.bytes)]))[0]
            for _ in range(rate.seconds * rate.per_second)
        )
        await steady(system.port, requests, rate.per_second, CLIENTS, calls)
        watching.cancel()
        end = time.monotonic()
        while backlog() > 0 and time.monotonic() < end + DRAINED_WITHIN_SECONDS:
            await asyncio.sleep(LOOK_EVERY_SECONDS)
        lag_s, lost = time.monotonic() - end, backlog()
    return told_sustained(calls, watched, lag_s, lost, rate)


async def watch(system: System, backlog: DatabaseCounter, watched: Watched) -> None:
    started = time.monotonic()
    while True:
        watched.backlog.append(backlog())
        watched.rss_mb.append((time.monotonic() - started, rss(system)[0]))
        await asyncio.sleep(1)


def told_sustained(
    calls: Sequence[Call], watched: Watched, lag_s: float, lost: int, rate: Rate
) -> Table:
    statuses = Counter(call.status for call in calls)
    p50, p95, p99 = percentiles([call.seconds * 1_000 for call in calls if call.accepted])
    # The first half is for growing to the size that the work takes.
    settled = watched.rss_mb[len(watched.rss_mb) // 2 :]
    slope = linear_regression(*zip(*settled, strict=True)).slope * 60 if len(settled) > 1 else 0.0
    first, last = watched.rss_mb[0][1], watched.rss_mb[-1][1]
    table = Table(box=None, show_header=False)
    table.add_row("posts", f"{len(calls):,} of {rate.bytes:,} bytes, {rate.per_second}/s")
    table.add_row("answers", ", ".join(f"{status}: {n:,}" for status, n in statuses.items()))
    table.add_row("5xx or none", str(sum(n for s, n in statuses.items() if s >= 500 or s == 0)))
    table.add_row("from due to answered", f"p50 {p50:.1f}, p95 {p95:.1f}, p99 {p99:.1f} ms")
    table.add_row("greatest backlog", f"{max(watched.backlog)} captures")
    table.add_row("all inspected after", f"{lag_s:.2f} s; lost {lost}")
    table.add_row("RSS", f"{first:.0f} → {last:.0f} MB, {slope:+.2f} MB a minute in the 2nd half")
    return table
