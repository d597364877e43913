"""The cost stated in a response, in dollars: of its choices, or of the whole."""

from dataclasses import dataclass
from decimal import Decimal

from msgspec import UNSET

from inspector.core.analysis import Analysis
from inspector.core.json import Json
from inspector.core.tokens.ledger import odd_cost
from inspector.core.tokens.money import exact_sum
from inspector.core.tokens.usage import is_count
from inspector.core.vendors import vendor_named
from inspector.usage.cost.money import plain, ticks
from inspector.usage.cost.notes import CostNote, CostNoteCode, NoteValue, note, sent_value

COST_IN_TICKS = frozenset({"xai"})
"""Vendors that state ``cost_in_usd_ticks``. Azure sends that field too, as 0."""
USD_OF_TICK = Decimal("1e-10")
"""As xAI's reference counts: ten billion ticks are a dollar."""
POINTER_CHARACTERS = 1_000
"""Names on the way to an amount come from the sender."""


@dataclass(frozen=True, slots=True)
class StatedCost:
    """The cost stated in a response. ``usd`` is None where no amount covers the whole response;
    ``note`` then explains why, unless that is plain. ``pointer`` is the place of the amount, or of
    the first of those added up. ``is_partial``: only some choices state an amount. ``is_odd``: the
    stated value is no amount that a response could cost.
    """

    usd: Decimal | None = None
    pointer: str | None = None
    note: CostNote | None = None
    is_partial: bool = False
    is_odd: bool = False


def stated_cost_of(analysis: Analysis) -> StatedCost:
    if any(choice.cost_usd is not UNSET for choice in analysis.choices) or _odd(analysis):
        return _of_choices(analysis)
    return _of_ticks(analysis) if analysis.vendor in COST_IN_TICKS else _of_usage(analysis)


def _of_choices(analysis: Analysis) -> StatedCost:
    amounts = [choice.cost_usd for choice in analysis.choices]
    odd = _odd(analysis)
    if odd:
        at, sent = next(iter(odd.items()))
        return _not_an_amount("cost_usd", sent, f"/choices/{at}/cost_usd")
    texts = [amount for amount in amounts if isinstance(amount, str)]
    if len(texts) < len(amounts):
        some = CostNoteCode.STATED_BY_SOME_CHOICES
        return StatedCost(
            note=note(some, stated=len(texts), choices=len(amounts)), is_partial=bool(texts)
        )
    return _exactly(texts, "/choices/0/cost_usd", "cost_usd")


def _of_ticks(analysis: Analysis) -> StatedCost:
    sent: Json = analysis.usage.extras.get("/cost_in_usd_ticks")
    if sent is None:
        return StatedCost()
    pointer = f"{analysis.usage.pointer}/cost_in_usd_ticks"
    if not is_count(sent):
        return _not_an_amount("cost_in_usd_ticks", sent, pointer)
    usd = Decimal(sent) * USD_OF_TICK
    return _exactly([f"{usd:f}"], pointer, "cost_in_usd_ticks")


def _of_usage(analysis: Analysis) -> StatedCost:
    vendor = vendor_named(analysis.vendor)
    path = vendor.cost_path if vendor else ()
    odd = analysis.usage.extras.get("/cost", UNSET)
    if path and odd is not UNSET:
        return _not_an_amount("cost", odd, f"{analysis.usage.pointer}/cost")
    amount: Json = analysis.usage.cost if path else UNSET
    if amount is UNSET or amount is None:
        return StatedCost()
    if analysis.usage.extras.get("/is_byok") is True:
        return StatedCost(note=note(CostNoteCode.STATED_FEE_ONLY))
    for name in path[1:]:
        amount = amount.get(name, UNSET) if isinstance(amount, dict) else UNSET
    pointer = "/".join((analysis.usage.pointer, *path))
    if not isinstance(amount, str):
        return _not_an_amount("/".join(path), amount, pointer)
    return _exactly([amount], pointer, "cost")


def _odd(analysis: Analysis) -> dict[int, Json]:
    """Values that are no amounts, by the position of their choice."""
    found = ((at, odd_cost(choice)) for at, choice in enumerate(analysis.choices))
    return {at: sent for at, sent in found if sent is not UNSET}


def _exactly(texts: list[str], pointer: str, field: str) -> StatedCost:
    total = exact_sum(texts)
    if total is None:
        return _odd_stated(pointer, CostNoteCode.STATED_NOT_ADDABLE, field=field)
    amounts = [*(Decimal(text) for text in texts), Decimal(total)]
    wrong = next((amount for amount in amounts if ticks(amount) is None), None)
    if wrong is not None:
        usd = plain(wrong)
        return _odd_stated(pointer, CostNoteCode.STATED_IMPLAUSIBLE, field=field, usd=usd)
    return StatedCost(Decimal(total), pointer[:POINTER_CHARACTERS])


def _not_an_amount(field: str, sent: Json, pointer: str) -> StatedCost:
    code = CostNoteCode.STATED_NOT_AN_AMOUNT
    return _odd_stated(pointer, code, field=field, sent=sent_value(sent))


def _odd_stated(pointer: str, code: CostNoteCode, **values: NoteValue) -> StatedCost:
    return StatedCost(
        pointer=pointer[:POINTER_CHARACTERS], note=CostNote(code, values), is_odd=True
    )
