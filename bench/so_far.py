"""What following a stream costs beside reading it once, in one run.

    python3 bench/so_far.py [--rounds N] [--chunks N]

Each stream is read in all ways, one after the other in every round, so that a busy machine is busy
for all; told are the medians. Reading once is feeding it in one read an event, the analysis and the
tape. Followed, it is fed alike, and after every so many events ``so_far`` is asked for what came
since the last time; no analysis is made. "Sent" also encodes what came, as it goes to a page.
Needs the environment of the project.
"""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path
from statistics import median

import msgspec
from core import STREAMS, words
from rich.console import Console
from rich.table import Table

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent))

from inspector.core.reading import Reading  # noqa: E402
from inspector.core.so_far import START  # noqa: E402
from inspector.core.wire.exchange import Exchange, Read, TransportOutcome  # noqa: E402

OPEN = Exchange(reads=(), outcome=TransportOutcome.OPEN)
STEPS = 1_000
"""Times that a stream is asked about, whatever its length."""
FINER = (100, 1)
"""Events between two askings."""
AIM = 1.5
FINEST_CHUNKS = 20_000
"""Chunks of the streams that are asked about after each event."""

Work = Callable[[], object]


def lines(chunks: int) -> bytes:
    """Ollama's lines."""
    head = '{"model":"parcel-large-2","created_at":"2026-11-20T14:02:19Z","message":'
    told = (
        f'{head}{{"role":"assistant","content":"{word}"}},"done":false}}\n'
        for word in words(chunks)
    )
    return "".join(told).encode()


def listed(chunks: int) -> bytes:
    """Gemini's list."""
    head = '{"candidates":[{"content":{"role":"model","parts":[{"text":"'
    tail = '"}]},"index":0}],"modelVersion":"parcel-large-2","responseId":"r"}'
    told = (head + word + tail for word in words(chunks))
    return b"[" + ",\r\n".join(told).encode() + b"]"


MADE = {
    "text": STREAMS["text"],
    "not ASCII": STREAMS["not ASCII"],
    "two choices": STREAMS["two choices"],
    "tool call": STREAMS["tool call"],
    "usage each": STREAMS["usage each"],
    "Messages": STREAMS["Messages"],
    "Responses": STREAMS["Responses"],
    "lines": lines,
    "list": listed,
}


def events_of(body: bytes) -> list[bytes]:
    """One part an event; of documents one an object."""
    end = b"\n\n" if body.startswith((b"data", b"event")) else b"\n"
    return [part + end for part in body.split(end) if part]


def batches(parts: list[bytes], size: int) -> list[Read]:
    """As many events a read."""
    return [
        Read(number, b"".join(parts[at : at + size]))
        for number, at in enumerate(range(0, len(parts), size), 1)
    ]


def read_once(reads: list[Read]) -> object:
    reading = Reading(OPEN)
    for read in reads:
        reading.feed(read)
    return reading.analysis(), reading.tape()


def followed(reads: list[Read], send: Callable[[object], object] | None = None) -> object:
    reading, position = Reading(OPEN), START
    for read in reads:
        reading.feed(read)
        more = reading.so_far(position)
        position = more.position
        if send is not None:
            send(more)
    return position


def seconds(work: Work) -> float:
    started = time.process_time()
    work()
    return time.process_time() - started


def medians(works: dict[str, Work], rounds: int) -> dict[str, float]:
    taken: dict[str, list[float]] = {name: [] for name in works}
    for _ in range(rounds):
        for name, work in works.items():
            taken[name].append(seconds(work))
    return {name: median(each) for name, each in taken.items()}


def compared(chunks: int, rounds: int) -> Table:
    """By a thousand steps: what is held against the aim."""
    title = f"{chunks:,} chunks, asked about {STEPS:,} times (aim: at most {AIM} × reading once)"
    heads = ("stream", "MB", "read once, s", "followed, s", "×", "followed and sent, s", "×", "")
    table = Table(*heads, box=None, title=title)
    for name, make in MADE.items():
        parts = events_of(make(chunks))
        reads = batches(parts, -(-len(parts) // STEPS))
        works: dict[str, Work] = {
            "once": partial(read_once, reads),
            "followed": partial(followed, reads),
            "sent": partial(followed, reads, msgspec.json.encode),
        }
        best = medians(works, rounds)
        ratio, sent = best["followed"] / best["once"], best["sent"] / best["once"]
        table.add_row(
            name,
            f"{sum(map(len, parts)) / 1e6:.1f}",
            f"{best['once']:.3f}",
            f"{best['followed']:.3f}",
            f"{ratio:.2f}",
            f"{best['sent']:.3f}",
            f"{sent:.2f}",
            "" if ratio <= AIM else "over the aim",
        )
    return table


def finer(rounds: int) -> Table:
    """By fewer events at a time: each asking has a price of its own."""
    heads = ("stream", "events a step", "read once, s", "followed, s", "×", "µs an asking")
    table = Table(*heads, box=None, title=f"{FINEST_CHUNKS:,} chunks, in smaller steps")
    for name, make in MADE.items():
        parts = events_of(make(FINEST_CHUNKS))
        for size in FINER:
            reads = batches(parts, size)
            once, all_ = partial(read_once, reads), partial(followed, reads)
            best = medians({"once": once, "followed": all_}, rounds)
            asking = max(0.0, best["followed"] - best["once"]) / len(reads)
            table.add_row(
                name,
                str(size),
                f"{best['once']:.3f}",
                f"{best['followed']:.3f}",
                f"{best['followed'] / best['once']:.2f}",
                f"{asking * 1e6:.0f}",
            )
    return table


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--chunks", type=int, default=100_000)
    asked = parser.parse_args()
    console = Console(width=120)
    console.print(compared(asked.chunks, asked.rounds))
    console.print(finer(asked.rounds))


if __name__ == "__main__":
    main()
