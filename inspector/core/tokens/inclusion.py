"""Tells whether a part of a token count is inside its whole or beside it.

WorkflowAI's reference and OpenAI's completions reference count every part inside. Some vendors
count reasoning beside the completion tokens and still within the total, or leave it out of that
too. The vendor, if known, and the numbers decide.

A vendor names what it may count beside, and its numbers must show it: reading beside wherever the
numbers fit would mean that no vendor could ever break a total.
"""

from collections.abc import Iterator, Mapping
from enum import StrEnum

import msgspec
from msgspec import UnsetType

from inspector.core.completion import known
from inspector.core.vendors.vendor import Vendor

TokenCount = int | None | UnsetType
TokenCounts = Mapping[str, TokenCount]

CAN_COUNT_OUTSIDE = (
    ("reasoning_tokens", "completion_tokens"),
    ("prompt_audio_tokens", "prompt_tokens"),
)
COUNT_NAMES: Mapping[str, str] = {
    "total_tokens": "total",
    "prompt_tokens": "prompt",
    "completion_tokens": "completion",
    "cached_tokens": "cached",
    "cache_write_tokens": "cache write",
    "cache_write_5m_tokens": "cache write for 5 minutes",
    "cache_write_1h_tokens": "cache write for an hour",
    "prompt_cache_hit_tokens": "cache hit",
    "prompt_cache_miss_tokens": "cache miss",
    "prompt_text_tokens": "text",
    "prompt_image_tokens": "image",
    "prompt_audio_tokens": "audio",
    "prompt_video_tokens": "video",
    "cached_image_tokens": "cached image",
    "cached_audio_tokens": "cached audio",
    "reasoning_tokens": "reasoning",
    "completion_text_tokens": "text",
    "completion_image_tokens": "image",
    "completion_audio_tokens": "audio",
    "completion_video_tokens": "video",
    "accepted_prediction_tokens": "accepted prediction",
    "rejected_prediction_tokens": "rejected prediction",
}


class InclusionBasis(StrEnum):
    """Why a part is counted inside or outside its whole."""

    PLAIN = "plain"
    """Inside, as documented; nothing contradicts it."""
    ASSUMED = "assumed"
    """Inside, as documented, though the numbers fit both ways."""
    DOUBTED = "doubted"
    """Inside, as documented, though the numbers only fit the part outside."""
    VENDOR = "vendor"
    """Outside, as this vendor is known to count."""
    NUMBERS = "numbers"
    """Outside: the vendor is unknown, and the numbers fit no other way."""


OUTSIDE_BASES = frozenset({InclusionBasis.VENDOR, InclusionBasis.NUMBERS})


class TokenInclusion(msgspec.Struct, frozen=True, kw_only=True):
    """Whether one part of more than 0 tokens is inside its whole, and why."""

    part: str
    whole: str
    basis: InclusionBasis
    explains_total: bool
    """The total is the sum of prompt, completion and this part (perhaps with another such part)."""
    why: str

    @property
    def is_outside(self) -> bool:
        return self.basis in OUTSIDE_BASES

    @property
    def counts_outside(self) -> bool:
        """True if the numbers show the part outside, even where the documents say inside."""
        return self.is_outside or self.basis is InclusionBasis.DOUBTED


def token_inclusions(counts: TokenCounts, vendor: Vendor | None) -> Iterator[TokenInclusion]:
    """Yield one for each part that may stand outside its whole and is more than 0."""
    missing = _missing(counts)
    sizes = {part: _number(counts[part]) for part, _ in CAN_COUNT_OUTSIDE if _number(counts[part])}
    filling = _filling(missing, sizes)
    for part, whole in CAN_COUNT_OUTSIDE:
        if part in sizes:
            fills = part in filling
            exceeds = known(counts[whole]) and sizes[part] > _number(counts[whole])
            basis = _basis(part, vendor, missing, fills=fills, exceeds=exceeds)
            why = _why(part, whole, basis, vendor, is_left_out=missing == 0)
            yield TokenInclusion(part=part, whole=whole, basis=basis, explains_total=fills, why=why)


def _basis(
    part: str, vendor: Vendor | None, missing: int | None, *, fills: bool, exceeds: bool
) -> InclusionBasis:
    # Such a vendor counts outside for some of its models only, so the numbers must show it as well.
    is_known = vendor is not None and part in vendor.counted_outside
    if fills or (exceeds and (missing is None or is_known)):
        if is_known:
            return InclusionBasis.VENDOR
        return InclusionBasis.NUMBERS if vendor is None else InclusionBasis.DOUBTED
    return InclusionBasis.ASSUMED if missing is None and not exceeds else InclusionBasis.PLAIN


def _why(
    part: str, whole: str, basis: InclusionBasis, vendor: Vendor | None, *, is_left_out: bool
) -> str:
    word, around = COUNT_NAMES[part], COUNT_NAMES[whole]
    match basis:
        case InclusionBasis.VENDOR:
            title = vendor.title if vendor else ""
            left_out = ", and the total leaves it out" if is_left_out else ""
            return f"{title} counts {word} beside {around}{left_out}"
        case InclusionBasis.NUMBERS:
            return f"only if {word} is counted separately from {around}"
        case InclusionBasis.DOUBTED:
            return f"adds up only if {word} is counted separately from {around}"
        case InclusionBasis.ASSUMED:
            return f"{word} is taken as part of {around}; the numbers fit both readings"
        case InclusionBasis.PLAIN:
            return f"{word} is part of {around}"


def _missing(counts: TokenCounts) -> int | None:
    """Total minus prompt and completion; None if one of the three was not sent."""
    prompt, completion = counts["prompt_tokens"], counts["completion_tokens"]
    total = counts["total_tokens"]
    if isinstance(prompt, int) and isinstance(completion, int) and isinstance(total, int):
        return total - prompt - completion
    return None


def _filling(missing: int | None, parts: Mapping[str, int]) -> tuple[str, ...]:
    """Return the smallest set of parts that sums to what is missing from the total."""
    if not missing:
        return ()
    for part, size in parts.items():
        if size == missing:
            return (part,)
    return tuple(parts) if sum(parts.values()) == missing else ()


def _number(count: TokenCount) -> int:
    return count if isinstance(count, int) else 0
