"""Sentences about overlapping price overrides: which one applies, and from when."""

from collections.abc import Iterator, Sequence
from datetime import date, timedelta
from hashlib import sha256

from inspector.core.fields.service_tier import STANDARD
from inspector.core.vendors import vendor_named
from inspector.usage.cost.override_overlaps import Overlap, OverlapReason, overlaps_of
from inspector.usage.cost.overrides import Override

MAX_SENTENCES = 3
"""They stand beside one row; a price for all models overlaps with each."""
REASON_WORDS = {
    OverlapReason.NEARER: "the more specific one applies",
    OverlapReason.LATER: "the later one applies",
    OverlapReason.NEWER: "the newer one applies",
}


def overriding_prices(overrides: Sequence[Override], at: int) -> tuple[str, ...]:
    """Sentences about other overrides that apply instead of the one at index ``at``.

    ``overrides`` are all of a team, newest first.
    """
    one = overrides[at]
    found = overlaps_of(one, overrides[:at], overrides[at + 1 :])
    return limit_sentences([overlap_sentence(each) for each in found if each.yields is one])


def overlap_sentences(one: Override, others: Sequence[Override]) -> tuple[str, ...]:
    """Sentences about every overlap that creating this override would cause, for confirmation."""
    return tuple(overlap_sentence(each, one) for each in overlaps_of(one, (), others))


def sentences_digest(sentences: Sequence[str]) -> str:
    # Covers all sentences, also those not shown, so that nobody confirms a different set.
    return sha256("\n".join(sentences).encode()).hexdigest()[:16]


def overlap_sentence(found: Overlap, new: Override | None = None) -> str:
    when = overlap_days(found.starts, found.ends)
    if found.because is OverlapReason.NEARER:
        when += ", for answers that match both,"
    if found.holds is new:
        return f"{when} it replaces {override_words(found.yields)}"
    return f"{when} {REASON_WORDS[found.because]}: {override_words(found.holds)}"


def override_words(override: Override) -> str:
    """``gpt-4o, of Azure, service tier flex, from 2026-11-01``."""
    return ", ".join((override.model, *override_scope_words(override), override_days(override)))


def override_scope_words(override: Override) -> Iterator[str]:
    """Yield the conditions besides the model name."""
    if override.is_prefix:
        yield "prefix"
    if override.vendor:
        vendor = vendor_named(override.vendor)
        yield f"of {vendor.title if vendor else override.vendor}"
    if override.tier is None:
        yield "any service tier"
    elif override.tier != STANDARD:
        yield f"service tier {override.tier}"


def override_days(override: Override) -> str:
    starts = override.starts.isoformat()
    if override.ends is None:
        return f"from {starts}"
    last = override.ends - timedelta(days=1)
    return f"{starts} to {last.isoformat()}" if last >= override.starts else "never"


def overlap_days(starts: date, ends: date | None) -> str:
    if ends is None:
        return f"From {starts.isoformat()} on"
    last = ends - timedelta(days=1)
    return f"On {last}" if last == starts else f"From {starts} to {last}"


def limit_sentences(sentences: Sequence[str]) -> tuple[str, ...]:
    more = len(sentences) - MAX_SENTENCES
    return (*sentences[:MAX_SENTENCES], f"And {more:,} more") if more > 0 else tuple(sentences)
