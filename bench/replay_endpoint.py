"""Do stored streams come again through the proxy as they were, and what do calls beside them feel?

    .venv/bin/python bench/replay_endpoint.py [--corpus FOLDER]... [--streams N] [--at-once N...]
        [--clients [--only NAME]...]

An installation in a folder that is thrown away stores our own samples and, of corpora with a
``manifest.jsonl``, N streams spread over them. Each is asked for by its id and by its prompt in a
set: SHA-256 of the body against the stored one, and the moment of each read against the recorded
one, so many at once. Then calls are forwarded, alone and beside replays that never rest.

``--clients`` has the SDKs of bench/replay.py read them by their ids instead: the text against our
own reading, and what reached their sockets against the stored bytes, by SHA-256.
"""

from __future__ import annotations

import argparse
import asyncio
import hashlib
import http.client
import json
import os
import statistics
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Awaitable, Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread
from urllib.parse import urlsplit

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))

from callers.tap import Tap, tapped  # noqa: E402
from capturing import HOST, Installation, installed, manage  # noqa: E402
from replay import (  # noqa: E402
    CLIENTS,
    PATHS,
    SAME,
    Caller,
    Received,
    Stream,
    calling,
    ending_of,
    of_corpora,
    our_text,
    samples,
)

from clients import Environments, environments  # noqa: E402

TAG = "bench"
CALLS = 300
BUSY_REPLAYS = 20
SETTLED_WITHIN_SECONDS = 300.0
UNAVAILABLE = 503
ENVELOPE = "application/vnd.inspector.exchange+json"


@dataclass(frozen=True, slots=True)
class Archive:
    """An installation with the streams in it, and the key that has them replayed."""

    installation: Installation
    key: str
    ids: tuple[str, ...]

    async def by_id(self, number: int, stream: Stream, options: str = "") -> Received:
        return await self._received(stream, f"/replay/{self.ids[number]}{options}")

    async def by_prompt(self, number: int, stream: Stream, options: str = "") -> Received:
        return await self._received(stream, f"/replay/set/tag:{TAG}{options}")

    async def _received(self, stream: Stream, base: str) -> Received:
        reader, writer = await asyncio.open_connection(HOST, self.installation.port)
        body = json.dumps(stream.request).encode()
        head = (
            f"POST {base}{PATHS[stream.kind]} HTTP/1.1\r\nHost: x\r\nConnection: close\r\n"
            f"x-api-key: {self.key}\r\nContent-Length: {len(body)}\r\n\r\n"
        )
        writer.write(head.encode() + body)
        await writer.drain()
        sent_at = time.monotonic()
        told = await reader.readuntil(b"\r\n\r\n")
        if not told.startswith(b"HTTP/1.1 200"):
            raise SystemExit(f"{told!r} {await reader.read()!r}")
        came, arrivals = bytearray(), []
        while size := int(await reader.readline(), 16):
            came += await reader.readexactly(size)
            arrivals.append(((time.monotonic() - sent_at) * 1e6, len(came)))
            await reader.readexactly(2)
        writer.close()
        return Received(bytes(came), tuple(arrivals))


Ask = Callable[[int, Stream, str], Awaitable[Received]]


# -- the installation ------------------------------------------------------------------------------


@contextmanager
def archive_of(streams: Sequence[Stream], upstream: str) -> Iterator[Archive]:
    with tempfile.TemporaryDirectory() as folder, installed(Path(folder), upstream) as found:
        environment = {
            "PATH": os.environ["PATH"],
            "HOME": os.environ.get("HOME", "/"),
            "INSPECTOR_BOOTSTRAP": "0",
            "INSPECTOR_DATA_DIR": folder,
        }
        team = ("create_api_key", "--team", "default", "--name", "bench")
        sender = manage(environment, *team)
        key = manage(environment, *team, "--scope", "replay")
        origin = Path(folder, "origin").read_text().strip()
        ids = tuple(stored(origin, sender, stream) for stream in streams)
        found.wait_until_settled()
        yield Archive(found, key, ids)


