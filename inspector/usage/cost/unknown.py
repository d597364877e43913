"""Why a cost is unknown: a code to count by, and a sentence that quotes the payload."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum


class CostUnknownReason(StrEnum):
    """The value is the code in sums, in answers of the API and in addresses of lists."""

    NO_USAGE = "no_usage"
    NOT_READ = "usage_not_read"
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


@dataclass(frozen=True, slots=True)
class CostUnknown:
    reason: CostUnknownReason
    why: str
