"""Why a cost is not known: a reason to count by, and a sentence that holds what was sent."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum


class Reason(StrEnum):
    """The value is how sums and pages call it. Never renamed: stored sums bear it."""

    NO_USAGE = "usage not sent"
    NOT_READ = "usage not read"
    NO_COUNT = "a count not sent"
    ODD_COUNT = "a count that is none"
    CONTRADICTION = "counts that contradict each other"
    TOO_LARGE = "more than any response costs"
    NO_MODEL = "no model named"
    NO_VENDOR = "no prices of the vendor"
    NO_PRICE = "no price of the model"
    SEVERAL_MAKERS = "several makers of the model"
    NO_TIER = "no price of the service tier"
    NO_RATE = "no rate for a kind of tokens"


@dataclass(frozen=True, slots=True)
class Unknown:
    reason: Reason
    why: str