def stored(origin: str, key: str, stream: Stream) -> str:
    there = urlsplit(origin)
    connection = http.client.HTTPConnection(there.hostname or HOST, there.port, timeout=30)
    headers = {"Authorization": f"Bearer {key}", "Content-Type": ENVELOPE}
    connection.request("POST", f"/api/v1/captures/?tag={TAG}", stream.envelope(), headers)
    response = connection.getresponse()
    answer = json.loads(response.read())
    connection.close()
    if response.status == UNAVAILABLE:
        # Of a machine with much else to do: what is stored is no part of the measurement.
        time.sleep(1)
        return stored(origin, key, stream)
    if response.status not in (200, 202):
        raise SystemExit(f"not stored: {response.status} {answer}")
    capture_id: str = answer["id"]
    return capture_id


# -- bytes and times -------------------------------------------------------------------------------


async def all_of(ask: Ask, streams: Sequence[Stream], options: str, at_once: int) -> list[Received]:
    turns = asyncio.Semaphore(at_once)

    async def one(number: int, stream: Stream) -> Received:
        async with turns:
            return await ask(number, stream, options)

    return await asyncio.gather(*(one(number, each) for number, each in enumerate(streams)))


def compare(archive: Archive, streams: Sequence[Stream], counts: Sequence[int]) -> None:
    ways = {"by id": archive.by_id, "by prompt": archive.by_prompt}
    for way, ask in ways.items():
        for options in (";speed=0", ";speed=0;split=7", ";speed=16;jitter=1"):
            found = asyncio.run(all_of(ask, streams, options, 20))
            print(f"{way:<10} {options:<20} {equal(found, streams)} of {len(streams)} equal")
    for at_once in counts:
        found = asyncio.run(all_of(archive.by_id, streams, "", at_once))
        told = f"{equal(found, streams)} of {len(streams)} equal"
        print(f"{at_once:>4} at once, speed 1: {told}, ms late {lateness(found, streams)}")
    print(f"load of the machine: {os.getloadavg()[0]:.1f}")


def equal(found: Sequence[Received], streams: Sequence[Stream]) -> int:
    pairs = zip(found, streams, strict=True)
    return sum(sha256(each.body) == sha256(stream.body) for each, stream in pairs)


def sha256(body: bytes) -> bytes:
    return hashlib.sha256(body).digest()


def lateness(found: Sequence[Received], streams: Sequence[Stream]) -> str:
    pairs = zip(found, streams, strict=True)
    late = [each / 1000 for one, stream in pairs for each in one.lateness_us(stream)]
    at = statistics.quantiles(late, n=100)
    shown = {"p50": at[49], "p95": at[94], "p99": at[98], "max": max(late)}
    early = sum(each < -1 for each in late)
    parts = ", ".join(f"{name} {value:.2f}" for name, value in shown.items())
    return f"{parts} ({len(late)} reads, {early} early by 1 ms)"


# -- clients ---------------------------------------------------------------------------------------


async def read_by_clients(
    archive: Archive, streams: Sequence[Stream], clients: Sequence[str], found: Environments
) -> None:
    for client in clients:
        fitting = [
            (number, each) for number, each in enumerate(streams) if each.kind == CLIENTS[client]
        ]
        same_bytes, endings = 0, Counter[str]()
        async with tapped(archive.installation.port) as tap:
            with calling(client, found) as caller:
                for number, stream in fitting:
                    ending, is_equal = await read_by(caller, tap, archive, number, stream)
                    same_bytes += is_equal
                    endings[ending] += 1
        told = f"{same_bytes} of {len(fitting)} equal by SHA-256"
        print(f"{client:<18} {told}, {dict(endings)}", flush=True)


