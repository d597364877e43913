"""Cost of the capturing proxy to a stream, beside a bare pipe and LiteLLM's proxy, in one run.

    python3 bench/proxy.py [--rounds N] [--clients 1 20 100] [--peers FOLDER] [--store postgresql]
    python3 bench/proxy.py --minutes N                     memory under 100 streams, ours alone

A provider on this machine sends streams of 200 chunks, one every 5 ms, and writes the time of
sending into each (bench/timestamped_streams.py). Every route to it takes the same streams, one
after the other in every round, so that a busy machine is busy for all: none (straight to the
provider), a bare pipe of ASGI and aiohttp under uvicorn, ours as ``manage.py up`` starts it, with
its recorder and whatever inspects what it captured, and LiteLLM's proxy (only with --peers) in an
environment of its own, made from bench/litellm.lock in FOLDER at the first run. What is *added* is
the difference to none in the same round; told are medians over the rounds. The processor's time per
chunk is that of the proxy's process; the recorder's is told apart, and together. Loopback only,
bounded in time; the provider and the clients share the cores with what is measured.
"""

import argparse
import os
import signal
import sys
import time
from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from statistics import median

import uvloop
from rich.console import Console
from rich.table import Table

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from aims import Aim  # noqa: E402
from databases import POSTGRESQL, SQLITE  # noqa: E402
from intake import Place, load_average, place_of  # noqa: E402
from measures import percentiles  # noqa: E402
from routes import (  # noqa: E402
    DIRECT,
    LITELLM,
    OTHERS,
    OURS,
    PIPE,
    PROXY,
    RECORDER,
    Route,
    litellm,
    our_proxy,
    pipe,
    provider,
)
from timestamped_streams import CHUNKS, EVERY_SECONDS, Streams, streams  # noqa: E402

STREAMS_EACH = 3
"""Streams of each client in a round: its middle one has all others beside it."""
WARMING_CLIENTS = 4
MEMORY_CLIENTS = 100
SETTLING_MINUTES = 1
MAX_GROWTH = 1.05


@dataclass(frozen=True, slots=True)
class Passed:
    """One round of one route."""

    first_ms: float
    chunk_ms: tuple[float, float]
    """p50 and p99 from the provider's sending to the client's reading."""
    stream_s: float
    chunks: int
    lost: int
    cpu_us: dict[str, float]
    """Per chunk, by part."""
    rss_mb: dict[str, float]


@dataclass(slots=True)
class Found:
    rounds: dict[tuple[int, str], list[Passed]] = field(default_factory=lambda: defaultdict(list))
    """By clients and route."""

    def middle(self, clients: int, route: str, of: Callable[[Passed], float]) -> float:
        rounds = self.rounds.get((clients, route), [])
        return median(map(of, rounds)) if rounds else float("nan")

    def added(self, clients: int, route: str, of: Callable[[Passed], float]) -> float:
        return self._paired(clients, route, DIRECT, lambda one, none: of(one) - of(none))

    def ratio(self, clients: int, route: str, other: str, of: Callable[[Passed], float]) -> float:
        return self._paired(clients, route, other, lambda one, two: of(one) / (of(two) or 1e-9))

    def added_ratio(self, clients: int, route: str, other: str) -> float:
        return self.added(clients, route, first_ms) / self.added(clients, other, first_ms)

    def _paired(
        self, clients: int, route: str, other: str, of: Callable[[Passed, Passed], float]
    ) -> float:
        """Return the median over the rounds of what is made of the two in each."""
        one, two = self.rounds.get((clients, route), []), self.rounds.get((clients, other), [])
        if not (one and two):
            return float("nan")
        return median(of(*pair) for pair in zip(one, two, strict=True))


def first_ms(passed: Passed) -> float:
    return passed.first_ms


def stream_s(passed: Passed) -> float:
    return passed.stream_s


def chunk_p50(passed: Passed) -> float:
    return passed.chunk_ms[0]


def chunk_p99(passed: Passed) -> float:
    return passed.chunk_ms[1]


def proxy_cpu(passed: Passed) -> float:
    return passed.cpu_us.get(PROXY, 0.0)


def recording_cpu(passed: Passed) -> float:
    return proxy_cpu(passed) + passed.cpu_us.get(RECORDER, 0.0)


# -- rounds ---------------------------------------------------------------------------------------


