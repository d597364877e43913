"""Prices of a team that overlap, in words: which of two holds, from when on."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from datetime import date, timedelta
from hashlib import sha256

from inspector.core.dialects import vendor_named
from inspector.usage.overlaps import Because, Overlap, overlaps_of
from inspector.usage.overrides import Override
from inspector.usage.tiers import STANDARD

MOST = 3
WORDS = {
    Because.NEARER: "the more specific one applies",
    Because.LATER: "the later one applies",
    Because.NEWER: "the newer one applies",
}


def yielding(overrides: Sequence[Override], at: int) -> tuple[str, ...]:
    """Where the one at this place, of all of a team, the newest first, does not hold itself."""
    one = overrides[at]
    found = overlaps_of(one, overrides[:at], overrides[at + 1 :])
    return bounded([told(each) for each in found if each.yields is one])


def overlapping(one: Override, others: Sequence[Override]) -> tuple[str, ...]:
    """What it would come to if this one were made now: all of it, to be agreed to."""
    return tuple(told(each, one) for each in overlaps_of(one, (), others))


def digest_of(sentences: Sequence[str]) -> str:
    """Of all that is to be told, shown or not, so that nobody agrees to something else."""
    return sha256("\n".join(sentences).encode()).hexdigest()[:16]


def told(found: Overlap, new: Override | None = None) -> str:
    when = between(found.starts, found.ends)
    if found.because is Because.NEARER:
        when += ", for answers that match both,"
    if found.holds is new:
        return f"{when} it replaces {named(found.yields)}"
    return f"{when} {WORDS[found.because]}: {named(found.holds)}"


def named(override: Override) -> str:
    """``gpt-4o, of Azure, service tier flex, from 2026-11-01``."""
    return ", ".join((override.model, *means(override), days(override)))


def means(override: Override) -> Iterator[str]:
    """What narrows or widens the name."""
    if override.is_prefix:
        yield "prefix"
    if override.vendor:
        vendor = vendor_named(override.vendor)
        yield f"of {vendor.title if vendor else override.vendor}"
    if override.tier is None:
        yield "any service tier"
    elif override.tier != STANDARD:
        yield f"service tier {override.tier}"


def days(override: Override) -> str:
    starts = override.starts.isoformat()
    if override.ends is None:
        return f"from {starts}"
    last = override.ends - timedelta(days=1)
    return f"{starts} to {last.isoformat()}" if last >= override.starts else "never"


def between(starts: date, ends: date | None) -> str:
    if ends is None:
        return f"From {starts.isoformat()} on"
    last = ends - timedelta(days=1)
    return f"On {last}" if last == starts else f"From {starts} to {last}"


def bounded(sentences: Sequence[str]) -> tuple[str, ...]:
    more = len(sentences) - MOST
    return (*sentences[:MOST], f"And {more:,} more") if more > 0 else tuple(sentences)
