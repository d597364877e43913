"""Every stream of a folder at every split: does our own reading change, and what breaks others?

    nice -n 15 python3 bench/every_split.py FOLDER... [--seconds N] [--seed N] [--readings N]
                                               [--clients]

Takes the streams of the folders in an order by the seed until the time is over, each as the task of
a capture would, and prints: streams, places and whole readings, differences of our own reading
(expected: none; each is printed), and for every reader how many streams have a cutting that breaks
it. ``--readings``: whole readings of a stream cut in two, instead of up to 500. With ``--clients``
the clients of libraries are tried, too, where this Python has them installed; they take most of the
time.
"""

from __future__ import annotations

import argparse
import json
import random
import sys
import time
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

from rich.console import Console
from rich.table import Table

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from inspector.archive.readers.sdk_readers import (  # noqa: E402
    SDK_READERS,
    SdkStep,
    sdk_step,
)
from inspector.core.reading import analyze  # noqa: E402
from inspector.core.splits import every_split  # noqa: E402
from inspector.core.splits.every_split import SplitResult, check  # noqa: E402
from inspector.core.splits.readers import ReaderSplits, ReaderState  # noqa: E402
from inspector.core.wire.exchange import Exchange, Read  # noqa: E402

FRAMES = "application/vnd.amazon.eventstream"


def exchanges(folders: list[Path], seed: int) -> Iterator[tuple[Path, Exchange]]:
    suffixes = {".sse", ".ndjson", ".json", ".txt", ".eventstream", ".bin", ".jsonl"}
    found = sorted(
        path
        for folder in folders
        for path in folder.rglob("*")
        if path.suffix in suffixes and path.parent != folder
    )
    random.Random(seed).shuffle(found)
    for path in found:
        yield path, exchange_of(path)


def exchange_of(path: Path) -> Exchange:
    if path.name.endswith(".reads.jsonl"):
        reads = [json.loads(line) for line in path.read_text().splitlines()]
        return Exchange.of_reads(Read(None, each["data"].encode()) for each in reads)
    content_type = FRAMES if path.suffix in (".eventstream", ".bin") else None
    return Exchange.of_body(path.read_bytes(), content_type)


def with_clients(exchange: Exchange, result: SplitResult) -> Iterator[ReaderSplits]:
    yield from result.readers
    for slug in SDK_READERS:
        progress = sdk_step(SdkStep(exchange, slug))
        while not progress.is_done:
            progress = sdk_step(SdkStep(exchange, slug, progress.so_far, progress.done))
        yield progress.so_far


class Totals:
    """What all streams add up to."""

    def __init__(self) -> None:
        self.counts: Counter[str] = Counter()
        self.readers: dict[str, Counter[str]] = {}
        self.examples: dict[str, str] = {}

    def add(self, path: Path, result: SplitResult) -> None:
        self.counts["streams"] += 1
        self.counts["bytes"] += result.byte_length
        self.counts["places"] += result.places
        self.counts["whole readings"] += result.whole_readings
        self.counts["byte by byte"] += result.is_read_bytewise
        self.counts["other line ends"] += len(result.line_ends)
        self.counts["differences"] += result.differing
        for each in result.differences:
            print(f"{path}: {each.sentence}")

    def add_reader(self, path: Path, reader: ReaderSplits) -> None:
        of = self.readers.setdefault(reader.slug, Counter())
        of[reader.state] += 1
        if reader.state != ReaderState.TRIED:
            return
        of["cuttings"] += reader.tried
        of["broken"] += reader.broken
        of["streams broken"] += reader.broken > 0
        of["other events uncut"] += reader.sentence is not None
        for each in reader.examples[-1:]:
            self.examples.setdefault(reader.slug, f"{path.name}: {each.sentence}")

    def show(self, seconds: float) -> None:
        console = Console(width=140)
        console.print({**self.counts, "seconds": round(seconds)})
        table = Table("reader", "streams", "that break it", "cuttings", "that break it", "uncut")
        for slug, of in self.readers.items():
            table.add_row(
                slug,
                f"{of[ReaderState.TRIED]:,}",
                f"{of['streams broken']:,}",
                f"{of['cuttings']:,}",
                f"{of['broken']:,}",
                f"{of['other events uncut'] + of[ReaderState.BREAKS_UNCUT]:,}",
            )
        console.print(table)
        for example in self.examples.values():
            console.print(example)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folders", nargs="+", type=Path, metavar="FOLDER")
    parser.add_argument("--seconds", type=float, default=240)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--readings", type=int)
    parser.add_argument("--clients", action="store_true")
    asked = parser.parse_args()
    if asked.readings:
        every_split.WHOLE_READINGS = range(1, asked.readings)
    totals, began = Totals(), time.monotonic()
    for path, exchange in exchanges(asked.folders, asked.seed):
        if time.monotonic() - began > asked.seconds:
            break
        if not exchange.body or not analyze(exchange).streamed:
            continue
        result = check(exchange)
        totals.add(path, result)
        for reader in with_clients(exchange, result) if asked.clients else result.readers:
            totals.add_reader(path, reader)
    totals.show(time.monotonic() - began)


if __name__ == "__main__":
    main()
