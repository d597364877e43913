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
    "The cost that the answer states is not what its counts cost by the price table.",
    "Whoever adds up stated costs, or pays by them.",
)
ODD_STATED_COST = Meaning(
    "cost.stated-odd",
    Severity.WARNING,
    "The cost that the answer states is no amount that a response could cost.",
    "Whoever adds up stated costs: this one spoils the sum, or is missing.",
)
BEYOND = (STATED_COST_DIFFERS, ODD_STATED_COST)
