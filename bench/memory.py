"""What each process of a system holds in memory after so many captures, and after many more."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Mapping
from itertools import cycle, islice

import payloads
from databases import Counted, counter
from load import burst
from measures import DRAINED_WITHIN_SECONDS, JSON, LOOK_EVERY_SECONDS, MB
from rich.table import Table
from systems import Load, Process, System, command, processes

SETTLED_CAPTURES = 20_000
"""After these every process has what it works with."""
PER_CALL, CLIENTS = 100, 2
PER_STEP = 2_000
BODIES = 2_000
"""That come again and again."""


async def memory_on(system: System, captures: int) -> Table:
    bodies = cycle([payloads.answer() for _ in range(BODIES)])
    told: list[Mapping[int, float]] = []
    with counter(system.database, system.processed) as processed:
        before, began = processed(), time.monotonic()
        for posted in range(PER_STEP, captures + PER_STEP, PER_STEP):
            load = Load("", JSON, list(islice(bodies, PER_STEP)), PER_CALL)
            await burst(system.port, system.requests(load), CLIENTS)
            await until(processed, before + posted)
            if posted in (SETTLED_CAPTURES, captures):
                told.append({process.id: process.rss_bytes / MB for process in of(system)})
        seconds = time.monotonic() - began
    return told_memory(system, *told, captures, seconds)


async def until(processed: Counted, wanted: int) -> None:
    end = time.monotonic() + DRAINED_WITHIN_SECONDS
    while processed() < wanted:
        if time.monotonic() > end:
            raise SystemExit(f"{wanted - processed()} captures were not inspected")
        await asyncio.sleep(LOOK_EVERY_SECONDS)


def told_memory(
    system: System,
    first: Mapping[int, float],
    last: Mapping[int, float],
    captures: int,
    seconds: float,
) -> Table:
    heads = ("process", f"MB after {SETTLED_CAPTURES:,}", f"MB after {captures:,}", "growth")
    table = Table(*heads, box=None, caption=f"{captures / seconds:,.0f} captures/s to the end")
    for pid, mb in last.items():
        earlier = first.get(pid)
        growth = f"{mb / earlier - 1:+.1%}" if earlier else "started meanwhile"
        table.add_row(name_of(pid), f"{earlier or 0:.1f}", f"{mb:.1f}", growth)
    return table


def of(system: System) -> list[Process]:
    return sorted(processes(system.root), key=lambda process: process.id)


def name_of(pid: int) -> str:
    """The words of its command line that tell it from others."""
    words = command(pid).replace(b"\0", b" ").decode(errors="replace")
    known = ("celery", "granian", "sweep", "manage.py up")
    return f"{next((name for name in known if name in words), words[-40:])} {pid}"
