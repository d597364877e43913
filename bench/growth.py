"""How the time of a reading, an upload and every answer grows with what a sender chooses: linearly.

    python3 bench/growth.py [--entries N] [--times N] [--only reading|uploads|answers] [SHAPE ...]

Each shape repeats one thing N, 2 N, 4 N and 8 N times. Told is the processor time of each size, the
least of several, and the exponent that fits them: 1 is linear. What takes no time with the largest
is measured once, what is linear between the two largest is not measured with the others. What is
over 1.2 is marked, and makes the program end with 1. SHAPE is a part of a name. Only what is slow,
large or marked is told; ``--all`` tells every one. N is 1,000 for readings and for uploads that are
kept as they came, 60 for those that are stored at once or cut, and 500 for answers.
Which addresses are asked, and why others are not, stands in ``asked.py``; one that stands nowhere
ends the start. Needs the project's environment.
"""

import argparse
import gc
import math
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path

from msgspec.structs import replace
from rich.console import Console
from rich.table import Table

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

import doors  # noqa: E402
from asked import LEFT_OUT  # noqa: E402
from native_shapes import NATIVE_SHAPES  # noqa: E402
from shapes import ALONE, REQUESTS, SHAPES, SHOWN, Shape  # noqa: E402
from uploads import UPLOADS, Upload  # noqa: E402

STEPS = (1, 2, 4, 8)
READ_ENTRIES, ANSWERED_ENTRIES = 1000, 500
WAYS = (("stored", 60, False), ("kept", 1000, False), ("cut", 60, True))
"""Fate of an upload, number of its entries, and whether that is only to be cut."""
MAX_EXPONENT = 1.2
SUSPICIOUS_EXPONENT = 1.1
MEASURABLE_SECONDS = 0.1
"""Time of the largest: below it the clock and the machine's other work tell more."""
WORTH_TELLING_SECONDS = 0.5
WORTH_TELLING_BYTES = 2_000_000


@dataclass(frozen=True, slots=True)
class Grown:
    shape: str
    door: str
    seconds: tuple[float, ...]
    """Seconds of the largest sizes; of all where these are not enough."""
    answer_bytes: int
    """Bytes of the answer to the largest."""

    @property
    def exponent(self) -> float:
        """The slope of the line through the logarithms, by least squares."""
        if len(self.seconds) < 2:
            return 0.0
        sizes = [math.log(step) for step in STEPS[-len(self.seconds) :]]
        times = [math.log(max(each, 1e-6)) for each in self.seconds]
        middle, mean = sum(sizes) / len(sizes), sum(times) / len(times)
        above = sum((x - middle) * (y - mean) for x, y in zip(sizes, times, strict=True))
        return above / sum((x - middle) ** 2 for x in sizes)

    @property
    def is_too_much(self) -> bool:
        return self.exponent > MAX_EXPONENT and self.seconds[-1] > MEASURABLE_SECONDS

    @property
    def is_worth_telling(self) -> bool:
        slow = self.seconds[-1] > WORTH_TELLING_SECONDS
        return slow or self.is_too_much or self.answer_bytes > WORTH_TELLING_BYTES


Works = Mapping[str, Callable[[], int]]
"""Work done with one size, by the name of the door; it returns the bytes of the answer."""


class Sizes:
    """Works of each size; made when they are first asked for, and once."""

    def __init__(self, makers: Sequence[Callable[[], Works]]) -> None:
        self._makers = makers
        self._made: dict[int, Works] = {}

    @property
    def largest(self) -> Works:
        return self.at(-1)

    def works(self, door: str) -> list[Callable[[], int]]:
        return [self.at(number)[door] for number in range(len(self._makers))]

    def at(self, number: int) -> Works:
        number %= len(self._makers)
        if number not in self._made:
            self._made[number] = self._makers[number]()
            # What lasts is not looked through again before each measurement: that took longer
            # than all that is measured.
            gc.collect()
            gc.freeze()
        return self._made[number]


