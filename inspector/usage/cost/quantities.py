"""Billed quantities: the tokens of a response split so that none is counted twice."""

from collections.abc import Iterator, Mapping

import msgspec
from msgspec import UNSET

from inspector.core.analysis import Analysis
from inspector.core.completion import Usage
from inspector.core.formats import usage_table_of
from inspector.core.formats.usage_table import CHAT_USAGE, Place, UsageTable
from inspector.core.json import Json
from inspector.core.json.pointer import pointer_to, steps_of
from inspector.core.tokens.inclusion import InclusionBasis, TokenInclusion
from inspector.core.tokens.invariants import TOTAL_RULE
from inspector.core.tokens.ledger import UsageLedger, ledger_of, odd_counts
from inspector.core.tokens.usage import TOO_MANY_TOKENS, is_count
from inspector.core.vendors import vendor_named
from inspector.usage.cost.notes import CostNote, CostNoteCode, note, sent_value
from inspector.usage.cost.token_kinds import COMMON_PARTS, WHOLES, TokenKind
from inspector.usage.cost.unknown import CostUnknown, CostUnknownReason, unknown_cost
from inspector.usage.cost.unpriced import UnpricedItem, UnpricedKind

USAGE_FIELDS: Mapping[TokenKind, tuple[str, ...]] = {
    TokenKind.PROMPT: ("prompt_tokens",),
    TokenKind.CACHED: ("cached_tokens", "prompt_cache_hit_tokens"),
    TokenKind.CACHED_AUDIO: ("cached_audio_tokens",),
    TokenKind.CACHED_IMAGE: ("cached_image_tokens",),
    TokenKind.CACHE_WRITE: ("cache_write_tokens",),
    TokenKind.CACHE_WRITE_1H: ("cache_write_1h_tokens",),
    TokenKind.PROMPT_AUDIO: ("prompt_audio_tokens",),
    TokenKind.PROMPT_IMAGE: ("prompt_image_tokens",),
    TokenKind.PROMPT_VIDEO: ("prompt_video_tokens",),
    TokenKind.COMPLETION: ("completion_tokens",),
    TokenKind.REASONING: ("reasoning_tokens",),
    TokenKind.COMPLETION_AUDIO: ("completion_audio_tokens",),
    TokenKind.COMPLETION_IMAGE: ("completion_image_tokens",),
    TokenKind.COMPLETION_VIDEO: ("completion_video_tokens",),
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
INCLUSION_CODES: Mapping[InclusionBasis, CostNoteCode] = {
    InclusionBasis.ASSUMED: CostNoteCode.ASSUMED_INSIDE,
    InclusionBasis.DOUBTED: CostNoteCode.FITS_OUTSIDE_AGAINST_DOCUMENTS,
    InclusionBasis.NUMBERS: CostNoteCode.FITS_OUTSIDE,
}


class Quantities(msgspec.Struct, frozen=True, tag="counted", tag_field="state"):
    """``counts`` holds both wholes, and the parts and searches that are more than 0, none of which
    is counted in two parts; ``outside``: parts that are not inside their whole; ``unpriced``: what
    is billed and is none of these.
    """

    counts: Mapping[TokenKind, int]
    outside: frozenset[TokenKind]
    notes: tuple[CostNote, ...]
    unpriced: tuple[UnpricedItem, ...] = ()

    def parts(self, whole: TokenKind) -> Iterator[TokenKind]:
        return (part for part in WHOLES[whole] if part in self.counts)

    def size(self, whole: TokenKind) -> int:
        """Return the whole, with the parts counted outside it."""
        return self.counts[whole] + sum(
            self.counts[part] for part in self.parts(whole) if part in self.outside
        )


def quantities_of(analysis: Analysis) -> Quantities | CostUnknown:
    usage = analysis.usage
    if not usage.reported:
        return _unreported(usage)
    table = usage_table_of(analysis.dialect)
    counts = counts_of(usage, table)
    if isinstance(counts, CostUnknown):
        return counts
    ledger = ledger_of(analysis)
    names = {each.part for each in ledger.inclusions if each.counts_outside}
    outside = frozenset(kind for kind in counts if names & set(USAGE_FIELDS.get(kind, ())))
    notes = list(_inclusion_notes(analysis, ledger))
    unpriced = []
    for kind, named in _unpriced(usage, counts):
        unpriced.append(_merge_names(kind, named))
        notes += _other_counts(unpriced[-1], named)
    unpriced += _unexplained_total(analysis, ledger)
    contradiction = _contradiction(counts, outside)
    return contradiction or Quantities(counts, outside, tuple(notes), tuple(unpriced))


def _inclusion_notes(analysis: Analysis, ledger: UsageLedger) -> Iterator[CostNote]:
    for inclusion in ledger.inclusions:
        if inclusion.basis is InclusionBasis.VENDOR:
            yield _vendor_note(analysis, inclusion)
        elif code := INCLUSION_CODES.get(inclusion.basis):
            yield note(code, part=inclusion.part, whole=inclusion.whole)


def _vendor_note(analysis: Analysis, inclusion: TokenInclusion) -> CostNote:
    is_left_out = _is_total_of_wholes(analysis.usage)
    code = CostNoteCode.COUNTED_OUTSIDE_TOTAL if is_left_out else CostNoteCode.COUNTED_OUTSIDE
    return note(code, vendor=analysis.vendor, part=inclusion.part, whole=inclusion.whole)


def _is_total_of_wholes(usage: Usage) -> bool:
    prompt, completion, total = usage.prompt_tokens, usage.completion_tokens, usage.total_tokens
    if isinstance(prompt, int) and isinstance(completion, int):
        return total == prompt + completion
    return False


def _unreported(usage: Usage) -> CostUnknown:
    sent = usage.extras.get("", UNSET)
    if sent is UNSET:
        return CostUnknown(CostUnknownReason.NO_USAGE)
    code = CostNoteCode.USAGE_NOT_AN_OBJECT
    return unknown_cost(CostUnknownReason.ODD_COUNT, code, sent=sent_value(sent))


def counts_of(usage: Usage, table: UsageTable) -> dict[TokenKind, int] | CostUnknown:
    """Return the billed tokens by kind, and the searches."""
    if billed := _billed(usage, table):
        return billed
    odd = odd_counts(usage)
    counts: dict[TokenKind, int] = {}
    for kind, names in USAGE_FIELDS.items():
        count = _count(usage, names, odd)
        if isinstance(count, CostUnknown):
            return count
        if count is None and kind in WHOLES:
            if not _is_rest_zero(usage, names[0], table):
                return _not_sent(table.wire_name(names[0]), getattr(usage, names[0]))
            count = 0
        if count is not None and (count or kind in WHOLES):
            counts[kind] = count
    if searches := _at(usage, table.searches):
        counts[TokenKind.SEARCH] = searches
    return _disjoint(counts)


def _count(
    usage: Usage, names: tuple[str, ...], odd: Mapping[str, tuple[str, Json]]
) -> int | None | CostUnknown:
    wrong = next((odd[name] for name in names if name in odd), None)
    if wrong is not None:
        pointer, sent = wrong
        field = steps_of(pointer)[-1]
        detail = note(CostNoteCode.NOT_A_COUNT, field=field, sent=sent_value(sent))
        return CostUnknown(CostUnknownReason.ODD_COUNT, detail)
    counts = {name: count for name in names if is_count(count := getattr(usage, name))}
    if len(set(counts.values())) > 1:
        return CostUnknown(CostUnknownReason.CONTRADICTION, _disagreement(counts))
    return next(iter(counts.values()), None)


def _is_rest_zero(usage: Usage, name: str, table: UsageTable) -> bool:
    """Return True if the total is one whole's, the other not sent: Gemini leaves out zeros."""
    other = "prompt_tokens" if name == "completion_tokens" else "completion_tokens"
    is_told = is_count(usage.total_tokens) and usage.total_tokens == getattr(usage, other)
    return table.is_inclusive and getattr(usage, name) is UNSET and is_told


def _billed(usage: Usage, table: UsageTable) -> dict[TokenKind, int]:
    """Return the wholes as billed, where the format tells that apart."""
    found = {kind: _at(usage, table.billed.get(USAGE_FIELDS[kind][0])) for kind in WHOLES}
    told = {kind: count for kind, count in found.items() if count is not None}
    return told if len(told) == len(WHOLES) else {}


def _at(usage: Usage, place: Place | None) -> int | None:
    sent = _extra(usage, pointer_to(map(str, place))) if place else None
    return sent if is_count(sent) else None


def _disjoint(counts: Mapping[TokenKind, int]) -> dict[TokenKind, int] | CostUnknown:
    """Return the counts with common parts taken out of the parts that include them."""
    rest = dict(counts)
    for part, (first, *others) in COMMON_PARTS.items():
        for kind in (first, *(each for each in others if each in rest)) if part in rest else ():
            rest[kind] = rest.get(kind, 0) - counts[part]
            if rest[kind] < 0:
                return _part_exceeds(part, counts[part], kind, counts.get(kind, 0))
    return {kind: count for kind, count in rest.items() if count or kind in WHOLES}


def _part_exceeds(part: TokenKind, size: int, whole: TokenKind, whole_size: int) -> CostUnknown:
    return unknown_cost(
        CostUnknownReason.CONTRADICTION,
        CostNoteCode.PART_EXCEEDS_WHOLE,
        part=part,
        part_count=size,
        whole=whole,
        whole_count=whole_size,
    )


def _disagreement(sent: Mapping[str, int]) -> CostNote:
    (name, count), (other, other_count) = sent.items()
    return note(
        CostNoteCode.NAMES_DISAGREE,
        field=_wire_name(name),
        count=count,
        other_field=_wire_name(other),
        other_count=other_count,
    )


def _not_sent(name: str, sent: Json) -> CostUnknown:
    code = CostNoteCode.COUNT_NULL if sent is None else CostNoteCode.COUNT_NOT_SENT
    return unknown_cost(CostUnknownReason.NO_COUNT, code, field=name)


def _contradiction(
    counts: Mapping[TokenKind, int], outside: frozenset[TokenKind]
) -> CostUnknown | None:
    # A part larger than its whole contradicts it: one of the two counts is wrong.
    for kind, count in counts.items():
        if count >= TOO_MANY_TOKENS:
            code = CostNoteCode.COUNT_TOO_LARGE
            return unknown_cost(CostUnknownReason.TOO_LARGE, code, count=count, kind=kind)
    for whole, parts in WHOLES.items():
        for part in parts:
            if part not in outside and counts.get(part, 0) > counts[whole]:
                return _part_exceeds(part, counts[part], whole, counts[whole])
    return None


def _unpriced(
    usage: Usage, counts: Mapping[TokenKind, int]
) -> Iterator[tuple[UnpricedKind, Mapping[str, int]]]:
    # One count may be sent under several names.
    for kind in UnpricedKind:
        if kind is UnpricedKind.CACHE_WRITES and TokenKind.CACHE_WRITE in counts:
            # The same tokens under another name.
            continue
        if kind is UnpricedKind.SEARCHES and TokenKind.SEARCH in counts:
            continue
        sent = {
            pointer[1:]: _extra(usage, pointer)
            for pointer in UNPRICED_FIELDS
            if UNPRICED_FIELDS[pointer] is kind
        }
        named = {name: count for name, count in sent.items() if is_count(count) and count}
        if named:
            yield kind, named


def _unexplained_total(analysis: Analysis, ledger: UsageLedger) -> Iterator[UnpricedItem]:
    # Tokens of the total beyond prompt, completion and the parts counted outside of them.
    usage, table = analysis.usage, usage_table_of(analysis.dialect)
    vendor = None if table.is_inclusive else vendor_named(analysis.vendor)
    total = usage.total_tokens
    filling = [
        each.part for each in ledger.inclusions if each.counts_outside and each.explains_total
    ]
    names = ("prompt_tokens", "completion_tokens", *filling)
    explained = sum(count for name in names if is_count(count := getattr(usage, name)))
    if isinstance(total, int) and explained < total < TOO_MANY_TOKENS:
        is_thinking = vendor is not None and TOTAL_RULE in vendor.breaks
        kind = UnpricedKind.THINKING if is_thinking else UnpricedKind.TOTAL_ONLY
        yield UnpricedItem(total - explained, kind, table.wire_name("total_tokens"))


def _merge_names(kind: UnpricedKind, named: Mapping[str, int]) -> UnpricedItem:
    # Several names for one count: the greatest is used.
    name = max(named, key=named.__getitem__)
    return UnpricedItem(named[name], kind, name)


def _other_counts(item: UnpricedItem, named: Mapping[str, int]) -> Iterator[CostNote]:
    for name, count in named.items():
        if count != item.count:
            yield note(
                CostNoteCode.NAMES_DISAGREE,
                field=item.field,
                count=item.count,
                other_field=name,
                other_count=count,
            )


def _extra(usage: Usage, pointer: str) -> Json:
    """Return a field of usage that is no count of its dialect, or one inside such a field."""
    _, name, *inside = pointer.split("/")
    sent: Json = usage.extras.get(f"/{name}")
    for each in inside:
        sent = sent.get(each) if isinstance(sent, dict) else None
    return sent


def _wire_name(name: str) -> str:
    return CHAT_USAGE.wire_name(name)
