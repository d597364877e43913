"""Histograms that can be added up: a number's bucket is the same whoever counts it, and when.

Eight buckets to each doubling, so a percentile read from them is off by at most an eighth of its
value; below eight every number has its own.
"""

from __future__ import annotations

import math
from collections.abc import Mapping

TO_A_DOUBLING = 8
LARGEST = 2**53


def bucket_of(value: int) -> int:
    """Of a number from 0 to ``LARGEST``."""
    if value < TO_A_DOUBLING:
        return value
    shift = value.bit_length() - TO_A_DOUBLING.bit_length()
    return shift * TO_A_DOUBLING + (value >> shift)


def octave_of(bucket: int) -> tuple[int, int]:
    """The doubling that a bucket lies in, and its place there."""
    return divmod(bucket, TO_A_DOUBLING)


def bounds_of(bucket: int) -> tuple[int, int]:
    """The least number that belongs to a bucket, and the least that belongs to the next."""
    if bucket < TO_A_DOUBLING:
        return bucket, bucket + 1
    shift = bucket // TO_A_DOUBLING - 1
    least = (bucket - shift * TO_A_DOUBLING) << shift
    return least, least + (1 << shift)


def percentile(numbers: Mapping[int, int], share: float) -> int | None:
    """The nearest-rank percentile of how many numbers each bucket holds, at its bucket's middle."""
    total = sum(numbers.values())
    rank = max(1, math.ceil(share * total))
    for bucket in sorted(numbers):
        rank -= numbers[bucket]
        if rank <= 0:
            least, following = bounds_of(bucket)
            return (least + following - 1) // 2
    return None
