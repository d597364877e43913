"""How small do recordings become that still have a finding, and how long does it take?

    nice -n 15 python3 bench/minimise.py FOLDER... [--findings N] [--seconds N] [--seed N]

Takes the recordings of the folders in an order by the seed, of each the first finding whose code
has not been taken yet, until there are enough of them. Prints for each the bytes before and after,
the tries, the seconds, and whether the minimised exchange still has the finding. A minimisation
that is not done after ``--seconds`` is stopped and says so.
"""

from __future__ import annotations

import argparse
import random
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import NamedTuple

from rich.console import Console
from rich.table import Table

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from inspector.core.minimisation.minimiser import (  # noqa: E402
    Minimisation,
    begin_minimisation,
    continue_minimisation,
)
from inspector.core.reading import analyze  # noqa: E402
from inspector.core.wire.exchange import Exchange  # noqa: E402

SUFFIXES = {".sse", ".ndjson", ".json", ".txt"}
MAX_BYTES = 300_000


class Minimised(NamedTuple):
    """One finding of one recording, minimised."""

    code: str
    state: Minimisation
    seconds: float
    still_fires: bool


def bodies(folders: list[Path], seed: int) -> Iterator[bytes]:
    found = sorted(
        path
        for folder in folders
        for path in folder.rglob("*")
        if path.suffix in SUFFIXES and path.parent != folder
    )
    random.Random(seed).shuffle(found)
    for path in found:
        if path.stat().st_size <= MAX_BYTES:
            yield path.read_bytes()


def minimised(folders: list[Path], seed: int, seconds: float) -> Iterator[Minimised]:
    taken: set[str] = set()
    for body in bodies(folders, seed):
        exchange = Exchange.of_body(body)
        for finding in analyze(exchange).findings:
            begun = None
            if finding.code not in taken:
                begun = begin_minimisation(exchange, finding.code, finding.where.pointer)
            if begun is not None:
                taken.add(finding.code)
                yield run(finding.code, begun, seconds)
                break


def run(code: str, begun: Minimisation, seconds: float) -> Minimised:
    start = time.monotonic()
    state = continue_minimisation(begun, stop_after(start + seconds))
    took = time.monotonic() - start
    codes = {finding.code for finding in analyze(state.exchange).findings}
    return Minimised(code, state, took, code in codes)


def stop_after(end: float) -> Callable[[], bool]:
    return lambda: time.monotonic() >= end


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("folders", nargs="+", type=Path)
    parser.add_argument("--findings", type=int, default=30)
    parser.add_argument("--seconds", type=float, default=20)
    parser.add_argument("--seed", type=int, default=1)
    given = parser.parse_args()
    rows: list[Minimised] = []
    for row in minimised(given.folders, given.seed, given.seconds):
        rows.append(row)
        if len(rows) >= given.findings:
            break
    Console(width=110).print(table_of(rows))
    before = sum(row.state.bytes_before for row in rows)
    after = sum(row.state.bytes_now for row in rows)
    fires = sum(row.still_fires for row in rows)
    ended = sum(row.state.is_done for row in rows)
    print(f"{len(rows)} findings: {before:,} to {after:,} bytes, {fires} still fire, {ended} ended")


def table_of(rows: list[Minimised]) -> Table:
    table = Table("finding", "bytes before", "after", "tries", "s", "fires", "ended")
    for row in rows:
        state = row.state
        table.add_row(
            row.code,
            f"{state.bytes_before:,}",
            f"{state.bytes_now:,}",
            f"{state.tries:,}",
            f"{row.seconds:.1f}",
            "yes" if row.still_fires else "NO",
            "yes" if state.is_done else "stopped",
        )
    return table


if __name__ == "__main__":
    main()
