"""How long what a provider says takes until somebody who watches the call has it, and what that
costs.

    python3 bench/live.py [--store sqlite] [--streams 1 20 100] [--seconds 5]

A provider on this machine sends streams of a chunk every 50 ms, and writes the time of sending into
each (bench/stamped.py). They run through the proxy as ``manage.py up`` starts it, with its recorder
and its viewer. First nobody watches; then ten do, each a stream, or several the same where there
are fewer. Told are the times from the provider's sending until the event's data is at the watcher,
at whose end there is no browser, and the processor's time of each process for both. With PostgreSQL
and Redis the watchers are at the proxy of another host: one of its own data directory, to which no
call goes. Loopback only; the provider, clients and watchers share the cores with what is measured.
"""

from __future__ import annotations

import argparse
import asyncio
import sys
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import uvloop
from rich.console import Console
from rich.table import Table

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from aims import Aim  # noqa: E402
from databases import POSTGRESQL, SQLITE, Database  # noqa: E402
from intake import Place, load_average, place_of  # noqa: E402
from load import HOST  # noqa: E402
from measures import percentiles  # noqa: E402
from stamped import LONGEST_STAMP, STAMP, StampedClient, Streams  # noqa: E402
from systems import ROOT, environment_of_ours, manage, running, wait_until_ready  # noqa: E402
from ways import OURS, PROXY, RECORDER, VIEWER, Way, our_proxy, provider  # noqa: E402

from development.servers import free_port  # noqa: E402
from inspector.operations.up.supervisor import Program  # noqa: E402

EVERY_SECONDS = 0.05
WATCHERS = 10
SETTLING_SECONDS = 2.0
RECORDING = "SELECT count(*) FROM archive_capture WHERE state = 'recording'"
BOUND_SECONDS = 30.0
AIMS_MS = {SQLITE: 400.0, POSTGRESQL: 600.0}
PARTS = (PROXY, RECORDER, VIEWER)
TOKENS = """
from inspector.archive import watch_token
from inspector.archive.models import Capture
from inspector.teams.models import User
from inspector.teams.session_proof import proof_of
user = User.objects.filter(memberships__team__slug="default").first()
for one in Capture.objects.filter(state="recording").order_by("-received_at")[:{most}]:
    permit = watch_token.WatchPermit(one.pk, user.pk, proof_of(user), "http://127.0.0.1")
    print("token", watch_token.issue(permit))
"""


@dataclass(frozen=True, slots=True)
class Host:
    """``watched`` is where calls go, ``watching`` where watchers are: one proxy, or two."""

    watched: Way
    watching: Way
    database: Database
    environment: dict[str, str]

    @property
    def ways(self) -> dict[str, Way]:
        if self.watching is self.watched:
            return {"": self.watched}
        return {"": self.watched, "other host's ": self.watching}

    def cpu_seconds(self) -> dict[str, float]:
        return {
            f"{place}{part}": seconds
            for place, way in self.ways.items()
            for part, seconds in way.cpu_seconds().items()
            if part in PARTS
        }

    def tokens(self) -> list[str]:
        code = TOKENS.format(most=WATCHERS)
        said = manage(self.environment, "shell", "--no-imports", "-c", code)
        found = [line.split()[1] for line in said.splitlines() if line.startswith("token ")]
        return [found[number % len(found)] for number in range(WATCHERS)]


@dataclass(frozen=True, slots=True)
class Watched:
    delays_ns: list[int]
    lost: int
    without: dict[str, float]
    """Processor's time by process, as a share of one core, while nobody watches."""
    beside: dict[str, float]
    """The same with watchers."""


class LiveWatcher:
    """Takes what it is sent, and notes how old each stamp in it is."""

    def __init__(self, port: int, token: str) -> None:
        self._port, self._token = port, token
        self.since_ns: int | None = None
        """Stamps from then on count; None while it only catches up."""
        self.delays_ns: list[int] = []

    async def run(self) -> None:
        reader, writer = await asyncio.open_connection(HOST, self._port)
        try:
            writer.write(f"GET /live/{self._token} HTTP/1.1\r\nHost: {HOST}\r\n\r\n".encode())
            head = await reader.readuntil(b"\r\n\r\n")
            if not head.startswith(b"HTTP/1.1 200 "):
                raise SystemExit(f"a watcher is refused: {head!r}")
            rest = b""
            while data := await reader.read(1 << 20):
                rest = self._take(rest + data)
        finally:
            writer.close()

    def _take(self, data: bytes) -> bytes:
        now, after = time.monotonic_ns(), 0
        for stamp in STAMP.finditer(data):
            sent_ns, after = int(stamp[1]), stamp.end()
            if self.since_ns is not None and sent_ns >= self.since_ns:
                self.delays_ns.append(now - sent_ns)
        return data[max(after, len(data) - LONGEST_STAMP) :]


