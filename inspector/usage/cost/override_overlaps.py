"""Overlaps of price overrides: days on which two could apply, and which of them does. Pure."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import date
from enum import Enum, auto

from inspector.usage.cost.overrides import Override, specificity


class OverlapReason(Enum):
    """Why the winning override of two applies."""

    NEARER = auto()
    """It matches more specifically."""
    LATER = auto()
    """Both mean the same answers; it begins later."""
    NEWER = auto()
    """Both begin on the same day; it was created later."""


@dataclass(frozen=True, slots=True)
class Overlap:
    """``holds`` applies in place of ``yields`` from ``starts`` until ``ends`` (None: for ever)."""

    holds: Override
    yields: Override
    starts: date
    ends: date | None
    because: OverlapReason


def overlaps_of(
    one: Override, newer: Sequence[Override], older: Sequence[Override] = ()
) -> Iterator[Overlap]:
    """Overlaps with overrides created later (``newer``) and earlier (``older``), by day."""
    found = [overlap for each in newer if (overlap := _overlap(each, one))]
    found += [overlap for each in older if (overlap := _overlap(one, each))]
    yield from sorted(found, key=lambda overlap: overlap.starts)


def _overlap(newer: Override, older: Override) -> Overlap | None:
    starts = max(newer.starts, older.starts)
    ends = min((end for end in (newer.ends, older.ends) if end is not None), default=None)
    if (ends is not None and ends <= starts) or not _can_mean_the_same(newer, older):
        return None
    is_newer = specificity(newer) >= specificity(older)
    holds, yields = (newer, older) if is_newer else (older, newer)
    return Overlap(holds, yields, starts, ends, _because(newer, older))


def _can_mean_the_same(one: Override, other: Override) -> bool:
    pairs = ((one.vendor, other.vendor), (one.tier, other.tier))
    return _name_in_both(one, other) and all(None in pair or pair[0] == pair[1] for pair in pairs)


def _name_in_both(one: Override, other: Override) -> bool:
    if one.is_prefix and other.is_prefix:
        return one.model.startswith(other.model) or other.model.startswith(one.model)
    return one.means(other.model) if one.is_prefix else other.means(one.model)


def _because(newer: Override, older: Override) -> OverlapReason:
    *newer_means, newer_starts = specificity(newer)
    *older_means, older_starts = specificity(older)
    if newer_means != older_means:
        return OverlapReason.NEARER
    return OverlapReason.NEWER if newer_starts == older_starts else OverlapReason.LATER