async def read_by(
    caller: Caller, tap: Tap, archive: Archive, number: int, stream: Stream
) -> tuple[str, bool]:
    """What the client made of a stream, and whether its socket got the stored bytes."""
    root = f"http://{HOST}:{tap.port}/replay/{archive.ids[number]};speed=0"
    told = await asyncio.to_thread(caller.read, root, stream.name, 0, archive.key)
    ending = ending_of(told, our_text(stream))
    if ending != SAME:
        print(f"    {stream.name}: {ending} {told.get('message', '')[:80]}")
    # A client may have kept a connection: its answers before this one were to other paths.
    answers = (each for each in tap.answers() if archive.ids[number] in each.path)
    had = [sha256(answer.body) for answer in answers]
    return ending, had == [sha256(stream.body)]


# -- calls beside ----------------------------------------------------------------------------------


class Echo(BaseHTTPRequestHandler):
    """An upstream that answers at once."""

    protocol_version = "HTTP/1.1"
    wbufsize = 1 << 16

    def do_POST(self) -> None:
        self.rfile.read(int(self.headers["Content-Length"]))
        self.send_response(200)
        self.send_header("Content-Length", "2")
        self.end_headers()
        self.wfile.write(b"{}")

    def log_message(self, *_: object) -> None:
        pass


@contextmanager
def echoing() -> Iterator[str]:
    with ThreadingHTTPServer((HOST, 0), Echo) as server:
        thread = Thread(target=server.serve_forever)
        thread.start()
        try:
            yield f"http://{HOST}:{server.server_port}"
        finally:
            server.shutdown()
            thread.join()


def call_times_ms(installation: Installation) -> list[float]:
    connection = http.client.HTTPConnection(HOST, installation.port, timeout=30)
    found = []
    for _ in range(CALLS):
        began = time.monotonic()
        connection.request("POST", f"{installation.path}/v1/embeddings", b"{}")
        connection.getresponse().read()
        found.append((time.monotonic() - began) * 1000)
        time.sleep(0.005)
    connection.close()
    return found


async def beside(archive: Archive, streams: Sequence[Stream], options: str) -> list[float]:
    """Times of calls while so many replays are open at every moment."""
    is_over = asyncio.Event()

    async def replay_on(first: int) -> None:
        number = first
        while not is_over.is_set():
            at = number % len(streams)
            await archive.by_id(at, streams[at], options)
            number += 1

    replaying = [asyncio.create_task(replay_on(7 * each)) for each in range(BUSY_REPLAYS)]
    with ThreadPoolExecutor(1) as thread:
        loop = asyncio.get_running_loop()
        found = await loop.run_in_executor(thread, call_times_ms, archive.installation)
    is_over.set()
    await asyncio.gather(*replaying)
    return found


def measure_calls(archive: Archive, streams: Sequence[Stream]) -> None:
    call_times_ms(archive.installation)
    alone = call_times_ms(archive.installation)
    tell_calls("alone", alone)
    for options in ("", ";speed=0"):
        what = f"{BUSY_REPLAYS} replays{options or ';speed=1'}"
        tell_calls(what, asyncio.run(beside(archive, streams, options)))


def tell_calls(what: str, times_ms: Sequence[float]) -> None:
    at = statistics.quantiles(times_ms, n=100)
    print(f"calls, {what:<22} p50 {at[49]:.2f} ms, p95 {at[94]:.2f} ms, p99 {at[98]:.2f} ms")


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--corpus", type=Path, action="append", default=[])
    parser.add_argument("--streams", type=int, default=100)
    parser.add_argument("--at-once", type=int, nargs="+", default=[1, 20, 100])
    parser.add_argument("--clients", action="store_true")
    parser.add_argument("--only", choices=tuple(CLIENTS), action="append")
    parser.add_argument("--python", type=Path, default=Path("var/bench-callers/python"))
    parser.add_argument("--node", type=Path, default=Path("var/bench-callers/node"))
    asked = parser.parse_args()
    streams = [*samples(), *of_corpora(asked.corpus, asked.streams)]
    with echoing() as upstream, archive_of(streams, upstream) as archive:
        if asked.clients:
            found = environments(asked.python, asked.node)
            chosen = asked.only or list(CLIENTS)
            asyncio.run(read_by_clients(archive, streams, chosen, found))
            return
        compare(archive, streams, asked.at_once)
        measure_calls(archive, streams)


if __name__ == "__main__":
    main()
