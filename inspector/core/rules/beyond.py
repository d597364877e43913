"""What is remarked on a response by whoever knows more than its bytes: prices, other responses."""

from __future__ import annotations

import msgspec

from inspector.core.findings import Severity


class Meaning(msgspec.Struct, frozen=True):
    """Of a code, as a rule has it: ``help`` says what is looked for, ``breaks`` who suffers."""

    code: str
    severity: Severity
    help: str
    breaks: str


STATED_COST_DIFFERS = Meaning(
    "cost.stated-differs",
    Severity.INFO,
    "The stated cost differs from the cost computed with the price table.",
    "Sums of stated costs differ from computed ones.",
)
ODD_STATED_COST = Meaning(
    "cost.stated-odd",
    Severity.WARNING,
    "The stated cost is not an amount that a response can cost.",
    "Sums of stated costs are wrong or leave it out.",
)
BEYOND = (STATED_COST_DIFFERS, ODD_STATED_COST)
