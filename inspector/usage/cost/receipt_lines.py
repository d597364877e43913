"""Quantities times rates: what is part of another line is left out there, what has no rate of its
own is paid at that of its whole, and what is assumed is noted.
"""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from decimal import Decimal

from inspector.usage.cost.money import EXACT
from inspector.usage.cost.notes import CostNote, CostNoteCode, note
from inspector.usage.cost.prices import Rate, Rates
from inspector.usage.cost.quantities import Quantities
from inspector.usage.cost.token_kinds import COMMON_PARTS, WHOLES, TokenKind
from inspector.usage.cost.unknown import CostUnknown, CostUnknownReason, unknown_cost

CACHE_KINDS = frozenset({TokenKind.CACHED, TokenKind.CACHE_WRITE, TokenKind.CACHE_WRITE_1H})
MEDIA_KINDS = frozenset({TokenKind.PROMPT_AUDIO, TokenKind.PROMPT_IMAGE, TokenKind.PROMPT_VIDEO})


@dataclass(frozen=True, slots=True)
class ReceiptLine:
    """``amount_usd`` = ``count`` × ``rate_usd`` / ``per``, exactly."""

    kind: TokenKind
    count: int
    rate_usd: Decimal
    per: int
    amount_usd: Decimal
    without: tuple[TokenKind, ...] = ()
    """Parts of this kind that have lines of their own, and are not in ``count``."""
    outside: TokenKind | None = None
    """The whole that this part was counted outside of."""


@dataclass(frozen=True, slots=True)
class ItemisedCost:
    lines: tuple[ReceiptLine, ...]
    notes: tuple[CostNote, ...]

    @property
    def total_usd(self) -> Decimal:
        total = Decimal(0)
        for line in self.lines:
            total = EXACT.add(total, line.amount_usd)
        return total


def itemise(quantities: Quantities, rates: Rates) -> ItemisedCost | CostUnknown:
    """All lines of a receipt, or the reason why one of them cannot be computed."""
    lines: list[ReceiptLine] = []
    notes: list[CostNote] = []
    for whole in WHOLES:
        split = _split(whole, quantities, rates)
        missing = _missing(split, rates)
        if missing is not None:
            return missing
        lines += _lines(split, rates)
        notes += _notes(split, rates)
    searches = quantities.counts.get(TokenKind.SEARCH)
    if searches and TokenKind.SEARCH in rates.by_kind:
        lines.append(_line(TokenKind.SEARCH, searches, rates.by_kind[TokenKind.SEARCH]))
    if TokenKind.REQUEST in rates.by_kind:
        lines.append(_line(TokenKind.REQUEST, 1, rates.by_kind[TokenKind.REQUEST]))
    return ItemisedCost(tuple(lines), tuple(notes))


@dataclass(frozen=True, slots=True)
class _SplitWhole:
    """A whole: ``rest`` is what remains of it without its ``apart``, that have rates of their own.
    ``within`` have none; ``outside`` were never in it; ``alike`` are in another part's count.
    """

    whole: TokenKind
    rest: int
    apart: dict[TokenKind, int]
    within: dict[TokenKind, int]
    outside: dict[TokenKind, int]
    alike: dict[TokenKind, int]


def _split(whole: TokenKind, quantities: Quantities, rates: Rates) -> _SplitWhole:
    parts = {part: quantities.counts[part] for part in quantities.parts(whole)}
    outside = {part: count for part, count in parts.items() if part in quantities.outside}
    inside = {part: count for part, count in parts.items() if part not in outside}
    apart: dict[TokenKind, int] = {}
    within: dict[TokenKind, int] = {}
    alike: dict[TokenKind, int] = {}
    for part, count in inside.items():
        paid_as = _paid_as(part, rates)
        if paid_as is None:
            within[part] = count
            continue
        apart[paid_as] = apart.get(paid_as, 0) + count
        if paid_as is not part:
            alike[part] = count
    rest = quantities.counts[whole] - sum(apart.values())
    return _SplitWhole(whole, rest, apart, within, outside, alike)


def _paid_as(part: TokenKind, rates: Rates) -> TokenKind | None:
    """Return the kind whose rate a part is paid at; None if it has that of its whole."""
    kinds = (part, *COMMON_PARTS.get(part, ()))
    return next((kind for kind in kinds if kind in rates.by_kind), None)


def _missing(split: _SplitWhole, rates: Rates) -> CostUnknown | None:
    if split.rest < 0:
        return unknown_cost(
            CostUnknownReason.CONTRADICTION,
            CostNoteCode.PARTS_EXCEED_WHOLE,
            parts=tuple(split.apart),
            part_counts=tuple(split.apart.values()),
            whole=split.whole,
            whole_count=split.rest + sum(split.apart.values()),
        )
    model, table = rates.model, rates.table
    if rates.by_hour and TokenKind.PROMPT_AUDIO in split.within | split.outside:
        code = CostNoteCode.AUDIO_PRICED_BY_HOUR
        return unknown_cost(CostUnknownReason.NO_RATE, code, model=model, table=table)
    without_rate = [part for part in split.outside if part not in rates.by_kind]
    if split.whole not in rates.by_kind and (split.rest or without_rate):
        values = {"kind": split.whole, "model": model, "table": table}
        return unknown_cost(CostUnknownReason.NO_RATE, CostNoteCode.NO_RATE, **values)
    return None


def _lines(split: _SplitWhole, rates: Rates) -> Iterator[ReceiptLine]:
    whole, rate = split.whole, rates.by_kind.get(split.whole)
    if rate is not None and (split.rest or not split.apart):
        yield replace(_line(whole, split.rest, rate), without=tuple(split.apart))
    for part, count in split.apart.items():
        yield _line(part, count, rates.by_kind[part])
    for part, count in split.outside.items():
        own = rates.by_kind.get(part, rate)
        if own is not None:
            yield replace(_line(part, count, own), outside=whole)


def _line(kind: TokenKind, count: int, rate: Rate) -> ReceiptLine:
    amount = EXACT.divide(EXACT.multiply(Decimal(count), rate.usd), Decimal(rate.per))
    return ReceiptLine(kind, count, rate.usd, rate.per, amount)


def _notes(split: _SplitWhole, rates: Rates) -> Iterator[CostNote]:
    outside = {part: n for part, n in split.outside.items() if part not in rates.by_kind}
    for part, count in (split.within | outside).items():
        code, whole = CostNoteCode.RATE_OF_WHOLE, split.whole
        yield note(code, count=count, kind=part, whole=whole, table=rates.table)
    for part, count in split.alike.items():
        code, like = CostNoteCode.RATE_OF_WHOLE, _paid_as(part, rates)
        yield note(code, count=count, kind=part, whole=like, table=rates.table)
    paid = (split.whole, *split.apart, *split.outside)
    inherited = [kind for kind in paid if kind in rates.of_default_tier and kind in rates.by_kind]
    if inherited:
        code = CostNoteCode.RATES_OF_DEFAULT_TIER
        yield note(code, kinds=tuple(inherited), table=rates.table)
    if split.apart.keys() & CACHE_KINDS and split.apart.keys() & MEDIA_KINDS:
        yield note(CostNoteCode.TAKEN_AS_DISJOINT, kinds=tuple(split.apart))