def passed_by(route: Route, clients: int, each: int = STREAMS_EACH) -> Passed:
    requests, before = route.requests(clients), route.cpu_seconds()
    found = uvloop.run(streams(route.port, requests, each))
    after = route.cpu_seconds()
    chunks = max(1, len(found.delays_ns))
    p50, _, p99 = percentiles(found.delays_ns)
    return Passed(
        first_ms=median(found.first_seconds or [float("nan")]) * 1e3,
        chunk_ms=(p50 / 1e6, p99 / 1e6),
        stream_s=median(found.seconds or [float("nan")]),
        chunks=len(found.delays_ns),
        lost=complain(route, found),
        cpu_us={part: (after[part] - before.get(part, 0)) / chunks * 1e6 for part in after},
        rss_mb=route.rss_mb(),
    )


def complain(route: Route, found: Streams) -> int:
    if found.lost:
        print(f"{route.name} lost {found.lost} streams: {found.why_lost}", flush=True)
    return found.lost


def rounds_of(routes: list[Route], asked: argparse.Namespace) -> Found:
    found = Found()
    for route in routes:
        # Whatever is imported or connected by a first call is no part of any round.
        passed_by(route, WARMING_CLIENTS)
    for number in range(asked.rounds):
        # Nobody is always the first after a pause.
        turn = number % len(routes)
        for clients in asked.clients:
            for route in routes[turn:] + routes[:turn]:
                found.rounds[clients, route.name].append(passed_by(route, clients))
                time.sleep(asked.rest)
        print(f"round {number + 1}: load average {load_average()}", flush=True)
    return found


# -- telling --------------------------------------------------------------------------------------


def routes_table(store: str, found: Found) -> Table:
    heads = (
        "clients",
        "route",
        "first byte ms",
        "added",
        "chunk p50 ms",
        "added",
        "p99 ms",
        "added",
    )
    more = ("added", "stream s", "lost", "CPU µs/chunk", "recorder", "others", "MB", "recorder")
    table = Table(*heads, *more, box=None, title=f"{store}: streams of {CHUNKS} chunks")
    for clients, route in found.rounds:
        times = [
            text
            for of in (first_ms, chunk_p50, chunk_p99)
            for text in (
                f"{found.middle(clients, route, of):.2f}",
                "" if route == DIRECT else f"{found.added(clients, route, of):.2f}",
            )
        ]
        table.add_row(
            str(clients),
            route,
            *times,
            f"{found.middle(clients, route, stream_s):.3f}",
            str(sum(passed.lost for passed in found.rounds[clients, route])),
            *parts(found, clients, route, lambda p: p.cpu_us, (PROXY, RECORDER, OTHERS)),
            *parts(found, clients, route, lambda p: p.rss_mb, (PROXY, RECORDER)),
        )
    return table


def parts(
    found: Found,
    clients: int,
    route: str,
    of: Callable[[Passed], dict[str, float]],
    names: Sequence[str],
) -> Iterator[str]:
    for name in names:
        values = [of(passed)[name] for passed in found.rounds[clients, route] if name in of(passed)]
        yield f"{median(values):.0f}" if values else ""


def aims(found: Found, clients: int) -> list[Aim]:
    told = [
        Aim(
            "first byte added, of LiteLLM's",
            found.added_ratio(clients, OURS, LITELLM),
            0.25 if clients < 20 else 0.1,
            False,
            "a look-up of the key, one more connection",
        ),
        Aim(
            "CPU per chunk, of LiteLLM's",
            found.ratio(clients, OURS, LITELLM, proxy_cpu),
            0.125,
            False,
            "no parsing on the way",
        ),
        Aim(
            "CPU per chunk, of the bare pipe's",
            found.ratio(clients, OURS, PIPE, proxy_cpu),
            2.5,
            False,
            "the copy for the recorder",
        ),
        Aim(
            "stream's time, of none between",
            found.ratio(clients, OURS, DIRECT, stream_s),
            1.05,
            False,
            "one core for all streams",
        ),
    ]
    if clients <= 20:
        p50, p99 = (found.added(clients, OURS, of) for of in (chunk_p50, chunk_p99))
        told.append(Aim("chunk p50 added, ms", p50, 0.5, False, "two reads and two writes"))
        told.append(Aim("chunk p99 added, ms", p99, 2, False, "two cores for everybody"))
    return [aim for aim in told if aim.value == aim.value]