def least(works: Sequence[Callable[[], int]], times: int) -> tuple[tuple[float, ...], int]:
    """Return the least processor time of each, taken in turns; what the last of them returned."""
    seconds, returned = [math.inf] * len(works), 0
    for _ in range(times):
        for number, work in enumerate(works):
            gc.collect()
            started = doors.processor_seconds()
            returned = work()
            seconds[number] = min(seconds[number], doors.processor_seconds() - started)
    return tuple(seconds), returned


def all_measured(shape: str, sizes: Sizes, times: int) -> Iterator[Grown]:
    for door in sizes.largest:
        yield measured(shape, door, sizes, times)
    gc.unfreeze()


def measured(shape: str, door: str, sizes: Sizes, times: int) -> Grown:
    """Return the largest first: where that takes no time, nothing grows. Then the half of it: what
    every answer takes hides least of the growth between these two. All sizes only where that may be
    too much, and once more where it is: another's work on the machine is no growth.
    """
    largest, size = least([sizes.largest[door]], 1)
    if largest[0] <= MEASURABLE_SECONDS:
        return Grown(shape, door, largest, size)
    half, _ = least([sizes.at(-2)[door]], 2)
    found = Grown(shape, door, (*half, *largest), size)
    for more in (0, 2):
        if found.exponent <= SUSPICIOUS_EXPONENT:
            break
        seconds, _ = least(sizes.works(door), times + more)
        found = Grown(shape, door, together(found.seconds, seconds), size)
    return found


def together(some: Sequence[float], all_: Sequence[float]) -> tuple[float, ...]:
    """Return the least of what was measured of each size."""
    missing = [math.inf] * (len(all_) - len(some))
    return tuple(map(min, [*missing, *some], all_))


def reading(body: bytes, is_request: bool = False) -> Works:
    """All that is computed of a capture before it is stored."""
    from inspector.archive.readers.extract import extract
    from inspector.core.wire.exchange import Exchange, Request

    exchange = Exchange.of_body(ALONE.body(1) if is_request else body)
    if is_request:
        exchange = replace(exchange, request=Request(body=body))
    return {"reading": lambda: len(extract(exchange).packed)}


def readings(asked: argparse.Namespace) -> Iterator[Grown]:
    shown = {f"shown: {name}": shape for name, shape in SHOWN.items()}
    asking = {f"asked: {name}": shape for name, shape in REQUESTS.items()}
    for name, shape in {**SHAPES, **NATIVE_SHAPES, **shown, **asking}.items():
        if is_meant(name, asked):
            bodies = bodies_of(shape, asked.entries or READ_ENTRIES)
            makers = [partial(reading, body, name in asking) for body in bodies]
            yield from all_measured(name, Sizes(makers), asked.times)


def uploads(asked: argparse.Namespace) -> Iterator[Grown]:
    archive = doors.Archive("uploads")
    for name, upload in UPLOADS.items():
        if not is_meant(name, asked):
            continue
        for way, entries, is_cut in WAYS if upload(0).kind else WAYS[:1]:
            makers = [partial(sent, archive, upload(entries * step), is_cut) for step in STEPS]
            yield from all_measured(f"{name}, {way}", Sizes(makers), asked.times)


def sent(archive: doors.Archive, upload: Upload, is_cut: bool) -> Works:
    return {"upload": archive.cut(upload) if is_cut else archive.upload(upload)}


