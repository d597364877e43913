"""Why a cost is unknown: a code to count by, and a note that quotes the payload."""

from enum import StrEnum

import msgspec

from inspector.usage.cost.notes import CostNote, CostNoteCode, NoteValue


class CostUnknownReason(StrEnum):
    """The value is the code in sums, in answers of the API and in addresses of lists."""

    NO_USAGE = "no_usage"
    NO_COUNT = "no_count"
    ODD_COUNT = "odd_count"
    CONTRADICTION = "contradiction"
    TOO_LARGE = "too_large"
    NO_MODEL = "no_model"
    NO_VENDOR = "no_vendor_prices"
    NO_PRICE = "no_price"
    SEVERAL_MAKERS = "several_makers"
    NO_TIER = "no_tier_price"
    NO_RATE = "no_rate"


PRICEABLE = (
    CostUnknownReason.NO_PRICE,
    CostUnknownReason.NO_VENDOR,
    CostUnknownReason.SEVERAL_MAKERS,
    CostUnknownReason.NO_RATE,
)
"""Reasons of an unknown cost that a price of the team ends."""


class CostUnknown(msgspec.Struct, frozen=True, tag="unknown", tag_field="state"):
    """``detail`` is None where the reason says all."""

    reason: CostUnknownReason
    detail: CostNote | None = None


def unknown_cost(reason: CostUnknownReason, code: CostNoteCode, **values: NoteValue) -> CostUnknown:
    return CostUnknown(reason, CostNote(code, values))
