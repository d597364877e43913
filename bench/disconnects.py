"""Thousands of calls that are cut, by either side and anywhere: what does the proxy leave behind?

    .venv/bin/python bench/disconnects.py [--calls 10000] [--at-once 50] [--seed 1] [--seconds 900]

Callers and upstream are this script, the installation is of this checkout and is thrown away.
Each call's cut is drawn by chance from the seed: who goes, by FIN or RST, before the request is
whole, before the first byte, or anywhere in the answer, while the upstream is silent or goes on.
A call that is cut must be stored with what came, marked by how it ended, and its upstream's
connection closed; afterwards no socket, task or file of the spool may be left.
"""

from __future__ import annotations

import argparse
import asyncio
import hashlib
import random
import socket
import struct
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass, field
from enum import StrEnum
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from callers.answers import chat_events  # noqa: E402
from callers.upstream import read_call  # noqa: E402
from capturing import HOST, Installation, installed  # noqa: E402

PAYLOAD = b"".join(chat_events(False))
RESETS = struct.pack("ii", 1, 0)
"""``SO_LINGER``: what closes the socket sends RST."""
HEAD = (
    b"HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nTransfer-Encoding: chunked\r\n"
    b"Connection: close\r\n\r\n"
)
GOES_ON_SECONDS = 0.005
CLOSED_WITHIN_SECONDS = 30.0
CAPTURED = (
    "SELECT request_url, sha256, outcome FROM archive_capture WHERE request_url LIKE '%/cut-%'"
)


class Cut(StrEnum):
    REQUEST = "caller, in its request"
    CALLER = "caller, upstream silent"
    CALLER_BUSY = "caller, upstream goes on"
    UPSTREAM_HEAD = "upstream, in its head"
    UPSTREAM = "upstream"
    NOBODY = "nobody"


BY_CALLER = (Cut.REQUEST, Cut.CALLER, Cut.CALLER_BUSY)
OUTCOMES = {
    Cut.REQUEST: {"client-cancelled", "upstream-error"},
    Cut.CALLER: {"client-cancelled"},
    Cut.CALLER_BUSY: {"client-cancelled"},
    Cut.UPSTREAM_HEAD: {"upstream-error"},
    Cut.UPSTREAM: {"upstream-error"},
    Cut.NOBODY: {"ended"},
}


@dataclass(slots=True)
class CutCall:
    name: str
    cut: Cut
    resets: bool
    offset: int
    """Bytes of the answer, or of its head, that are sent before."""
    sent: bytearray = field(default_factory=bytearray)
    left_at: float = 0.0
    seen_at: float = 0.0
    """When the upstream saw that the caller had left."""
    has_reached: asyncio.Event = field(default_factory=asyncio.Event)
    is_over: asyncio.Event = field(default_factory=asyncio.Event)
    """At the upstream."""


def drawn(count: int, seed: int) -> Iterator[CutCall]:
    chance = random.Random(seed)
    for number in range(count):
        cut = chance.choice(list(Cut))
        limit = len(HEAD) - 1 if cut is Cut.UPSTREAM_HEAD else len(PAYLOAD)
        yield CutCall(f"cut-{number}", cut, chance.random() < 0.5, chance.randrange(limit))


@dataclass(slots=True)
class CuttingUpstream:
    plans: dict[str, CutCall]
    open_connections: int = 0

    async def serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self.open_connections += 1
        try:
            with suppress(ConnectionError, asyncio.IncompleteReadError):
                head = await reader.readuntil(b"\r\n\r\n")
                plan = self.plans[head.decode("latin-1").split("/")[1]]
                plan.has_reached.set()
                try:
                    await read_call(head.decode("latin-1"), reader)
                    await play(plan, reader, writer)
                finally:
                    plan.is_over.set()
        finally:
            self.open_connections -= 1
            writer.close()


async def play(plan: CutCall, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    if plan.cut is Cut.UPSTREAM_HEAD:
        writer.write(HEAD[: plan.offset])
        leave(writer, plan.resets)
        return
    writer.write(HEAD)
    say(plan, writer, PAYLOAD if plan.cut is Cut.NOBODY else PAYLOAD[: plan.offset])
    await writer.drain()
    if plan.cut is Cut.NOBODY:
        writer.write(b"0\r\n\r\n")
    elif plan.cut is Cut.UPSTREAM:
        leave(writer, plan.resets)
    else:
        await until_left(plan, reader, writer)


async def until_left(
    plan: CutCall, reader: asyncio.StreamReader, writer: asyncio.StreamWriter
) -> None:
    gone = asyncio.create_task(reader.read())
    while not gone.done():
        if plan.cut is Cut.CALLER_BUSY:
            say(plan, writer, b": still here\n\n")
            await asyncio.wait([gone], timeout=GOES_ON_SECONDS)
        else:
            await asyncio.wait([gone])
    gone.exception()
    plan.seen_at = time.perf_counter()


def say(plan: CutCall, writer: asyncio.StreamWriter, data: bytes) -> None:
    if data:
        plan.sent += data
        writer.write(b"%x\r\n%b\r\n" % (len(data), data))


def leave(writer: asyncio.StreamWriter, resets: bool) -> None:
    if resets:
        made: socket.socket = writer.get_extra_info("socket")
        made.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, RESETS)
        writer.transport.abort()
    else:
        writer.close()


# -- callers --------------------------------------------------------------------------------------


