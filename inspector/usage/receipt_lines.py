"""Quantities times rates: what is a part of another line is left out there, what has no rate of its
own is paid at that of its whole, and what is assumed is noted.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from decimal import Decimal

from inspector.usage.kinds import WHOLES, Kind
from inspector.usage.money import EXACT
from inspector.usage.prices import Rate, Rates
from inspector.usage.quantities import Quantities
from inspector.usage.unknown import Reason, Unknown
from inspector.usage.words import quoted

OF_CACHE = frozenset({Kind.CACHED, Kind.CACHE_WRITE})
OF_MEDIA = frozenset({Kind.PROMPT_AUDIO, Kind.PROMPT_IMAGE})


@dataclass(frozen=True, slots=True)
class ReceiptLine:
    """``amount_usd`` = ``count`` × ``rate_usd`` / ``per``, exactly."""

    what: str
    count: int
    rate_usd: Decimal
    per: int
    amount_usd: Decimal


@dataclass(frozen=True, slots=True)
class Itemised:
    lines: tuple[ReceiptLine, ...]
    notes: tuple[str, ...]

    @property
    def total_usd(self) -> Decimal:
        total = Decimal(0)
        for line in self.lines:
            total = EXACT.add(total, line.amount_usd)
        return total


def itemised(quantities: Quantities, rates: Rates) -> Itemised | Unknown:
    """All lines, or why one of them cannot be written."""
    lines: list[ReceiptLine] = []
    notes: list[str] = []
    for whole in WHOLES:
        split = _split(whole, quantities, rates)
        missing = _missing(split, rates)
        if missing is not None:
            return missing
        lines += _lines(split, rates)
        notes += _notes(split, rates)
    if Kind.REQUEST in rates.by_kind:
        lines.append(_line(Kind.REQUEST, 1, rates.by_kind[Kind.REQUEST]))
    return Itemised(tuple(lines), tuple(notes))


@dataclass(frozen=True, slots=True)
class _Split:
    """A whole: ``rest`` is what remains of it without its ``apart``, that have rates of their own.
    ``within`` have none; ``beside`` were never in it.
    """

    whole: Kind
    rest: int
    apart: dict[Kind, int]
    within: dict[Kind, int]
    beside: dict[Kind, int]


def _split(whole: Kind, quantities: Quantities, rates: Rates) -> _Split:
    parts = {part: quantities.counts[part] for part in quantities.parts(whole)}
    beside = {part: count for part, count in parts.items() if part in quantities.beside}
    inside = {part: count for part, count in parts.items() if part not in beside}
    apart = {part: count for part, count in inside.items() if part in rates.by_kind}
    within = {part: count for part, count in inside.items() if part not in apart}
    rest = quantities.counts[whole] - sum(apart.values())
    return _Split(whole, rest, apart, within, beside)


def _missing(split: _Split, rates: Rates) -> Unknown | None:
    """Why the lines of a whole cannot be written."""
    if split.rest < 0:
        terms = " and ".join(f"{count:,} {part}" for part, count in split.apart.items())
        whole = split.rest + sum(split.apart.values())
        why = (
            f"{terms} tokens are together more than the {whole:,} {split.whole} tokens they are "
            "part of: how many are both was not sent"
        )
        return Unknown(Reason.CONTRADICTION, why)
    model = quoted(rates.model)
    if rates.by_hour and Kind.PROMPT_AUDIO in split.within | split.beside:
        return Unknown(Reason.NO_RATE, f"{rates.table} prices audio of model {model} by the hour")
    unpriced = [part for part in split.beside if part not in rates.by_kind]
    if split.whole not in rates.by_kind and (split.rest or unpriced):
        why = f"{rates.table} has no rate for {split.whole} tokens of model {model}"
        return Unknown(Reason.NO_RATE, why)
    return None


def _lines(split: _Split, rates: Rates) -> Iterator[ReceiptLine]:
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


def _notes(split: _Split, rates: Rates) -> Iterator[str]:
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
    if split.apart.keys() & OF_CACHE and split.apart.keys() & OF_MEDIA:
        yield (
            f"{' and '.join(split.apart)} are taken as different tokens: how many are both was "
            "not sent"
        )
