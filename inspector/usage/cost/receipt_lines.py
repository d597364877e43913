"""Quantities times rates: what is a part of another line is left out there, what has no rate of its
own is paid at that of its whole, and what is assumed is noted.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from decimal import Decimal

from inspector.usage.cost.money import EXACT
from inspector.usage.cost.prices import Rate, Rates
from inspector.usage.cost.quantities import Quantities
from inspector.usage.cost.quoting import quote
from inspector.usage.cost.token_kinds import WHOLES, TokenKind
from inspector.usage.cost.unknown import CostUnknown, CostUnknownReason

CACHE_KINDS = frozenset({TokenKind.CACHED, TokenKind.CACHE_WRITE})
MEDIA_KINDS = frozenset({TokenKind.PROMPT_AUDIO, TokenKind.PROMPT_IMAGE})


@dataclass(frozen=True, slots=True)
class ReceiptLine:
    """``amount_usd`` = ``count`` × ``rate_usd`` / ``per``, exactly."""

    what: str
    count: int
    rate_usd: Decimal
    per: int
    amount_usd: Decimal


@dataclass(frozen=True, slots=True)
class ItemisedCost:
    lines: tuple[ReceiptLine, ...]
    notes: tuple[str, ...]

    @property
    def total_usd(self) -> Decimal:
        total = Decimal(0)
        for line in self.lines:
            total = EXACT.add(total, line.amount_usd)
        return total


def itemise(quantities: Quantities, rates: Rates) -> ItemisedCost | CostUnknown:
    """All lines of a receipt, or the reason why one of them cannot be computed."""
    lines: list[ReceiptLine] = []
    notes: list[str] = []
    for whole in WHOLES:
        split = _split(whole, quantities, rates)
        missing = _missing(split, rates)
        if missing is not None:
            return missing
        lines += _lines(split, rates)
        notes += _notes(split, rates)
    if TokenKind.REQUEST in rates.by_kind:
        lines.append(_line(TokenKind.REQUEST, 1, rates.by_kind[TokenKind.REQUEST]))
    return ItemisedCost(tuple(lines), tuple(notes))


@dataclass(frozen=True, slots=True)
class _SplitWhole:
    """A whole: ``rest`` is what remains of it without its ``apart``, that have rates of their own.
    ``within`` have none; ``beside`` were never in it.
    """

    whole: TokenKind
    rest: int
    apart: dict[TokenKind, int]
    within: dict[TokenKind, int]
    beside: dict[TokenKind, int]


def _split(whole: TokenKind, quantities: Quantities, rates: Rates) -> _SplitWhole:
    parts = {part: quantities.counts[part] for part in quantities.parts(whole)}
    beside = {part: count for part, count in parts.items() if part in quantities.beside}
    inside = {part: count for part, count in parts.items() if part not in beside}
    apart = {part: count for part, count in inside.items() if part in rates.by_kind}
    within = {part: count for part, count in inside.items() if part not in apart}
    rest = quantities.counts[whole] - sum(apart.values())
    return _SplitWhole(whole, rest, apart, within, beside)


def _missing(split: _SplitWhole, rates: Rates) -> CostUnknown | None:
    """Why the lines of a whole cannot be written."""
    if split.rest < 0:
        terms = " and ".join(f"{count:,} {part}" for part, count in split.apart.items())
        whole = split.rest + sum(split.apart.values())
        why = (
            f"{terms} tokens are together more than the {whole:,} {split.whole} tokens they are "
            "part of: how many are both was not sent"
        )
        return CostUnknown(CostUnknownReason.CONTRADICTION, why)
    model = quote(rates.model)
    if rates.by_hour and TokenKind.PROMPT_AUDIO in split.within | split.beside:
        return CostUnknown(
            CostUnknownReason.NO_RATE, f"{rates.table} prices audio of model {model} by the hour"
        )
    unpriced = [part for part in split.beside if part not in rates.by_kind]
    if split.whole not in rates.by_kind and (split.rest or unpriced):
        why = f"{rates.table} has no rate for {split.whole} tokens of model {model}"
        return CostUnknown(CostUnknownReason.NO_RATE, why)
    return None


def _lines(split: _SplitWhole, rates: Rates) -> Iterator[ReceiptLine]:
    whole, rate = split.whole, rates.by_kind.get(split.whole)
    if rate is not None and (split.rest or not split.apart):
        without = f" without {' and '.join(split.apart)}" if split.apart else ""
        yield _line(f"{whole}{without}", split.rest, rate)
    for part, count in split.apart.items():
        yield _line(part, count, rates.by_kind[part])
    for part, count in split.beside.items():
        own = rates.by_kind.get(part, rate)
        if own is not None:
            yield _line(f"{part} beside {whole}", count, own)


def _line(what: str, count: int, rate: Rate) -> ReceiptLine:
    amount = EXACT.divide(EXACT.multiply(Decimal(count), rate.usd), Decimal(rate.per))
    return ReceiptLine(str(what), count, rate.usd, rate.per, amount)


def _notes(split: _SplitWhole, rates: Rates) -> Iterator[str]:
    without = split.within | {p: n for p, n in split.beside.items() if p not in rates.by_kind}
    for part, count in without.items():
        yield (
            f"{count:,} {part} tokens at the rate of {split.whole}: "
            f"{rates.table} has none of their own"
        )
    paid = (split.whole, *split.apart, *split.beside)
    inherited = [kind for kind in paid if kind in rates.of_default_tier and kind in rates.by_kind]
    if inherited:
        kinds = " and ".join(inherited)
        yield f"{kinds} at the rate of the default tier: {rates.table} has no other"
    if split.apart.keys() & CACHE_KINDS and split.apart.keys() & MEDIA_KINDS:
        yield (
            f"{' and '.join(split.apart)} are taken as different tokens: how many are both was "
            "not sent"
        )
