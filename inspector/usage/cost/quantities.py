"""Billed quantities: the tokens of a response split so that none is counted twice."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from msgspec import UNSET

from inspector.core.analysis import Analysis
from inspector.core.completion import Json, Usage
from inspector.core.formats import is_read
from inspector.core.tokens.inclusion import InclusionBasis
from inspector.core.tokens.invariants import TOTAL_RULE
from inspector.core.tokens.ledger import UsageLedger, ledger_of, odd_counts
from inspector.core.tokens.usage import PLACES, TOO_MANY_TOKENS, is_count
from inspector.core.vendors import vendor_named
from inspector.usage.cost.quoting import describe_value
from inspector.usage.cost.token_kinds import WHOLES, TokenKind
from inspector.usage.cost.unknown import CostUnknown, CostUnknownReason
from inspector.usage.cost.unpriced import UnpricedItem, UnpricedKind

USAGE_FIELDS: Mapping[TokenKind, tuple[str, ...]] = {
    TokenKind.PROMPT: ("prompt_tokens",),
    TokenKind.CACHED: ("cached_tokens", "prompt_cache_hit_tokens"),
    TokenKind.CACHE_WRITE: ("cache_write_tokens",),
    TokenKind.PROMPT_AUDIO: ("prompt_audio_tokens",),
    TokenKind.PROMPT_IMAGE: ("prompt_image_tokens",),
    TokenKind.COMPLETION: ("completion_tokens",),
    TokenKind.REASONING: ("reasoning_tokens",),
    TokenKind.COMPLETION_AUDIO: ("completion_audio_tokens",),
    TokenKind.COMPLETION_IMAGE: ("completion_image_tokens",),
}
"""The names of each count in ``Usage``; of two names for one count both must say the same."""
UNPRICED_FIELDS: Mapping[str, UnpricedKind] = {
    "/cache_creation_input_tokens": UnpricedKind.CACHE_WRITES,
    "/citation_tokens": UnpricedKind.CITATIONS,
    "/num_search_queries": UnpricedKind.SEARCHES,
    "/num_sources_used": UnpricedKind.SOURCES,
    "/server_tool_use/web_search_requests": UnpricedKind.SEARCHES,
    "/server_tool_use_details/web_search_requests": UnpricedKind.SEARCHES,
}
"""Counts that some vendors bill and no receipt line covers."""


@dataclass(frozen=True, slots=True)
class Quantities:
    """``counts`` holds both wholes, and the parts that are more than 0; ``beside``: parts that are
    not inside their whole; ``missing``: what is billed and is none of these.
    """

    counts: Mapping[TokenKind, int]
    beside: frozenset[TokenKind]
    notes: tuple[str, ...]
    missing: tuple[UnpricedItem, ...] = ()

    def parts(self, whole: TokenKind) -> Iterator[TokenKind]:
        return (part for part in WHOLES[whole] if part in self.counts)

    def size(self, whole: TokenKind) -> int:
        """The whole, with the parts counted beside it."""
        return self.counts[whole] + sum(
            self.counts[part] for part in self.parts(whole) if part in self.beside
        )


def quantities_of(analysis: Analysis) -> Quantities | CostUnknown:
    usage = analysis.usage
    if not is_read(analysis.dialect):
        return CostUnknown(CostUnknownReason.NOT_READ, f"usage of {analysis.dialect} is not parsed")
    if not usage.reported:
        return _unreported(usage)
    counts = _counts(usage)
    if isinstance(counts, CostUnknown):
        return counts
    ledger = ledger_of(analysis)
    names = {each.part for each in ledger.inclusions if each.counts_outside}
    beside = frozenset(kind for kind in counts if names & set(USAGE_FIELDS[kind]))
    notes = [each.why for each in ledger.inclusions if each.basis is not InclusionBasis.PLAIN]
    missing = []
    for what, named in _unpriced(usage, counts):
        missing.append(_merge_names(what, named))
        notes += _other_counts(missing[-1], named)
    missing += _unexplained_total(analysis, ledger)
    return _too_large(counts, beside) or Quantities(counts, beside, tuple(notes), tuple(missing))


def _unreported(usage: Usage) -> CostUnknown:
    sent = usage.extras.get("", UNSET)
    if sent is UNSET:
        return CostUnknown(CostUnknownReason.NO_USAGE, "usage was not sent")
    return CostUnknown(
        CostUnknownReason.ODD_COUNT, f"usage is {describe_value(sent)}, which is no object"
    )


def _counts(usage: Usage) -> dict[TokenKind, int] | CostUnknown:
    odd = odd_counts(usage)
    counts: dict[TokenKind, int] = {}
    for kind, names in USAGE_FIELDS.items():
        wrong = next((name for name in names if name in odd), None)
        if wrong is not None:
            why = f"{_wire_name(wrong)} is {describe_value(odd[wrong][1])}, which is no count"
            return CostUnknown(CostUnknownReason.ODD_COUNT, why)
        sent = {name: count for name in names if is_count(count := getattr(usage, name))}
        if len(set(sent.values())) > 1:
            pairs = (f"{_wire_name(name)} is {count:,}" for name, count in sent.items())
            return CostUnknown(CostUnknownReason.CONTRADICTION, " but ".join(pairs))
        count = next(iter(sent.values()), None)
        if count is None and kind in WHOLES:
            return _not_sent(names[0], getattr(usage, names[0]))
        if count is not None and (count or kind in WHOLES):
            counts[kind] = count
    return counts


def _not_sent(name: str, sent: Json) -> CostUnknown:
    return CostUnknown(
        CostUnknownReason.NO_COUNT, f"{name} {'is null' if sent is None else 'was not sent'}"
    )


def _too_large(counts: Mapping[TokenKind, int], beside: frozenset[TokenKind]) -> CostUnknown | None:
    # A part larger than its whole contradicts it: one of the two counts is wrong.
    for kind, count in counts.items():
        if count >= TOO_MANY_TOKENS:
            return CostUnknown(
                CostUnknownReason.TOO_LARGE,
                f"{count:,} {kind} tokens are more than any model reaches",
            )
    for whole, parts in WHOLES.items():
        for part in parts:
            if part not in beside and counts.get(part, 0) > counts[whole]:
                sizes = f"{counts[part]:,} {part} tokens", f"{counts[whole]:,} {whole} tokens"
                why = f"{sizes[0]} are more than the {sizes[1]} they are part of"
                return CostUnknown(CostUnknownReason.CONTRADICTION, why)
    return None


def _unpriced(
    usage: Usage, counts: Mapping[TokenKind, int]
) -> Iterator[tuple[UnpricedKind, Mapping[str, int]]]:
    # One count may be sent under several names.
    for what in UnpricedKind:
        if what is UnpricedKind.CACHE_WRITES and TokenKind.CACHE_WRITE in counts:
            # The same tokens under another name.
            continue
        sent = {
            pointer[1:]: _extra(usage, pointer)
            for pointer in UNPRICED_FIELDS
            if UNPRICED_FIELDS[pointer] is what
        }
        named = {name: count for name, count in sent.items() if is_count(count) and count}
        if named:
            yield what, named


def _unexplained_total(analysis: Analysis, ledger: UsageLedger) -> Iterator[UnpricedItem]:
    # Tokens of the total beyond prompt, completion and the parts counted outside of them.
    usage, vendor = analysis.usage, vendor_named(analysis.vendor)
    total = usage.total_tokens
    filling = [
        each.part for each in ledger.inclusions if each.counts_outside and each.explains_total
    ]
    told = [getattr(usage, name) for name in ("prompt_tokens", "completion_tokens", *filling)]
    if isinstance(total, int) and sum(told) < total < TOO_MANY_TOKENS:
        is_thinking = vendor is not None and TOTAL_RULE in vendor.breaks
        what = UnpricedKind.THINKING if is_thinking else UnpricedKind.UNTOLD
        yield UnpricedItem(total - sum(told), what, "total_tokens")


def _merge_names(what: UnpricedKind, named: Mapping[str, int]) -> UnpricedItem:
    # Several names for one count: the greatest is used.
    name = max(named, key=named.__getitem__)
    return UnpricedItem(named[name], what, name)


def _other_counts(missing: UnpricedItem, named: Mapping[str, int]) -> Iterator[str]:
    for name, count in named.items():
        if count != missing.count:
            yield f"{missing.name} is {missing.count:,}, where {name} is {count:,}"


def _extra(usage: Usage, pointer: str) -> Json:
    """A field of usage that is no count of its dialect, or one inside such a field."""
    _, name, *inside = pointer.split("/")
    sent: Json = usage.extras.get(f"/{name}")
    for each in inside:
        sent = sent.get(each) if isinstance(sent, dict) else None
    return sent


def _wire_name(name: str) -> str:
    return PLACES[name][0][-1]
