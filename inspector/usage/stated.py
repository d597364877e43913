"""What an answer says that it cost, in dollars: of its choices, or of the whole."""

from __future__ import annotations

from dataclasses import dataclass
from decimal import Decimal

from msgspec import UNSET

from inspector.core.analysis import Analysis
from inspector.core.completion import Json
from inspector.core.money import sum_of
from inspector.core.usage import is_count

IN_DOLLARS = {"openrouter": (), "perplexity": ("total_cost",)}
"""Vendors whose ``cost`` inside usage is known to be dollars, and where in it the sum stands."""
IN_TICKS = frozenset({"xai"})
"""Vendors that state ``cost_in_usd_ticks``. Azure sends that field too, as 0."""
USD_OF_TICK = Decimal("1e-10")


@dataclass(frozen=True, slots=True)
class Stated:
    """``usd`` None where no amount covers the whole answer; ``note`` then says why, where that is
    not plain. ``pointer`` is the place of the amount, or of the first of those added up.
    ``is_partial``: some choices state an amount and others do not.
    """

    usd: Decimal | None = None
    pointer: str | None = None
    note: str = ""
    is_partial: bool = False


def stated_of(analysis: Analysis) -> Stated:
    if any(choice.cost_usd is not UNSET for choice in analysis.choices):
        return _of_choices(analysis)
    return _of_ticks(analysis) if analysis.vendor in IN_TICKS else _of_usage(analysis)


def _of_choices(analysis: Analysis) -> Stated:
    amounts = [choice.cost_usd for choice in analysis.choices]
    texts = [amount for amount in amounts if isinstance(amount, str)]
    if len(texts) < len(amounts):
        note = f"cost_usd is stated for {len(texts)} of {len(amounts)} choices"
        return Stated(note=note, is_partial=bool(texts))
    return _exactly(texts, "/choices/0/cost_usd", "cost_usd")


def _of_ticks(analysis: Analysis) -> Stated:
    ticks: Json = analysis.usage.extras.get("/cost_in_usd_ticks")
    if not is_count(ticks):
        return Stated()
    return Stated(Decimal(ticks) * USD_OF_TICK, f"{analysis.usage.pointer}/cost_in_usd_ticks")


def _of_usage(analysis: Analysis) -> Stated:
    path = IN_DOLLARS.get(analysis.vendor or "")
    amount: Json = analysis.usage.cost if path is not None else UNSET
    if amount is UNSET or amount is None:
        return Stated()
    if analysis.usage.extras.get("/is_byok") is True:
        return Stated(note="the stated cost is only what the router takes: the key is the caller's")
    for name in path or ():
        amount = amount.get(name) if isinstance(amount, dict) else None
    pointer = "/".join((f"{analysis.usage.pointer}/cost", *(path or ())))
    if not isinstance(amount, str):
        return Stated(note="the stated cost is no amount")
    return _exactly([amount], pointer, "cost")


def _exactly(texts: list[str], pointer: str, name: str) -> Stated:
    total = sum_of(texts)
    if total is None:
        return Stated(note=f"{name} is no amount that can be added up")
    return Stated(Decimal(total), pointer)
