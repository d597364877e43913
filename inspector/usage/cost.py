"""What one capture's cost adds to the sums. Pure: a bill and its receipt in, names and numbers out.

Of every capture its cost is either computed or unknown for one reason, so that the two add up to
all captures.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from inspector.usage.bills import Bill
from inspector.usage.money import ticks
from inspector.usage.receipts import Receipt
from inspector.usage.unknown import Reason

COST = "cost "
"""How the name of every measure of cost begins, and of no other."""
COMPUTED, STATED = f"{COST}computed", f"{COST}stated"
STATED_PARTLY = f"{COST}stated partly"
"""By some choices of an answer and not by others: no amount of the whole, so none is added."""
STATED_ODD = f"{COST}stated odd"
"""What is stated is no amount that a response could cost."""
UNKNOWN, TABLE = f"{COST}unknown ", f"{COST}table "
AT_LEAST, WITHOUT = f"{COST}at least", f"{COST}without "
"""Of the computed, those that something billed is not in; and what that is."""
DIFFERS = f"{COST}differs"
BOTH_STATED, BOTH_COMPUTED = f"{COST}both stated", f"{COST}both computed"
"""Of the captures that both state a cost and have one computed: like with like."""
BOTH_AT_LEAST = f"{COST}both at least"
"""Of those computed, what something billed is not in."""


def cost_measures(bill: Bill, receipt: Receipt) -> Iterator[tuple[str, int | None]]:
    computed, stated = ticks(receipt.total_usd), ticks(receipt.stated_usd)
    if computed is None:
        yield f"{UNKNOWN}{receipt.reason or Reason.TOO_LARGE}", None
    else:
        yield from _computed(receipt, computed)
    yield from _stated(bill, stated)
    if computed is not None and stated is not None:
        yield from _both(receipt, computed, stated)
    if receipt.is_contradicted:
        yield DIFFERS, None


def _computed(receipt: Receipt, computed: int) -> Iterator[tuple[str, int | None]]:
    yield COMPUTED, computed
    yield f"{TABLE}{receipt.table}", None
    if receipt.is_lower_bound:
        yield AT_LEAST, computed
    for what in dict.fromkeys(each.what for each in receipt.missing):
        yield f"{WITHOUT}{what}", None


def _both(receipt: Receipt, computed: int, stated: int) -> Iterator[tuple[str, int | None]]:
    yield BOTH_STATED, stated
    yield BOTH_COMPUTED, computed
    if receipt.is_lower_bound:
        yield BOTH_AT_LEAST, computed


def _stated(bill: Bill, stated: int | None) -> Iterator[tuple[str, int | None]]:
    if stated is not None:
        yield STATED, stated
    elif bill.stated.is_partial:
        yield STATED_PARTLY, None
    elif bill.stated.is_odd:
        yield STATED_ODD, None


def without_cost(measures: Mapping[str, int | None]) -> dict[str, int | None]:
    return {name: value for name, value in measures.items() if not name.startswith(COST)}
