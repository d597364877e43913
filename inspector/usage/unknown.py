"""Why a cost is not known: a reason to count by, and a sentence that holds what was sent."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum


class Reason(StrEnum):
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
class Unknown:
    reason: Reason
    why: str
