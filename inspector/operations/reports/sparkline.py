"""Arrival times as one line of characters."""

from __future__ import annotations

from collections.abc import Sequence

BARS = "▁▂▃▄▅▆▇█"
SILENCE = "·"


def sparkline(at_us: Sequence[int], start_us: int, width: int) -> str:
    """Counts arrivals in ``width`` equal intervals since the start.

    Empty if all are at the same time.
    """
    span_us = max(at_us, default=start_us) - start_us
    if span_us <= 0:
        return ""
    counts = [0] * width
    for moment in at_us:
        counts[min(max(moment - start_us, 0) * width // span_us, width - 1)] += 1
    highest = max(counts)
    return "".join(_bar(count, highest) for count in counts)


def _bar(count: int, highest: int) -> str:
    return BARS[-(-count * len(BARS) // highest) - 1] if count else SILENCE
