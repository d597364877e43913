"""Processor time of one answer, from socket to inspected and summed, by program."""

import asyncio
import os
import time
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from databases import counter
from load import Connection, burst
from measures import DRAINED_WITHIN_SECONDS, IDLE_LOOK_EVERY_SECONDS
from rich.table import Table
from started_systems import CLOCK_TICKS, Load, System, above, command, every_process

APART_SECONDS = 0.15
"""Between two lone answers: whoever was rung for one is done before the next."""
RINGING_SECONDS = 1.0
"""After the last is inspected: what programs do to find that nothing is left."""
PROGRAMS = {
    b"recorder": "recorder",
    b"inspector.proxy": "proxy",
    b"redis-server": "Redis",
    b"postgres": "database server",
}
"""Words of a command line."""

Milliseconds = dict[str, float]


@dataclass(frozen=True, slots=True)
class Shares:
    """Milliseconds by program for each answer, and those from its acknowledgement until it was
    inspected.
    """

    by_program: Milliseconds
    inspected_ms: Sequence[float] = ()


async def lone(system: System, load: Load) -> Shares:
    """Send one after the other, each when nothing else is under way."""
    connection, found = Connection(system.port), []
    requests = system.requests(load)
    with counter(system.database, system.processed) as processed:
        before = by_program(system, processed.backend)
        for request in requests:
            there, due = processed(), time.monotonic() + APART_SECONDS
            call = await connection.call(request)
            while processed() == there and time.monotonic() < due + DRAINED_WITHIN_SECONDS:
                await asyncio.sleep(IDLE_LOOK_EVERY_SECONDS)
            found.append((time.monotonic() - call.answered_at) * 1_000)
            await asyncio.sleep(max(0.0, due - time.monotonic()))
        await asyncio.sleep(RINGING_SECONDS)
        after = by_program(system, processed.backend)
    connection.close()
    return Shares(_each(before, after, len(load.bodies)), found)


async def together(system: System, load: Load, clients: int) -> Shares:
    """Send as fast as clients are answered, and wait until all is inspected."""
    with counter(system.database, system.processed) as processed:
        before = by_program(system, processed.backend)
        wanted = processed() + len(load.bodies)
        await burst(system.port, system.requests(load), clients)
        end = time.monotonic() + DRAINED_WITHIN_SECONDS
        while processed() < wanted and time.monotonic() < end:
            await asyncio.sleep(IDLE_LOOK_EVERY_SECONDS)
        await asyncio.sleep(RINGING_SECONDS)
        after = by_program(system, processed.backend)
    return Shares(_each(before, after, len(load.bodies)))


def by_program(system: System, watcher: int | None) -> Milliseconds:
    """Return the processor time so far of all programs of a system, and of the servers of this
    measurement but for ``watcher``. That of processes that ended is with whoever waited for them.
    """
    every = {process.id: process for process in every_process()}
    found: Milliseconds = {}
    for process in every.values():
        # This one names the store in its command line.
        if process.id in (watcher, os.getpid()):
            continue
        tree = [process.id, *above(process, every)]
        if system.root in tree:
            name = _program(process.id, system.name)
        elif os.getpid() in tree and (name := _server(process.id)):
            pass
        else:
            continue
        found[name] = found.get(name, 0.0) + _ms(process.id)
    return found


def _program(pid: int, name: str) -> str:
    words = command(pid)
    for part in PROGRAMS:
        if part in words:
            return PROGRAMS[part]
    with suppress(OSError):
        environment = Path(f"/proc/{pid}/environ").read_bytes().split(b"\0")
        for each in environment:
            if each.startswith(b"INSPECTOR_ROLE="):
                return each.partition(b"=")[2].decode()
    return name


def _server(pid: int) -> str:
    words = command(pid)
    return next((PROGRAMS[each] for each in (b"redis-server", b"postgres") if each in words), "")


def _ms(pid: int) -> float:
    with suppress(OSError):
        told = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
        return sum(map(int, told[11:15])) / CLOCK_TICKS * 1_000
    return 0.0


def _each(before: Milliseconds, after: Milliseconds, answers: int) -> Milliseconds:
    return {name: (ms - before.get(name, 0.0)) / answers for name, ms in after.items()}


def told(title: str, found: Mapping[str, Shares]) -> Table:
    names = sorted({name for shares in found.values() for name in shares.by_program})
    table = Table("load", "ms an answer", *names, box=None, title=title)
    for load, shares in found.items():
        each = (f"{shares.by_program.get(name, 0.0):.1f}" for name in names)
        table.add_row(load, f"{sum(shares.by_program.values()):.1f}", *each)
    return table
