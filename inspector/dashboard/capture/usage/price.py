"""The price of the capture that a page shows."""

from inspector.dashboard.capture.page.capture_view import CaptureView
from inspector.usage.cost.billable import billable_of
from inspector.usage.cost.receipts import CostReceipt, receipt_of
from inspector.usage.rollup import queries as usage
from inspector.usage.rollup.queries import StoredPrice


def stored_price(view: CaptureView) -> StoredPrice | None:
    """Return the price under which the capture is counted in the team's sums."""
    return usage.for_principal(view.seen_by).price(view.id) if view.seen_by else None


def cost_receipt(view: CaptureView) -> CostReceipt | None:
    """Return the receipt at current prices; None without an analysis, and to whoever has a link:
    the team's prices are its own.
    """
    if view.analysis is None or view.facts.share is not None:
        return None
    price = view.once(stored_price)
    # A cut analysis has no completion, where the service tier may be; its billable record has it.
    stored = price.billable if price and view.tape is None else None
    billable = stored or billable_of(view.analysis, view.facts.request_model)
    return receipt_of(billable, view.row.called_at, price.overrides if price else ())
