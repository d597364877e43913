"""When the reads of a replay are sent: the recorded times at another speed, with jitter."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import accumulate, pairwise, takewhile
from random import Random

import msgspec

from inspector.core.wire.exchange import Clock, Read
from inspector.replay import read_edits
from inspector.replay.body_faults import random_of, refuse
from inspector.replay.options import ReplayOptions
from inspector.replay.recorded_answer import RecordedAnswer

SECOND_US = 1_000_000


class Schedule(msgspec.Struct, frozen=True, kw_only=True):
    """Times count from the moment the whole request had come."""

    reads: tuple[Read, ...]
    times_us: tuple[int, ...]
    """When each of the reads is sent."""
    end_us: int
    """When the connection ends; where only arrivals are known, with the last of them."""
    cut: int | None = None
    """The byte before which a second of the recording breaks the connection."""
    cut_us: int = 0
    """When that is."""


def schedule_of(
    answer: RecordedAnswer, options: ReplayOptions, request_number: int, reads: tuple[Read, ...]
) -> Schedule:
    """Raises ``OptionRefused``."""
    if options.glue is not None and reads:
        reads = read_edits.glued(reads, len(reads) if options.glue == "all" else options.glue)
    ended_us = _recorded_end_us(answer)
    # Nobody noted times: there are none to keep to, and none are made up.
    speed = 0 if answer.clock is Clock.NONE else options.speed
    random = random_of(options, request_number, "jitter")
    recorded = [*(read.at_us or 0 for read in reads), ended_us]
    *times_us, end_us = send_times_us(recorded, speed, options.jitter, random)
    cut = _cut_by_second(answer, options, reads, ended_us)
    cut_us = round((options.cut_second or 0) * SECOND_US / speed) if speed else 0
    return Schedule(reads=reads, times_us=tuple(times_us), end_us=end_us, cut=cut, cut_us=cut_us)


def send_times_us(
    times_us: Sequence[int], speed: float, jitter: float, random: Random
) -> list[int]:
    """When to send what came at ``times_us``. Each gap, the first from 0, is longer or shorter by
    up to the share ``jitter`` of it. A time before the one before it counts as the same.
    """
    if speed == 0:
        return [0] * len(times_us)
    # Nobody waits for a time that goes back.
    rising = list(accumulate((0, *times_us), max))
    gaps = (later - earlier for earlier, later in pairwise(rising))
    changed = (gap * (1 + jitter * random.uniform(-1, 1)) / speed for gap in gaps)
    return [round(at) for at in accumulate(changed)]


def _recorded_end_us(answer: RecordedAnswer) -> int:
    arrivals = [read.at_us for read in answer.reads if read.at_us is not None]
    return max([0, answer.duration_us or 0, *arrivals])


def _cut_by_second(
    answer: RecordedAnswer, options: ReplayOptions, reads: tuple[Read, ...], ended_us: int
) -> int | None:
    if options.cut_second is None:
        return None
    if answer.clock is Clock.NONE:
        refuse("cut-second", options.cut_second, "no times were recorded")
    cut_us = options.cut_second * SECOND_US
    if cut_us > ended_us:
        bounds = f"it may be from 0 to {ended_us / SECOND_US:g}, the seconds of the recording"
        refuse("cut-second", f"{options.cut_second:g}", bounds)
    come = takewhile(lambda read: (read.at_us or 0) <= cut_us, reads)
    return sum(len(read.data) for read in come)
