"""Our intake against a bare skeleton, raw inserts and Arize Phoenix: how fast, in one run.

    python3 bench/intake.py [--rounds N] [--posts N] [--peer FOLDER] [--store sqlite]
    python3 bench/intake.py --sustained SECONDS --rate N [--bytes N] [--store postgresql]
    python3 bench/intake.py --cost ANSWERS [--bytes N] [--store sqlite]

Everybody takes equal payloads (bench/payloads.py), one after the other in every round, so that a
busy machine is busy for all; told are each round's ratios, then the medians. *Burst*: everything as
fast as it is accepted, then the lag until the last is inspected (Phoenix: can be queried). *Idle*:
one post a second, from its acknowledgement until it is inspected. *Cost*: processor time by program
of streams sent one after the other, each when nothing else is under way; by one client and by eight
as fast as they are answered; and in batches; with the statements that captures take. Ours runs as
``manage.py up`` starts it, the skeleton on the same server with as many workers and threads,
Phoenix (only with --peer, and only with singles) in an environment of its own, made from
bench/phoenix.lock in FOLDER at the first run. Databases and Redis are private and thrown away;
PostgreSQL syncs every commit. What is stored per item is growth of the whole database. Loopback
only, bounded in time: five rounds on both databases take some minutes of two free cores, and much
longer beside other load, to which inspecting gives way. Needs the project's environment.
"""

from __future__ import annotations

import argparse
import asyncio
import os
import signal
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from itertools import product
from pathlib import Path
from statistics import median
from subprocess import DEVNULL, PIPE

from rich.console import Console
from rich.table import Table

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

import payloads  # noqa: E402
import processor  # noqa: E402
from aims import Aim  # noqa: E402
from databases import POSTGRESQL, SQLITE, Database, inserted, made  # noqa: E402
from measures import JSON, Burst, burst_on, idle_on, percentiles, rss  # noqa: E402
from started_systems import (  # noqa: E402
    OURS,
    PHOENIX,
    SKELETON,
    Load,
    System,
    ours,
    phoenix,
    skeleton,
)
from sustained import SSE, Rate, sustained_on  # noqa: E402

from development import servers  # noqa: E402

SINGLE, BATCH, STREAM = "2 kB", "100 × 2 kB", "160 kB stream"
PER_BATCH = 100
WARMING_POSTS, WARMING_CLIENTS = 32, 8
STREAM_BYTES, SUSTAINED_BYTES = 160_000, 20_000
MEDIAN_BYTES = 6_500
"""The length of a median recording."""
RAW_SINGLE, RAW_MANY = "raw, one a commit", "raw, 100 a commit"
RAW = {RAW_SINGLE: (1, 8), RAW_MANY: (PER_BATCH, 2)}
"""Rows per commit, and connections."""


@dataclass(slots=True)
class Found:
    """Everything that one store's rounds measured."""

    bursts: dict[tuple[str, int, str], list[Burst]] = field(default_factory=dict)
    """By load, clients and system."""
    raw: dict[str, list[float]] = field(default_factory=dict)
    idle_ms: dict[str, list[float]] = field(default_factory=dict)
    rss: dict[str, tuple[float, float]] = field(default_factory=dict)
    """Sum, and the largest process, in MB."""

    def of(self, load: str, clients: int, system: str) -> list[Burst]:
        return self.bursts.get((load, clients, system), [])


# -- rounds ---------------------------------------------------------------------------------------


def loads(asked: argparse.Namespace) -> Iterator[Load]:
    """Made anew for every round."""
    yield Load(SINGLE, JSON, answers(asked.posts))
    yield Load(BATCH, JSON, answers(asked.batches * PER_BATCH), PER_BATCH)
    yield Load(STREAM, SSE, [payloads.stream(STREAM_BYTES) for _ in range(asked.streams)])


def answers(count: int) -> list[bytes]:
    return [payloads.answer() for _ in range(count)]


