"""What is paid for: the tokens of an answer taken apart so that none is counted twice."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from msgspec import UNSET

from inspector.core.analysis import Analysis
from inspector.core.completion import Json, Usage
from inspector.core.counting import Basis
from inspector.core.dialects import is_read, vendor_named
from inspector.core.invariants import TOTAL_RULE
from inspector.core.ledger import Ledger, ledger_of, odd_counts
from inspector.core.usage import PLACES, TOO_MANY_TOKENS, is_count
from inspector.usage.kinds import WHOLES, Kind
from inspector.usage.missing import Missing, Unpriced
from inspector.usage.unknown import Reason, Unknown
from inspector.usage.words import said

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
UNPRICED: Mapping[str, Unpriced] = {
    "/cache_creation_input_tokens": Unpriced.CACHE_WRITES,
    "/citation_tokens": Unpriced.CITATIONS,
    "/num_search_queries": Unpriced.SEARCHES,
    "/num_sources_used": Unpriced.SOURCES,
    "/server_tool_use/web_search_requests": Unpriced.SEARCHES,
    "/server_tool_use_details/web_search_requests": Unpriced.SEARCHES,
}
"""Counts that some vendors bill and that no line of a receipt holds."""


@dataclass(frozen=True, slots=True)
class Quantities:
    """``counts`` holds both wholes, and the parts that are more than 0; ``beside``: parts that are
    not inside their whole; ``missing``: what is billed and is none of these.
    """

    counts: Mapping[Kind, int]
    beside: frozenset[Kind]
    notes: tuple[str, ...]
    missing: tuple[Missing, ...] = ()

    def parts(self, whole: Kind) -> Iterator[Kind]:
        return (part for part in WHOLES[whole] if part in self.counts)

    def size(self, whole: Kind) -> int:
        """The whole with what is counted beside it."""
        return self.counts[whole] + sum(
            self.counts[part] for part in self.parts(whole) if part in self.beside
        )


def quantities_of(analysis: Analysis) -> Quantities | Unknown:
    usage = analysis.usage
    if not is_read(analysis.dialect):
        return Unknown(Reason.NOT_READ, f"usage of {analysis.dialect} is not read")
    if not usage.reported:
        return _unreported(usage)
    counts = _counts(usage)
    if isinstance(counts, Unknown):
        return counts
    ledger = ledger_of(analysis)
    names = {each.part for each in ledger.countings if each.adds_up_beside}
    beside = frozenset(kind for kind in counts if names & set(COUNTED[kind]))
    notes = [each.why for each in ledger.countings if each.basis is not Basis.PLAIN]
    missing = []
    for what, named in _unpriced(usage, counts):
        missing.append(_one(what, named))
        notes += _other_counts(missing[-1], named)
    missing += _untold(analysis, ledger)
    return _too_large(counts, beside) or Quantities(counts, beside, tuple(notes), tuple(missing))


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
            return _not_sent(names[0], getattr(usage, names[0]))
        if count is not None and (count or kind in WHOLES):
            counts[kind] = count
    return counts


def _not_sent(name: str, sent: Json) -> Unknown:
    return Unknown(Reason.NO_COUNT, f"{name} {'is null' if sent is None else 'was not sent'}")


def _too_large(counts: Mapping[Kind, int], beside: frozenset[Kind]) -> Unknown | None:
    """A part that is more than the whole it is in contradicts it: one of them is wrong."""
    for kind, count in counts.items():
        if count >= TOO_MANY_TOKENS:
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


def _unpriced(
    usage: Usage, counts: Mapping[Kind, int]
) -> Iterator[tuple[Unpriced, Mapping[str, int]]]:
    """What is on no line, with its count under each of its names."""
    for what in Unpriced:
        if what is Unpriced.CACHE_WRITES and Kind.CACHE_WRITE in counts:
            # The same tokens under another name.
            continue
        sent = {
            pointer[1:]: _extra(usage, pointer) for pointer in UNPRICED if UNPRICED[pointer] is what
        }
        named = {name: count for name, count in sent.items() if is_count(count) and count}
        if named:
            yield what, named


def _untold(analysis: Analysis, ledger: Ledger) -> Iterator[Missing]:
    """What the total counts beyond prompt, completion and the parts beside them."""
    usage, vendor = analysis.usage, vendor_named(analysis.vendor)
    total = usage.total_tokens
    filling = [each.part for each in ledger.countings if each.adds_up_beside and each.fills_total]
    told = [getattr(usage, name) for name in ("prompt_tokens", "completion_tokens", *filling)]
    if isinstance(total, int) and sum(told) < total < TOO_MANY_TOKENS:
        is_thinking = vendor is not None and TOTAL_RULE in vendor.breaks
        what = Unpriced.THINKING if is_thinking else Unpriced.UNTOLD
        yield Missing(total - sum(told), what, "total_tokens")


def _one(what: Unpriced, named: Mapping[str, int]) -> Missing:
    """Of several names for it the one that counts most."""
    name = max(named, key=named.__getitem__)
    return Missing(named[name], what, name)


def _other_counts(missing: Missing, named: Mapping[str, int]) -> Iterator[str]:
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