def told_aims(store: str, found: Found, asked: argparse.Namespace) -> Table:
    table = Table("ours", "clients", "found", "aim", "", "what bounds it", box=None)
    table.title = f"{store}: aims"
    for clients in asked.clients:
        for aim in aims(found, clients):
            table.add_row(aim.what, str(clients), *aim.told(), aim.limit)
        both = found.ratio(clients, OURS, PIPE, recording_cpu)
        if both == both:
            with_recorder = "CPU per chunk with the recorder's, of the bare pipe's"
            table.add_row(with_recorder, str(clients), f"{both:.2f}", "", "", "for comparison")
    return table


# -- runs -----------------------------------------------------------------------------------------


@contextmanager
def ours_on(place: Place, upstream: Route) -> Iterator[Route]:
    redis_url = place.servers.redis_url if place.servers else None
    database, folder = place.database("ours"), place.folder / "ours"
    with our_proxy(folder, database, redis_url, upstream.port) as route:
        yield route


def compare(store: str, asked: argparse.Namespace, console: Console) -> None:
    with ExitStack() as ending:
        place = ending.enter_context(place_of(store))
        direct = ending.enter_context(provider(place.folder))
        routes = [direct, ending.enter_context(pipe(place.folder, direct.port))]
        if not asked.without_ours:
            routes.append(ending.enter_context(ours_on(place, direct)))
        if asked.peers:
            peer = litellm(place.folder, direct.port, asked.peers)
            routes.append(ending.enter_context(peer))
        found = rounds_of(routes, asked)
    console.print(routes_table(store, found))
    console.print(told_aims(store, found, asked))


def remember(store: str, asked: argparse.Namespace, console: Console) -> None:
    """Run a minute of 100 streams after the other; what counts is the memory at the end of each."""
    table = Table("minute", "proxy MB", "recorder MB", "lost", "CPU µs/chunk", "recorder", box=None)
    table.title = f"{store}: {MEMORY_CLIENTS} streams at once for {asked.minutes} minutes"
    each = round(60 / (CHUNKS * EVERY_SECONDS))
    minutes: list[Passed] = []
    with ExitStack() as ending:
        place = ending.enter_context(place_of(store))
        direct = ending.enter_context(provider(place.folder))
        route = ending.enter_context(ours_on(place, direct))
        for minute in range(1, asked.minutes + 1):
            passed = passed_by(route, MEMORY_CLIENTS, each)
            minutes.append(passed)
            rss, cpu = passed.rss_mb, passed.cpu_us
            row = (rss.get(PROXY, 0), rss.get(RECORDER, 0), passed.lost, cpu[PROXY], cpu[RECORDER])
            table.add_row(str(minute), *(f"{value:.0f}" for value in row))
            print(f"minute {minute}: load average {load_average()}", flush=True)
    console.print(table)
    for part in (PROXY, RECORDER):
        grown = growth([passed.rss_mb.get(part, 0.0) for passed in minutes])
        aim = Aim(f"memory of the {part}, last minute of the first", grown, MAX_GROWTH, False, "")
        console.print(f"{aim.what}: {' '.join(aim.told())}")


def growth(sizes: Sequence[float]) -> float:
    """Return the last minute's, of that in which whatever is kept for ever was there."""
    settled = sizes[SETTLING_MINUTES:] or sizes
    return settled[-1] / (settled[0] or 1e-9)


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    stores = {"sqlite": SQLITE, "postgresql": POSTGRESQL}
    parser.add_argument("--store", choices=stores, default="sqlite")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--clients", type=int, nargs="+", default=[1, 20, 100])
    parser.add_argument("--rest", type=float, default=2.0, help="seconds after each turn")
    parser.add_argument("--peers", type=Path, metavar="FOLDER")
    parser.add_argument("--without-ours", action="store_true", help="the pipe and the peers alone")
    parser.add_argument("--minutes", type=int, help="measure memory instead, for so long")
    parser.add_argument("--limit", type=int, default=120, help="minutes until everything ends")
    asked = parser.parse_args()
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))
    signal.signal(signal.SIGALRM, lambda *_: sys.exit("out of time"))
    signal.alarm(asked.limit * 60)
    console = Console(width=170)
    store = stores[asked.store]
    console.print(f"{store}: {os.cpu_count()} cores, load average {load_average()}")
    (remember if asked.minutes else compare)(store, asked, console)


if __name__ == "__main__":
    main()
