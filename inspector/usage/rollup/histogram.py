"""Histograms that can be added up: the bucket of a number is fixed.

There are eight buckets to each power of two, so a percentile read from them is off by at most an
eighth of its value; numbers below eight have a bucket each.
"""

import math
from collections.abc import Mapping

from inspector.usage.models import BUCKETS_PER_OCTAVE

# Up to here numbers are exact as doubles, too, which readers of JSON make of them.
LARGEST = 2**53


def bucket_of(value: int) -> int:
    """Return the bucket of a number from 0 to ``LARGEST``."""
    if value < BUCKETS_PER_OCTAVE:
        return value
    shift = value.bit_length() - BUCKETS_PER_OCTAVE.bit_length()
    return shift * BUCKETS_PER_OCTAVE + (value >> shift)


def octave_of(bucket: int) -> tuple[int, int]:
    """Return the doubling that a bucket lies in, and its place there."""
    return divmod(bucket, BUCKETS_PER_OCTAVE)


def bounds_of(bucket: int) -> tuple[int, int]:
    """Return the least number that belongs to a bucket, and the least that belongs to the next."""
    if bucket < BUCKETS_PER_OCTAVE:
        return bucket, bucket + 1
    shift = bucket // BUCKETS_PER_OCTAVE - 1
    least = (bucket - shift * BUCKETS_PER_OCTAVE) << shift
    return least, least + (1 << shift)


def percentile(numbers: Mapping[int, int], share: float) -> int | None:
    """Return the nearest-rank percentile of numbers in buckets, at its bucket's middle."""
    total = sum(numbers.values())
    rank = max(1, math.ceil(share * total))
    for bucket in sorted(numbers):
        rank -= numbers[bucket]
        if rank <= 0:
            least, following = bounds_of(bucket)
            return (least + following - 1) // 2
    return None