def rounds_of(systems: list[System], bare: Database, asked: argparse.Namespace) -> Found:
    found = Found()
    for system in systems:
        # Whatever is imported or connected by a first call is no part of any round.
        asyncio.run(burst_on(system, Load("", JSON, answers(WARMING_POSTS)), WARMING_CLIENTS))
    for number in range(asked.rounds):
        # Nobody is always the first after a pause.
        turn = number % len(systems)
        round_of(systems[turn:] + systems[:turn], bare, asked, found)
        ratios = ", ".join(told_ratios(found, asked))
        print(f"round {number + 1}, load average {load_average()}: {ratios}", flush=True)
    found.rss = {system.name: rss(system) for system in systems}
    return found


def round_of(
    systems: Sequence[System], bare: Database, asked: argparse.Namespace, found: Found
) -> None:
    for load in loads(asked):
        for clients, system in product(asked.clients, systems):
            if system.name == PHOENIX and load.name != SINGLE:
                continue
            measured = asyncio.run(burst_on(system, load, clients))
            found.bursts.setdefault((load.name, clients, system.name), []).append(measured)
    for name, (per_commit, threads) in RAW.items():
        rows = inserted(bare, answers(asked.posts), per_commit, threads)
        found.raw.setdefault(name, []).append(rows)
    for system in systems:
        if system.name == OURS:
            idle = asyncio.run(idle_on(system, asked.idle))
            found.idle_ms.setdefault(system.name, []).extend(idle)


def told_ratios(found: Found, asked: argparse.Namespace) -> Iterator[str]:
    """Say how many singles ours accepted in the last round, for one of each other's."""
    for clients, other in product(asked.clients, (SKELETON, PHOENIX)):
        if each := ratios(found, clients, other, lambda b: b.accepted_per_s):
            yield f"{each[-1]:.2f} of {other}'s at {clients} clients"


def load_average() -> str:
    return " ".join(f"{each:.1f}" for each in os.getloadavg())


# -- telling --------------------------------------------------------------------------------------


def middle(bursts: Sequence[Burst], of: Callable[[Burst], float]) -> float:
    return mid([of(each) for each in bursts])


def told_bursts(store: str, found: Found) -> Table:
    heads = ("load", "clients", "system", "accepted/s", "least", "p50 ms", "p95", "p99", "lag s")
    more = ("refused", "lost", "cores", "CPU ms each", "kB stored each")
    table = Table(*heads, *more, box=None, title=f"{store}: bursts")
    for (load, clients, system), bursts in found.bursts.items():
        rates = [each.accepted_per_s for each in bursts]
        calls = [median(column) for column in zip(*(b.call_ms for b in bursts), strict=True)]
        table.add_row(
            load,
            str(clients),
            system,
            f"{median(rates):,.0f}",
            f"{min(rates):,.0f}",
            *(f"{ms:.1f}" for ms in calls),
            f"{middle(bursts, lambda b: b.lag_s):.2f}",
            str(sum(b.refused for b in bursts)),
            str(sum(b.lost for b in bursts)),
            f"{middle(bursts, lambda b: b.cores):.2f}",
            f"{middle(bursts, lambda b: b.cpu_ms):.2f}",
            f"{middle(bursts, lambda b: b.stored_bytes) / 1_000:.1f}",
        )
    return table


def told_beside(store: str, found: Found) -> Table:
    table = Table("beside them", "", box=None, title=f"{store}: floor, idle, memory")
    for name, rates in found.raw.items():
        table.add_row(name, f"{median(rates):,.0f} rows/s (least {min(rates):,.0f})")
    for name, idle in found.idle_ms.items():
        p50, p95, _ = percentiles(idle)
        table.add_row(f"{name}, idle", f"p50 {p50:.0f} ms, p95 {p95:.0f} ms of {len(idle)}")
    for name, (total, largest) in found.rss.items():
        table.add_row(f"{name}, RSS", f"{total:.0f} MB, the largest process {largest:.0f} MB")
    return table


