"""Whether a part is counted inside its whole or beside it: known of the vendor, or of the numbers.

The documents count every part inside (000, 004). Some vendors count reasoning beside the completion
tokens and still within the total, or leave it out of that too.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from enum import StrEnum

import msgspec
from msgspec import UnsetType

from inspector.core.completion import known
from inspector.core.dialects.vendor import Vendor

Count = int | None | UnsetType
Counts = Mapping[str, Count]

CAN_STAND_BESIDE = (
    ("reasoning_tokens", "completion_tokens"),
    ("prompt_audio_tokens", "prompt_tokens"),
)
WORDS: Mapping[str, str] = {
    "total_tokens": "total",
    "prompt_tokens": "prompt",
    "completion_tokens": "completion",
    "cached_tokens": "cached",
    "cache_write_tokens": "cache write",
    "prompt_cache_hit_tokens": "cache hit",
    "prompt_cache_miss_tokens": "cache miss",
    "prompt_text_tokens": "text",
    "prompt_image_tokens": "image",
    "prompt_audio_tokens": "audio",
    "reasoning_tokens": "reasoning",
    "completion_text_tokens": "text",
    "completion_image_tokens": "image",
    "completion_audio_tokens": "audio",
    "accepted_prediction_tokens": "accepted prediction",
    "rejected_prediction_tokens": "rejected prediction",
}


class Basis(StrEnum):
    """Why a part is read as it is."""

    PLAIN = "plain"
    """Inside, as documented, and nothing speaks against it."""
    ASSUMED = "assumed"
    """Inside, as documented, though the numbers fit both readings."""
    DOUBTED = "doubted"
    """Inside, as documented, though the numbers fit only the other reading."""
    VENDOR = "vendor"
    """Beside, as the vendor is known to count."""
    NUMBERS = "numbers"
    """Beside: the vendor is not known, and the numbers fit no other reading."""


BESIDE = frozenset({Basis.VENDOR, Basis.NUMBERS})


class Counting(msgspec.Struct, frozen=True, kw_only=True):
    """How one part of more than 0 tokens is read, and why."""

    part: str
    whole: str
    basis: Basis
    fills_total: bool
    """The total is prompt, completion and this part."""
    why: str

    @property
    def is_beside(self) -> bool:
        return self.basis in BESIDE

    @property
    def adds_up_beside(self) -> bool:
        """Whether its tokens come on top of the whole, be it promised or not."""
        return self.is_beside or self.basis is Basis.DOUBTED


def countings(counts: Counts, vendor: Vendor | None) -> Iterator[Counting]:
    """One for each part that can stand beside its whole and was sent as more than 0."""
    missing = _missing(counts)
    sizes = {part: _number(counts[part]) for part, _ in CAN_STAND_BESIDE if _number(counts[part])}
    filling = _filling(missing, sizes)
    for part, whole in CAN_STAND_BESIDE:
        if part in sizes:
            fills = part in filling
            exceeds = known(counts[whole]) and sizes[part] > _number(counts[whole])
            basis = _basis(part, vendor, missing, fills=fills, exceeds=exceeds)
            why = _why(part, whole, basis, vendor, is_left_out=missing == 0)
            yield Counting(part=part, whole=whole, basis=basis, fills_total=fills, why=why)


def _basis(
    part: str, vendor: Vendor | None, missing: int | None, *, fills: bool, exceeds: bool
) -> Basis:
    """A vendor that counts beside does so of some models only: its numbers must show it."""
    is_known = vendor is not None and part in vendor.counted_beside
    if fills or (exceeds and (missing is None or is_known)):
        if is_known:
            return Basis.VENDOR
        return Basis.NUMBERS if vendor is None else Basis.DOUBTED
    return Basis.ASSUMED if missing is None and not exceeds else Basis.PLAIN


def _why(part: str, whole: str, basis: Basis, vendor: Vendor | None, *, is_left_out: bool) -> str:
    word, around = WORDS[part], WORDS[whole]
    match basis:
        case Basis.VENDOR:
            title = vendor.title if vendor else ""
            left_out = ", and the total leaves it out" if is_left_out else ""
            return f"{title} counts {word} beside {around}{left_out}"
        case Basis.NUMBERS:
            return f"only if {word} is counted beside {around}"
        case Basis.DOUBTED:
            return f"adds up only if {word} is counted beside {around}"
        case Basis.ASSUMED:
            return f"{word} is taken as part of {around}; the numbers fit both readings"
        case Basis.PLAIN:
            return f"{word} is part of {around}"


def _missing(counts: Counts) -> int | None:
    """By how much prompt and completion fall short of the total; None where one was not sent."""
    prompt, completion = counts["prompt_tokens"], counts["completion_tokens"]
    total = counts["total_tokens"]
    if isinstance(prompt, int) and isinstance(completion, int) and isinstance(total, int):
        return total - prompt - completion
    return None


def _filling(missing: int | None, parts: Mapping[str, int]) -> tuple[str, ...]:
    """The parts that make up just what is missing, the fewest of them."""
    if not missing:
        return ()
    for part, size in parts.items():
        if size == missing:
            return (part,)
    return tuple(parts) if sum(parts.values()) == missing else ()


def _number(count: Count) -> int:
    return count if isinstance(count, int) else 0