async def call(plan: CutCall, ours: Installation) -> None:
    reader, writer = await asyncio.open_connection(HOST, ours.port)
    body = b'{"model": "m-1", "stream": true, "messages": []}'
    head = (
        f"POST {ours.path}/{plan.name}/v1/chat/completions HTTP/1.1\r\nHost: {HOST}\r\n"
        f"Connection: close\r\nContent-Type: application/json\r\n"
        f"Content-Length: {len(body)}\r\n\r\n"
    ).encode()
    if plan.cut is Cut.REQUEST:
        whole = head + body
        writer.write(whole[: plan.offset % len(whole)])
        await writer.drain()
    else:
        writer.write(head + body)
        with suppress(ConnectionError, asyncio.IncompleteReadError):
            await listen(plan, reader)
    plan.left_at = time.perf_counter()
    leave(writer, plan.resets)
    # Half a request may or may not have been forwarded yet.
    if plan.has_reached.is_set():
        async with asyncio.timeout(CLOSED_WITHIN_SECONDS):
            await plan.is_over.wait()


async def listen(plan: CutCall, reader: asyncio.StreamReader) -> None:
    if plan.cut not in BY_CALLER:
        await reader.read()
        return
    if plan.offset % 4 == 0:
        # Before the first byte, or at it.
        await plan.has_reached.wait()
        return
    await reader.readuntil(b"\r\n\r\n")
    had = 0
    while had < plan.offset:
        had += await chunk(reader)


async def chunk(reader: asyncio.StreamReader) -> int:
    size = int(await reader.readline(), 16)
    await reader.readexactly(size + 2)
    return size or len(PAYLOAD)


# -- figures --------------------------------------------------------------------------------------


@dataclass(slots=True)
class Figures:
    """Of the proxy's process."""

    sockets: int
    tasks: float
    files: int
    rss_bytes: int


def figures(ours: Installation) -> Figures:
    tasks = ours.metrics().get("inspector_proxy_tasks", float("nan"))
    return Figures(ours.sockets(), tasks, len(ours.spool_files()), ours.process().rss_bytes)


def complaints(plans: dict[str, CutCall], ours: Installation) -> Iterator[str]:
    stored: dict[str, list[tuple[str, str]]] = {}
    for url, sha256, outcome in ours.ask(CAPTURED):
        name = next(part for part in str(url).split("/") if part.startswith("cut-"))
        stored.setdefault(name, []).append((str(sha256), str(outcome)))
    for name, plan in plans.items():
        found = stored.get(name, [])
        if len(found) > 1 or (not found and plan.cut is not Cut.REQUEST):
            yield f"{plan.cut}: {len(found)} captures"
        for sha256, outcome in found[:1]:
            if outcome not in OUTCOMES[plan.cut]:
                yield f"{plan.cut}: stored as {outcome}"
            if not begins_with(bytes(plan.sent), sha256):
                yield f"{plan.cut}: other bytes"


def begins_with(sent: bytes, sha256: str) -> bool:
    growing = hashlib.sha256()
    for byte in sent:
        if growing.hexdigest() == sha256:
            return True
        growing.update(bytes([byte]))
    return growing.hexdigest() == sha256


async def measured(count: int, at_once: int, seed: int, seconds: float) -> int:
    plans = {plan.name: plan for plan in drawn(count, seed)}
    upstream = CuttingUpstream(plans)
    server = await asyncio.start_server(upstream.serve, HOST, 0)
    port = server.sockets[0].getsockname()[1]
    with tempfile.TemporaryDirectory() as folder:
        starting = installed(Path(folder), f"http://{HOST}:{port}")
        ours = await asyncio.to_thread(starting.__enter__)
        try:
            before = await asyncio.to_thread(figures, ours)
            started = time.monotonic()
            async with asyncio.timeout(seconds):
                await all_of(plans, ours, at_once)
            took = time.monotonic() - started
            await asyncio.to_thread(ours.wait_until_settled)
            after = await asyncio.to_thread(figures, ours)
            wrong = await asyncio.to_thread(lambda: list(complaints(plans, ours)))
            print(f"{count} calls of seed {seed} in {took:.0f} s, balance {ours.balance()}")
        finally:
            await asyncio.to_thread(starting.__exit__, None, None, None)
    tell(plans, before, after, upstream.open_connections, wrong)
    return len(wrong)


async def all_of(plans: dict[str, CutCall], ours: Installation, at_once: int) -> None:
    waiting = iter(plans.values())

    async def work() -> None:
        for plan in waiting:
            await call(plan, ours)

    async with asyncio.TaskGroup() as group:
        for _ in range(at_once):
            group.create_task(work())


def tell(
    plans: dict[str, CutCall], before: Figures, after: Figures, left: int, wrong: list[str]
) -> None:
    for cut, number in Counter(plan.cut for plan in plans.values()).items():
        print(f"{number:7} cut by {cut}")
    waits = sorted(plan.seen_at - plan.left_at for plan in plans.values() if plan.seen_at)
    p50, p99 = waits[len(waits) // 2], waits[len(waits) * 99 // 100]
    told = " ".join(f"{wait * 1000:.1f}" for wait in (p50, p99, waits[-1]))
    print(f"upstream closed after the caller left, p50, p99 and longest in ms: {told}")
    for name in ("sockets", "tasks", "files", "rss_bytes"):
        print(f"{name:10} before {getattr(before, name):>12} after {getattr(after, name):>12}")
    print(f"connections left open at the upstream: {left}")
    for said, number in Counter(wrong).most_common():
        print(f"{number:7} {said}")
    print(f"{len(wrong)} complaints")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--calls", type=int, default=10_000)
    parser.add_argument("--at-once", type=int, default=50)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--seconds", type=float, default=900)
    chosen = parser.parse_args()
    done = measured(chosen.calls, chosen.at_once, chosen.seed, chosen.seconds)
    raise SystemExit(bool(asyncio.run(done)))


if __name__ == "__main__":
    main()