def aims(found: Found, clients: int) -> list[Aim]:
    """Ratios are medians of each round's own."""
    p50, p95, _ = percentiles(found.idle_ms.get(OURS, []))
    batches = [burst.accepted_per_s for burst in found.of(BATCH, clients, OURS)]
    of_raw = over(batches, found.raw[RAW_MANY])
    streams = found.of(STREAM, clients, OURS)
    of_skeleton = ratios(found, clients, SKELETON, lambda b: b.accepted_per_s)
    of_phoenix = ratios(found, clients, PHOENIX, lambda b: b.accepted_per_s)
    lag = ratios(found, clients, PHOENIX, lambda b: b.lag_s)
    told = [
        Aim("accepted, of the skeleton's", mid(of_skeleton), 0.6, True, "a DRF view, an INSERT"),
        Aim("accepted, × Phoenix", mid(of_phoenix), 3, True, "its queue in memory"),
        Aim(
            "lag of the burst, of Phoenix's", mid(lag), 0.2, False, "reading and writing all of it"
        ),
        Aim("batches, of raw 100 a commit", mid(of_raw), 0.3, True, "disk"),
        Aim("idle p50 ms", p50, 100, False, "ring, broker, a look at the table"),
        Aim("idle p95 ms", p95, 250, False, "the same"),
        Aim("largest process MB", found.rss[OURS][1], 130, False, "Django and what it imports"),
        Aim("streams smaller, ×", smaller(streams), 8, True, "zstd, rows and indexes beside it"),
    ]
    return [aim for aim in told if aim.value == aim.value]


def ratios(found: Found, clients: int, other: str, of: Callable[[Burst], float]) -> list[float]:
    """Return those of each round; nothing where the other one was not measured."""
    mine, theirs = (found.of(SINGLE, clients, name) for name in (OURS, other))
    return over([of(each) for each in mine], [of(each) for each in theirs])


def over(mine: Sequence[float], theirs: Sequence[float]) -> list[float]:
    return [one / (other or 1e-9) for one, other in zip(mine, theirs, strict=False)]


def mid(values: Sequence[float]) -> float:
    return median(values) if values else float("nan")


def smaller(streams: Sequence[Burst]) -> float:
    return median(each.sent_bytes / max(each.stored_bytes, 1.0) for each in streams)


def told_aims(store: str, found: Found, asked: argparse.Namespace) -> Table:
    table = Table("ours", "clients", "found", "aim", "", "what bounds it", box=None)
    table.title = f"{store}: aims"
    for clients in asked.clients:
        for aim in aims(found, clients):
            table.add_row(aim.what, str(clients), *aim.told(), aim.limit)
    return table


# -- installations --------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Place:
    """Where the databases of one store are made; without servers in ``folder``."""

    folder: Path
    servers: servers.Servers | None

    def database(self, name: str) -> Database:
        (self.folder / name).mkdir(mode=0o700)
        return made(self.servers.database_url if self.servers else None, self.folder, name)

    @contextmanager
    def ours(self) -> Iterator[System]:
        redis_url = self.servers.redis_url if self.servers else None
        with ours(self.folder / "ours", self.database("ours"), redis_url) as system:
            yield system


@contextmanager
def place_of(store: str) -> Iterator[Place]:
    with ExitStack() as ending:
        folder = Path(ending.enter_context(tempfile.TemporaryDirectory(prefix="intake-")))
        if store == SQLITE:
            yield Place(folder, None)
            return
        programs = servers.find()
        if programs is None:
            raise SystemExit(f"{POSTGRESQL} and Redis are not here: {servers.HOW_TO_GET_THEM}")
        database_url = ending.enter_context(servers.postgresql(programs, safety=()))
        redis_url = ending.enter_context(servers.redis_server(programs))
        yield Place(folder, servers.Servers(database_url, redis_url))


