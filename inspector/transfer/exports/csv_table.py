"""The columns of the list as CSV (RFC 4180). Null is an empty field without quotes; every text has
quotes. A text that a spreadsheet would take for a formula gets an apostrophe before it.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime
from typing import Any

import msgspec

from inspector.archive.listing.capture_values import CaptureRow
from inspector.transfer.exports.written import Pieces, Written
from inspector.usage.rollup.queries import ComputedCost

FORMULA_SIGNS = ("=", "+", "-", "@", "\t", "\r")
COMPUTED = ("computed_usd", "computed_is_lower_bound", "cost_unknown")


@dataclass(frozen=True, slots=True)
class TableRow:
    """A row of the list with what its answer cost by the price table."""

    row: CaptureRow
    cost: ComputedCost | None


def begin() -> Pieces:
    return (_line((*CaptureRow.__struct_fields__, *COMPUTED)),)


def add(capture: TableRow, written: Written) -> Pieces:
    values = (getattr(capture.row, name) for name in CaptureRow.__struct_fields__)
    return (_line((*values, *_computed(capture.cost))),)


def end(written: Written) -> Pieces:
    return (b"",)


def _computed(cost: ComputedCost | None) -> tuple[Any, ...]:
    if cost is None:
        return None, None, None
    is_lower_bound = None if cost.computed_usd is None else bool(cost.unpriced_items)
    return cost.computed_usd, is_lower_bound, cost.reason


def _line(values: Iterable[Any]) -> bytes:
    return ",".join(map(_field, values)).encode() + b"\r\n"


def _field(value: Any) -> str:
    if value is None:
        return ""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, int):
        return str(value)
    return _quoted(_text(value))


def _text(value: Any) -> str:
    if isinstance(value, datetime):
        return value.isoformat()
    if isinstance(value, tuple):
        return msgspec.json.encode(value).decode()
    return str(value)


def _quoted(text: str) -> str:
    text = f"'{text}" if text.startswith(FORMULA_SIGNS) else text
    return '"' + text.replace('"', '""') + '"'