async def watch_streams(host: Host, count: int, chunks: int, seconds: float) -> Watched:
    lost = Streams()
    clients = [StampedClient(request, chunks, lost) for request in host.watched.requests(count)]
    calls = [asyncio.create_task(client.stream(host.watched.port)) for client in clients]
    try:
        await until_recording(host.database, count)
        await asyncio.sleep(SETTLING_SECONDS)
        without = await cpu_shares(host, seconds)
        tokens = await asyncio.to_thread(host.tokens)
        watchers = [LiveWatcher(host.watching.port, token) for token in tokens]
        watching = [asyncio.create_task(watcher.run()) for watcher in watchers]
        await asyncio.sleep(SETTLING_SECONDS)
        for watcher in watchers:
            watcher.since_ns = time.monotonic_ns()
        beside = await cpu_shares(host, seconds)
        ended = sum(task.done() for task in watching)
        for task in watching:
            task.cancel()
        await asyncio.gather(*watching, return_exceptions=True)
    finally:
        for call, client in zip(calls, clients, strict=True):
            call.cancel()
            client.close()
        await asyncio.gather(*calls, return_exceptions=True)
    delays = [delay for watcher in watchers for delay in watcher.delays_ns]
    return Watched(delays, ended, without, beside)


async def until_recording(database: Database, count: int) -> None:
    until = time.monotonic() + BOUND_SECONDS
    while database.number(RECORDING) < count:
        if time.monotonic() > until:
            raise SystemExit("the calls are not being recorded")
        await asyncio.sleep(0.1)


async def cpu_shares(host: Host, seconds: float) -> dict[str, float]:
    before, began = host.cpu_seconds(), time.monotonic()
    await asyncio.sleep(seconds)
    after, took = host.cpu_seconds(), time.monotonic() - began
    return {part: (after[part] - before.get(part, 0.0)) / took for part in after}


# -- installations --------------------------------------------------------------------------------


@contextmanager
def host_on(place: Place, chunks: int) -> Iterator[Host]:
    redis_url = place.servers.redis_url if place.servers else None
    database, folder = place.database("ours"), place.folder / "ours"
    environment = environment_of_ours(folder, database, redis_url)
    with (
        provider(place.folder, chunks, EVERY_SECONDS) as upstream,
        our_proxy(folder, database, redis_url, upstream.port) as way,
    ):
        if redis_url is None:
            yield Host(way, way, database, environment)
            return
        other = place.folder / "other"
        other.mkdir()
        with another_proxy(environment_of_ours(other, database, redis_url), other) as watching:
            yield Host(way, watching, database, environment)


@contextmanager
def another_proxy(environment: dict[str, str], folder: Path) -> Iterator[Way]:
    port, log = free_port(), folder / "proxy.log"
    line = (sys.executable, "manage.py", "proxy", "--port", str(port))
    with running(Program("another proxy", line, environment, ROOT, log)) as root:
        wait_until_ready(port, log)
        yield Way(OURS, port, lambda clients: [], root)


# -- telling --------------------------------------------------------------------------------------


def told(store: str, found: dict[int, Watched]) -> Table:
    parts = list(next(iter(found.values())).beside)
    heads = ("streams", "chunks", "p50 ms", "p95 ms", "lost", *(f"{part} %" for part in parts))
    table = Table(*heads, box=None)
    table.title = f"{store}: {WATCHERS} watchers; CPU of a core without them and with them"
    for count, watched in found.items():
        p50, p95 = delays_ms(watched)
        shares = (
            f"{watched.without.get(part, 0) * 100:.1f} → {watched.beside[part] * 100:.1f}"
            for part in parts
        )
        row = (str(count), str(len(watched.delays_ns)), f"{p50:.0f}", f"{p95:.0f}")
        table.add_row(*row, str(watched.lost), *shares)
    return table


def delays_ms(watched: Watched) -> tuple[float, float]:
    p50, p95, _ = percentiles(watched.delays_ns)
    return p50 / 1e6, p95 / 1e6


def aims(store: str, found: dict[int, Watched]) -> Iterator[Aim]:
    for count, watched in found.items():
        what = f"p95 ms at {count} streams"
        yield Aim(what, delays_ms(watched)[1], AIMS_MS[store], False, "ticks of the recorder")


def measure(store: str, counts: Sequence[int], seconds: float, console: Console) -> None:
    # As long as both measurements and what is between them; what is left over is cut.
    chunks = int((2 * seconds + BOUND_SECONDS + 4 * SETTLING_SECONDS) / EVERY_SECONDS)
    found: dict[int, Watched] = {}
    with place_of(store) as place, host_on(place, chunks) as host:
        for count in counts:
            found[count] = uvloop.run(watch_streams(host, count, chunks, seconds))
            print(f"{store}, {count} streams: load average {load_average()}", flush=True)
    console.print(told(store, found))
    for aim in aims(store, found):
        console.print(aim.what, *aim.told())


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    stores = {"sqlite": SQLITE, "postgresql": POSTGRESQL}
    parser.add_argument("--store", choices=stores, action="append")
    parser.add_argument("--streams", type=int, nargs="+", default=[1, 20, 100])
    parser.add_argument("--seconds", type=float, default=5.0, help="of each measurement")
    asked = parser.parse_args()
    console = Console(width=160)
    for store in asked.store or stores:
        measure(stores[store], asked.streams, asked.seconds, console)


if __name__ == "__main__":
    main()
