"""Measurements of a system under load: bursts, single posts, processor and memory."""

import asyncio
import time
from collections.abc import Sequence
from dataclasses import dataclass
from statistics import quantiles

import payloads
from databases import counter
from load import Connection, burst
from started_systems import Load, System, processes

JSON = "application/json"
DRAINED_WITHIN_SECONDS = 180.0
LOOK_EVERY_SECONDS = 0.05
IDLE_LOOK_EVERY_SECONDS = 0.005
MB = 1_000_000


@dataclass(frozen=True, slots=True)
class Burst:
    """``lag_s`` counts from the last acceptance until all is processed."""

    accepted_per_s: float
    call_ms: tuple[float, float, float]
    lag_s: float
    lost: int
    refused: int
    cores: float
    cpu_ms: float
    stored_bytes: float
    sent_bytes: float


async def burst_on(system: System, load: Load, clients: int) -> Burst:
    requests, items = system.requests(load), len(load.bodies)
    stored = system.database.bytes()
    with counter(system.database, system.processed) as processed:
        before, cpu, started = processed(), cpu_seconds(system), time.monotonic()
        calls = await burst(system.port, requests, clients)
        cpu_accepting = cpu_seconds(system) - cpu
        accepted = [call for call in calls if call.accepted]
        last = max((call.answered_at for call in accepted), default=started)
        wanted = before + min(items, len(accepted) * load.per_call)
        while (there := processed()) < wanted and time.monotonic() < last + DRAINED_WITHIN_SECONDS:
            await asyncio.sleep(LOOK_EVERY_SECONDS)
        lag_s = time.monotonic() - last
    return Burst(
        accepted_per_s=len(accepted) * load.per_call / (last - started or 1.0),
        call_ms=percentiles([call.seconds * 1_000 for call in accepted]),
        lag_s=lag_s,
        lost=wanted - there,
        refused=len(calls) - len(accepted),
        cores=cpu_accepting / (last - started or 1.0),
        cpu_ms=(cpu_seconds(system) - cpu) / items * 1_000,
        stored_bytes=(system.database.bytes() - stored) / items,
        sent_bytes=sum(map(len, load.bodies)) / items,
    )


async def idle_on(system: System, posts: int) -> list[float]:
    """Milliseconds from acknowledgement until processed, of one post a second."""
    found, connection = [], Connection(system.port)
    with counter(system.database, system.processed) as processed:
        for _ in range(posts):
            (sent,) = system.requests(Load("", JSON, [payloads.answer()]))
            due, before = time.monotonic() + 1.0, processed()
            call = await connection.call(sent)
            while processed() == before and time.monotonic() < due + DRAINED_WITHIN_SECONDS:
                await asyncio.sleep(IDLE_LOOK_EVERY_SECONDS)
            found.append((time.monotonic() - call.answered_at) * 1_000)
            await asyncio.sleep(max(0.0, due - time.monotonic()))
    connection.close()
    return found


def percentiles(values: Sequence[float]) -> tuple[float, float, float]:
    """p50, p95, p99."""
    if len(values) < 2:
        return (values[0],) * 3 if values else (0.0, 0.0, 0.0)
    cuts = quantiles(values, n=100, method="inclusive")
    return cuts[49], cuts[94], cuts[98]


def cpu_seconds(system: System) -> float:
    return sum(process.cpu_seconds for process in processes(system.root))


def rss(system: System) -> tuple[float, float]:
    every = [process.rss_bytes / MB for process in processes(system.root)]
    return sum(every), max(every, default=0.0)