def answers(asked: argparse.Namespace) -> Iterator[Grown]:
    archive, entries = doors.Archive(), asked.entries or ANSWERED_ENTRIES
    for name, shape in SHOWN.items():
        if is_meant(name, asked):
            makers = [partial(held, archive, body) for body in bodies_of(shape, entries)]
            yield from all_measured(name, Sizes(makers), asked.times)
    for name, each in (("tags", 4), ("headers", entries)):
        if is_meant(name, asked):
            bodies = [SHOWN["events"].body(10) + b"\n" * step for step in STEPS]
            numbers = [{name: step * each} for step in STEPS]
            makers = [partial(held, archive, b, **n) for b, n in zip(bodies, numbers, strict=True)]
            yield from all_measured(name, Sizes(makers), asked.times)
    if is_meant("captures", asked):
        makers = [partial(many, step * entries // 40) for step in STEPS]
        yield from all_measured("captures", Sizes(makers), asked.times)


def held(archive: doors.Archive, body: bytes, **numbers: int) -> Works:
    return archive.doors(archive.held(body, **numbers))


def many(captures: int) -> Works:
    """Return a team of its own with so many, of which no two are alike in anything that is told
    apart.
    """
    archive = doors.Archive(f"with-{captures}")
    bodies = [ALONE.entry.replace(b"#", b"%d" % number) for number in range(captures)]
    ids = [archive.accepted(body, tags=2) for body in bodies]
    return archive.doors(archive.inspected(bodies[-2], ids))


def bodies_of(shape: Shape, entries: int) -> list[bytes]:
    return [shape.body(entries * step) for step in STEPS]


def is_meant(name: str, asked: argparse.Namespace) -> bool:
    return not asked.shapes or any(part in name for part in asked.shapes)


@dataclass(slots=True)
class Summary:
    measured: int = 0
    marked: int = 0
    highest: float = 0.0
    answered: dict[str, bool] = field(default_factory=dict)
    """Whether there was anything for any shape, by door."""

    def add(self, found: Grown) -> None:
        self.measured += 1
        self.marked += found.is_too_much
        if found.seconds[-1] > MEASURABLE_SECONDS:
            self.highest = max(self.highest, found.exponent)
        before = self.answered.get(found.door, False)
        self.answered[found.door] = before or found.answer_bytes != doors.NOTHING

    def lines(self) -> Iterator[str]:
        highest = f"the highest {self.highest:.2f}"
        yield f"{self.measured:,} measured, {self.marked} over {MAX_EXPONENT}, {highest}"
        if silent := [door for door, answered in self.answered.items() if not answered]:
            yield f"nothing there for any of these shapes: {', '.join(silent)}"


def main() -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("shapes", nargs="*")
    parser.add_argument("--entries", type=int)
    parser.add_argument("--times", type=int, default=2)
    parser.add_argument("--only", choices=("reading", "uploads", "answers"))
    parser.add_argument("--all", action="store_true")
    asked = parser.parse_args()
    doors.prepare()
    console, summary = Console(width=150), Summary()
    sizes = ("N s", *(f"{step} N s" for step in STEPS[1:]))
    table = Table("shape", "of", *sizes, "exponent", "bytes", box=None)
    for make in (readings, uploads, answers):
        if asked.only and make.__name__ != f"{asked.only.removesuffix('s')}s":
            continue
        for found in make(asked):
            summary.add(found)
            if asked.all or found.is_worth_telling:
                table.add_row(*row(found))
            if found.is_too_much:
                # It takes long: whoever waits may look at this one already.
                print(*row(found), flush=True)
    console.print(table)
    for reason, keys in LEFT_OUT.items() if asked.only in (None, "answers") else ():
        console.print(f"not asked, {reason}: {', '.join(keys)}", highlight=False)
    for line in summary.lines():
        console.print(line)
    return min(summary.marked, 1)


def row(found: Grown) -> Iterator[str]:
    seconds = [f"{each:.3f}" for each in found.seconds]
    yield from (found.shape, found.door, *[""] * (len(STEPS) - len(seconds)), *seconds)
    yield f"[bold red]{found.exponent:.2f}[/]" if found.is_too_much else f"{found.exponent:.2f}"
    yield f"{max(found.answer_bytes, 0):,}"


if __name__ == "__main__":
    sys.exit(main())
