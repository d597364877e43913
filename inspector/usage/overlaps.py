"""Two overrides that one answer could be meant by: on which days, and which of them holds. Pure."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import date
from enum import Enum, auto

from inspector.usage.overrides import Override, nearness


class Because(Enum):
    """Of the one that holds."""

    NEARER = auto()
    """Of the two it says more of what it means."""
    LATER = auto()
    """Both mean the same answers; it begins later."""
    NEWER = auto()
    """They begin on one day, too; it was made later."""


@dataclass(frozen=True, slots=True)
class Overlap:
    """``holds`` holds in place of ``yields`` from the day ``starts`` until ``ends``, the first on
    which not both would; None while there is none.
    """

    holds: Override
    yields: Override
    starts: date
    ends: date | None
    because: Because


def overlaps_of(
    one: Override, newer: Sequence[Override], older: Sequence[Override] = ()
) -> Iterator[Overlap]:
    """With those that were made after it and with those made before, in the order of their days."""
    found = [overlap for each in newer if (overlap := _overlap(each, one))]
    found += [overlap for each in older if (overlap := _overlap(one, each))]
    yield from sorted(found, key=lambda overlap: overlap.starts)


def _overlap(newer: Override, older: Override) -> Overlap | None:
    starts = max(newer.starts, older.starts)
    ends = min((end for end in (newer.ends, older.ends) if end is not None), default=None)
    if (ends is not None and ends <= starts) or not _can_mean_the_same(newer, older):
        return None
    is_newer = nearness(newer) >= nearness(older)
    holds, yields = (newer, older) if is_newer else (older, newer)
    return Overlap(holds, yields, starts, ends, _because(newer, older))


def _can_mean_the_same(one: Override, other: Override) -> bool:
    pairs = ((one.vendor, other.vendor), (one.tier, other.tier))
    return _name_in_both(one, other) and all(None in pair or pair[0] == pair[1] for pair in pairs)


def _name_in_both(one: Override, other: Override) -> bool:
    if one.is_prefix and other.is_prefix:
        return one.model.startswith(other.model) or other.model.startswith(one.model)
    return one.means(other.model) if one.is_prefix else other.means(one.model)


def _because(newer: Override, older: Override) -> Because:
    *newer_means, newer_starts = nearness(newer)
    *older_means, older_starts = nearness(older)
    if newer_means != older_means:
        return Because.NEARER
    return Because.NEWER if newer_starts == older_starts else Because.LATER
