"""How the time of a reading and of every answer grows with what a sender chooses: linearly.

    python3 bench/growth.py [--entries N] [--times N] [--only reading|answers] [SHAPE ...]

Each shape repeats one thing N, 2 N, 4 N and 8 N times. Told is the processor time of each size, the
least of several that are measured in turns, and the exponent that fits them: 1 is linear. What is
over 1.2, and takes long enough to be measured, is marked, and makes the program end with 1. SHAPE
is a part of a name. Of the answers only those are told that are slow, large or marked; ``--all``
tells every one. Needs the project's environment.
"""

from __future__ import annotations

import argparse
import gc
import math
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from rich.console import Console
from rich.table import Table

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

import doors  # noqa: E402
from shapes import SHAPES, SHOWN, Shape  # noqa: E402

STEPS = (1, 2, 4, 8)
MOST_EXPONENT = 1.2
MEASURABLE_SECONDS = 0.1
"""What the largest takes: below it the clock and the machine's other work tell more."""
WORTH_TELLING_SECONDS = 0.5
WORTH_TELLING_BYTES = 2_000_000


@dataclass(frozen=True, slots=True)
class Grown:
    shape: str
    door: str
    seconds: tuple[float, ...]
    answer_bytes: int
    """Of the answer to the largest."""

    @property
    def exponent(self) -> float:
        """The slope of the line through the logarithms, by least squares."""
        sizes = [math.log(step) for step in STEPS]
        times = [math.log(max(each, 1e-6)) for each in self.seconds]
        middle, mean = sum(sizes) / len(sizes), sum(times) / len(times)
        above = sum((x - middle) * (y - mean) for x, y in zip(sizes, times, strict=True))
        return above / sum((x - middle) ** 2 for x in sizes)

    @property
    def is_too_much(self) -> bool:
        return self.exponent > MOST_EXPONENT and self.seconds[-1] > MEASURABLE_SECONDS

    @property
    def is_worth_telling(self) -> bool:
        slow = self.seconds[-1] > WORTH_TELLING_SECONDS
        return slow or self.is_too_much or self.answer_bytes > WORTH_TELLING_BYTES


def least(works: Sequence[Callable[[], int]], times: int) -> tuple[tuple[float, ...], int]:
    """The least processor time of each, taken in turns; what the last of them returned."""
    seconds, returned = [math.inf] * len(works), 0
    for _ in range(times):
        for number, work in enumerate(works):
            gc.collect()
            started = time.process_time()
            returned = work()
            seconds[number] = min(seconds[number], time.process_time() - started)
    return tuple(seconds), returned


def measured(shape: str, door: str, works: Sequence[Callable[[], int]], times: int) -> Grown:
    """The largest first: where that takes no time, nothing grows. What is marked is measured once
    more: another's work on the machine is no growth.
    """
    (largest,), size = least(works[-1:], 1)
    if largest <= MEASURABLE_SECONDS:
        return Grown(shape, door, (largest,) * len(works), size)
    found = Grown(shape, door, *least(works, times))
    if not found.is_too_much:
        return found
    again, size = least(works, times + 2)
    return Grown(shape, door, tuple(map(min, found.seconds, again)), size)


def reading(body: bytes) -> Callable[[], int]:
    from inspector.core.exchange import Exchange
    from inspector.core.reading import read

    def work() -> int:
        one = read(Exchange.of_body(body))
        one.tape()
        return len(one.analysis().findings)

    return work


def readings(asked: argparse.Namespace) -> Iterator[Grown]:
    for name, shape in {**SHAPES, **{f"shown: {n}": s for n, s in SHOWN.items()}}.items():
        if is_meant(name, asked):
            bodies = bodies_of(shape, asked.entries)
            yield measured(name, "reading", [reading(body) for body in bodies], asked.times)


def answers(asked: argparse.Namespace) -> Iterator[Grown]:
    archive = doors.Archive()
    for name, shape in SHOWN.items():
        if is_meant(name, asked):
            bodies = bodies_of(shape, asked.entries)
            ids = [archive.capture(body) for body in bodies]
            yield from of_captures(archive, name, ids, bodies, asked.times)
    for name in ("tags", "headers"):
        if is_meant(name, asked):
            numbers = [step * (4 if name == "tags" else asked.entries) for step in STEPS]
            body = SHOWN["events"].body(10)
            ids = [archive.capture(body + b"\n" * n, **{name: n}) for n in numbers]
            yield from of_captures(archive, name, ids, [body] * len(ids), asked.times)


def of_captures(
    archive: doors.Archive, name: str, ids: list[str], bodies: list[bytes], times: int
) -> Iterator[Grown]:
    each = [dict(archive.doors(id, body)) for id, body in zip(ids, bodies, strict=True)]
    for door in each[0]:
        yield measured(name, door, [of[door] for of in each], times)


def bodies_of(shape: Shape, entries: int) -> list[bytes]:
    return [shape.body(entries * step) for step in STEPS]


def is_meant(name: str, asked: argparse.Namespace) -> bool:
    return not asked.shapes or any(part in name for part in asked.shapes)


def main() -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("shapes", nargs="*")
    parser.add_argument("--entries", type=int, default=1000)
    parser.add_argument("--times", type=int, default=2)
    parser.add_argument("--only", choices=("reading", "answers"))
    parser.add_argument("--all", action="store_true")
    asked = parser.parse_args()
    doors.prepare()
    console = Console(width=150)
    marked, total, highest = 0, 0, 0.0
    sizes = [f"{asked.entries * step:,}" for step in STEPS]
    table = Table("shape", "of", *(f"{size} s" for size in sizes), "exponent", "bytes", box=None)
    for make in (readings, answers):
        if asked.only and make.__name__ != f"{asked.only.removesuffix('s')}s":
            continue
        for found in make(asked):
            total, marked = total + 1, marked + found.is_too_much
            if found.seconds[-1] > MEASURABLE_SECONDS:
                highest = max(highest, found.exponent)
            if asked.all or found.is_worth_telling:
                exponent = f"{found.exponent:.2f}"
                shown = f"[bold red]{exponent}[/]" if found.is_too_much else exponent
                seconds = (f"{each:.3f}" for each in found.seconds)
                table.add_row(found.shape, found.door, *seconds, shown, f"{found.answer_bytes:,}")
                if found.is_too_much:
                    # It takes long: whoever waits may look at this one already.
                    print(found.shape, found.door, exponent, found.seconds[-1], flush=True)
    console.print(table)
    console.print(f"{total:,} measured, {marked} over {MOST_EXPONENT}, the highest {highest:.2f}")
    return min(marked, 1)


if __name__ == "__main__":
    sys.exit(main())
