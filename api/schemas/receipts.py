"""Bodies of receipts."""

import msgspec

from inspector.archive.receipts import KeptReceipt


class ReceiptList(msgspec.Struct, frozen=True):
    """One page of receipts, the newest deletion first. `next_cursor`, sent as `cursor`, leads to
    the next page.
    """

    receipts: tuple[KeptReceipt, ...]
    next_cursor: str | None
