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
UNKNOWN, TABLE = f"{COST}unknown ", f"{COST}table "
DIFFERS = f"{COST}differs"
BOTH_STATED, BOTH_COMPUTED = f"{COST}both stated", f"{COST}both computed"
"""Of the captures that both state a cost and have one computed: like with like."""


def cost_measures(bill: Bill, receipt: Receipt) -> Iterator[tuple[str, int | None]]:
    computed, stated = ticks(receipt.total_usd), ticks(receipt.stated_usd)
    if computed is None:
        yield f"{UNKNOWN}{receipt.reason or Reason.TOO_LARGE}", None
    else:
        yield COMPUTED, computed
        yield f"{TABLE}{receipt.table}", None
    if stated is not None:
        yield STATED, stated
    elif bill.stated.is_partial:
        yield STATED_PARTLY, None
    if computed is not None and stated is not None:
        yield BOTH_STATED, stated
        yield BOTH_COMPUTED, computed
    if receipt.is_contradicted:
        yield DIFFERS, None


def without_cost(measures: Mapping[str, int | None]) -> dict[str, int | None]:
    return {name: value for name, value in measures.items() if not name.startswith(COST)}
