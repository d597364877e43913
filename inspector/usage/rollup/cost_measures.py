"""The measures that one capture's cost adds to the sums.

Pure. The cost of every capture is either computed or unknown for exactly one reason, so the two
counts add up to all captures.
"""

from __future__ import annotations

from inspector.usage.cost.billable import Billable
from inspector.usage.cost.money import ticks
from inspector.usage.cost.receipts import CostReceipt
from inspector.usage.cost.unknown import CostUnknownReason
from inspector.usage.measures import COST_MEASURES, Measure, MeasureItems, MeasureKey, Measures


def cost_measures(billable: Billable, receipt: CostReceipt) -> MeasureItems:
    computed, stated = ticks(receipt.total_usd), ticks(receipt.stated_usd)
    if computed is None:
        yield (Measure.COST_UNKNOWN, str(receipt.reason or CostUnknownReason.TOO_LARGE)), None
    else:
        yield from _computed(receipt, computed)
    yield from _stated(billable, stated)
    if computed is not None and stated is not None:
        yield from _both(receipt, computed, stated)
    if receipt.is_contradicted:
        yield (Measure.COST_CONTRADICTS_STATED, ""), None


def _computed(receipt: CostReceipt, computed: int) -> MeasureItems:
    yield (Measure.COST_COMPUTED, ""), computed
    yield (Measure.COST_TABLE, receipt.table), None
    if receipt.is_lower_bound:
        yield (Measure.COST_LOWER_BOUND, ""), computed
    for kind in dict.fromkeys(item.kind for item in receipt.unpriced_items):
        yield (Measure.UNPRICED, str(kind)), None


def _both(receipt: CostReceipt, computed: int, stated: int) -> MeasureItems:
    yield (Measure.COST_BOTH_STATED, ""), stated
    yield (Measure.COST_BOTH_COMPUTED, ""), computed
    if receipt.is_lower_bound:
        yield (Measure.COST_BOTH_LOWER_BOUND, ""), computed


def _stated(billable: Billable, stated: int | None) -> MeasureItems:
    if stated is not None:
        yield (Measure.COST_STATED, ""), stated
    elif billable.stated.is_partial:
        yield (Measure.COST_STATED_PARTLY, ""), None
    elif billable.stated.is_odd:
        yield (Measure.COST_STATED_ODD, ""), None


def without_cost(measures: Measures) -> dict[MeasureKey, int | None]:
    return {key: number for key, number in measures.items() if key[0] not in COST_MEASURES}
