"""What one capture's cost adds to the sums. Pure: a bill and its receipt in, measures out.

Of every capture its cost is either computed or unknown for one reason, so that the two add up to
all captures.
"""

from __future__ import annotations

from inspector.usage.bills import Bill
from inspector.usage.measures import OF_COST, Measure, MeasureItems, MeasureKey, Measures
from inspector.usage.money import ticks
from inspector.usage.receipts import Receipt
from inspector.usage.unknown import Reason


def cost_measures(bill: Bill, receipt: Receipt) -> MeasureItems:
    computed, stated = ticks(receipt.total_usd), ticks(receipt.stated_usd)
    if computed is None:
        yield (Measure.COST_UNKNOWN, str(receipt.reason or Reason.TOO_LARGE)), None
    else:
        yield from _computed(receipt, computed)
    yield from _stated(bill, stated)
    if computed is not None and stated is not None:
        yield from _both(receipt, computed, stated)
    if receipt.is_contradicted:
        yield (Measure.COST_DIFFERS, ""), None


def _computed(receipt: Receipt, computed: int) -> MeasureItems:
    yield (Measure.COST_COMPUTED, ""), computed
    yield (Measure.COST_TABLE, receipt.table), None
    if receipt.is_lower_bound:
        yield (Measure.COST_AT_LEAST, ""), computed
    for what in dict.fromkeys(each.what for each in receipt.missing):
        yield (Measure.UNPRICED, str(what)), None


def _both(receipt: Receipt, computed: int, stated: int) -> MeasureItems:
    yield (Measure.COST_BOTH_STATED, ""), stated
    yield (Measure.COST_BOTH_COMPUTED, ""), computed
    if receipt.is_lower_bound:
        yield (Measure.COST_BOTH_AT_LEAST, ""), computed


def _stated(bill: Bill, stated: int | None) -> MeasureItems:
    if stated is not None:
        yield (Measure.COST_STATED, ""), stated
    elif bill.stated.is_partial:
        yield (Measure.COST_STATED_PARTLY, ""), None
    elif bill.stated.is_odd:
        yield (Measure.COST_STATED_ODD, ""), None


def without_cost(measures: Measures) -> dict[MeasureKey, int | None]:
    return {key: number for key, number in measures.items() if key[0] not in OF_COST}