def compare(store: str, asked: argparse.Namespace, console: Console) -> None:
    with ExitStack() as ending:
        place = ending.enter_context(place_of(store))
        beside = skeleton(place.folder / "skeleton", place.database("skeleton"))
        systems = [ending.enter_context(each) for each in (place.ours(), beside)]
        if asked.peer:
            theirs = phoenix(place.folder / "phoenix", place.database("phoenix"), asked.peer)
            systems.append(ending.enter_context(theirs))
        bare = place.database("bare")
        bare.make_table()
        found = rounds_of(systems, bare, asked)
    for tell in (told_bursts(store, found), told_beside(store, found)):
        console.print(tell)
    console.print(told_aims(store, found, asked))


def sustain(store: str, asked: argparse.Namespace, console: Console) -> None:
    with place_of(store) as place, place.ours() as system:
        table = asyncio.run(sustained_on(system, Rate(asked.sustained, asked.rate, asked.bytes)))
    table.title = f"{store}: {asked.sustained} s at a constant rate"
    console.print(table)


def cost(store: str, asked: argparse.Namespace, console: Console) -> None:
    """Batches are of hundreds, and so many answers at least."""
    hundreds = -(-asked.cost // PER_BATCH) * PER_BATCH
    with place_of(store) as place, place.ours() as system:
        asyncio.run(processor.together(system, streams(WARMING_POSTS, asked), WARMING_CLIENTS))
        found = {
            "one after the other": asyncio.run(processor.lone(system, streams(asked.cost, asked)))
        }
        for clients in (1, 8):
            load = streams(asked.cost, asked)
            shares = asyncio.run(processor.together(system, load, clients))
            found[f"{clients} at a time"] = shares
        load = streams(hundreds, asked, PER_BATCH)
        found[f"batches of {PER_BATCH}"] = asyncio.run(processor.together(system, load, 1))
    console.print(processor.told(f"{store}: processor time of one answer", found))
    p50, p95, _ = percentiles(found["one after the other"].inspected_ms)
    console.print(
        f"from acknowledged to inspected, one after the other: p50 {p50:.0f}, p95 {p95:.0f} ms"
    )
    command = [sys.executable, str(Path(__file__).with_name("statements.py")), store.lower()]
    console.print(
        subprocess.run(command, stdout=PIPE, stderr=DEVNULL, text=True, check=True).stdout
    )


def streams(count: int, asked: argparse.Namespace, per_call: int = 1) -> Load:
    return Load("", SSE, [payloads.stream(asked.bytes) for _ in range(count)], per_call)


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    stores = {"sqlite": SQLITE, "postgresql": POSTGRESQL}
    parser.add_argument("--store", choices=stores, nargs="+", default=list(stores))
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--clients", type=int, nargs="+", default=[8])
    parser.add_argument("--posts", type=int, default=600, help="of 2 kB in a burst")
    parser.add_argument("--batches", type=int, default=8, help=f"of {PER_BATCH} in a burst")
    parser.add_argument("--streams", type=int, default=60, help="of 160 kB in a burst")
    parser.add_argument("--idle", type=int, default=5, help="posts, one a second")
    parser.add_argument("--peer", type=Path, metavar="FOLDER", help="measure Phoenix, too")
    parser.add_argument("--sustained", type=int, metavar="SECONDS")
    parser.add_argument("--rate", type=int, default=25, help="posts a second with --sustained")
    parser.add_argument("--cost", type=int, metavar="ANSWERS", help="processor time, and no more")
    parser.add_argument("--bytes", type=int, help="of each stream with --sustained or --cost")
    parser.add_argument("--minutes", type=int, default=120, help="after which everything ends")
    asked = parser.parse_args()
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))
    signal.signal(signal.SIGALRM, lambda *_: sys.exit("out of time"))
    signal.alarm(asked.minutes * 60)
    console = Console(width=150)
    asked.bytes = asked.bytes or (MEDIAN_BYTES if asked.cost else SUSTAINED_BYTES)
    run = cost if asked.cost else sustain if asked.sustained else compare
    for store in asked.store:
        console.print(f"{store}: {os.cpu_count()} cores, load average {load_average()}")
        run(stores[store], asked, console)


if __name__ == "__main__":
    main()
