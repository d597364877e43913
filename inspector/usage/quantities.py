"""What is paid for: the tokens of an answer taken apart so that none is counted twice."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from msgspec import UNSET

from inspector.core.analysis import Analysis
from inspector.core.completion import Json, Usage
from inspector.core.counting import Basis
from inspector.core.ledger import Ledger, ledger_of, odd_counts
from inspector.core.usage import PLACES, is_count
from inspector.usage.kinds import WHOLES, Kind
from inspector.usage.unknown import Reason, Unknown
from inspector.usage.words import said

MOST_TOKENS = 10**9
"""No model reads or writes so many: a larger count is a provider's mistake, which must not spoil a
month.
"""

COUNTED: Mapping[Kind, tuple[str, ...]] = {
    Kind.PROMPT: ("prompt_tokens",),
    Kind.CACHED: ("cached_tokens", "prompt_cache_hit_tokens"),
    Kind.CACHE_WRITE: ("cache_write_tokens",),
    Kind.PROMPT_AUDIO: ("prompt_audio_tokens",),
    Kind.PROMPT_IMAGE: ("prompt_image_tokens",),
    Kind.COMPLETION: ("completion_tokens",),
    Kind.REASONING: ("reasoning_tokens",),
    Kind.COMPLETION_AUDIO: ("completion_audio_tokens",),
    Kind.COMPLETION_IMAGE: ("completion_image_tokens",),
}
"""The names of each count in ``Usage``; of two names for one count both must say the same."""
UNPRICED = {
    "/cache_creation_input_tokens": "tokens written to the cache",
    "/citation_tokens": "tokens of citations",
    "/num_search_queries": "searches",
    "/num_sources_used": "sources",
    "/server_tool_use/web_search_requests": "searches",
    "/server_tool_use_details/web_search_requests": "searches",
}
"""Counts that some vendors bill and that no line of a receipt holds."""


@dataclass(frozen=True, slots=True)
class Quantities:
    """``counts`` holds both wholes, and the parts that are more than 0; ``beside``: parts that are
    not inside their whole.
    """

    counts: Mapping[Kind, int]
    beside: frozenset[Kind]
    notes: tuple[str, ...]

    def parts(self, whole: Kind) -> Iterator[Kind]:
        return (part for part in WHOLES[whole] if part in self.counts)

    def size(self, whole: Kind) -> int:
        """The whole with what is counted beside it."""
        return self.counts[whole] + sum(
            self.counts[part] for part in self.parts(whole) if part in self.beside
        )


def quantities_of(analysis: Analysis) -> Quantities | Unknown:
    usage = analysis.usage
    if not usage.reported:
        return _unreported(usage)
    counts = _counts(usage)
    if isinstance(counts, Unknown):
        return counts
    ledger = ledger_of(analysis)
    names = {each.part for each in ledger.countings if each.is_beside}
    beside = frozenset(kind for kind in counts if names & set(COUNTED[kind]))
    return _too_large(counts, beside) or Quantities(counts, beside, tuple(_notes(ledger, usage)))


def _unreported(usage: Usage) -> Unknown:
    sent = usage.extras.get("", UNSET)
    if sent is UNSET:
        return Unknown(Reason.NO_USAGE, "usage was not sent")
    return Unknown(Reason.ODD_COUNT, f"usage is {said(sent)}, which is no object")


def _counts(usage: Usage) -> dict[Kind, int] | Unknown:
    odd = odd_counts(usage)
    counts: dict[Kind, int] = {}
    for kind, names in COUNTED.items():
        wrong = next((name for name in names if name in odd), None)
        if wrong is not None:
            why = f"{_wire_name(wrong)} is {said(odd[wrong][1])}, which is no count"
            return Unknown(Reason.ODD_COUNT, why)
        sent = {name: count for name in names if is_count(count := getattr(usage, name))}
        if len(set(sent.values())) > 1:
            pairs = (f"{_wire_name(name)} is {count:,}" for name, count in sent.items())
            return Unknown(Reason.CONTRADICTION, " but ".join(pairs))
        count = next(iter(sent.values()), None)
        if count is None and kind in WHOLES:
            return _missing(names[0], getattr(usage, names[0]))
        if count is not None and (count or kind in WHOLES):
            counts[kind] = count
    return counts


def _missing(name: str, sent: Json) -> Unknown:
    return Unknown(Reason.NO_COUNT, f"{name} {'is null' if sent is None else 'was not sent'}")


def _too_large(counts: Mapping[Kind, int], beside: frozenset[Kind]) -> Unknown | None:
    """A part that is more than the whole it is in contradicts it: one of them is wrong."""
    for kind, count in counts.items():
        if count > MOST_TOKENS:
            return Unknown(
                Reason.TOO_LARGE, f"{count:,} {kind} tokens are more than any model reaches"
            )
    for whole, parts in WHOLES.items():
        for part in parts:
            if part not in beside and counts.get(part, 0) > counts[whole]:
                sizes = f"{counts[part]:,} {part} tokens", f"{counts[whole]:,} {whole} tokens"
                why = f"{sizes[0]} are more than the {sizes[1]} they are part of"
                return Unknown(Reason.CONTRADICTION, why)
    return None


def _notes(ledger: Ledger, usage: Usage) -> Iterator[str]:
    yield from (each.why for each in ledger.countings if each.basis is not Basis.PLAIN)
    for pointer, meaning in UNPRICED.items():
        count = _extra(usage, pointer)
        if is_count(count) and count:
            yield f"not in this sum: {count:,} {meaning} ({pointer[1:]})"


def _extra(usage: Usage, pointer: str) -> Json:
    """A field of usage that is no count of its dialect, or one inside such a field."""
    _, name, *inside = pointer.split("/")
    sent: Json = usage.extras.get(f"/{name}")
    for each in inside:
        sent = sent.get(each) if isinstance(sent, dict) else None
    return sent


def _wire_name(name: str) -> str:
    return PLACES[name][0][-1]
