"""Types of findings that are added to those of the rules: they need more than the response's bytes,
such as prices and other responses.
"""

import msgspec

from inspector.core.findings import Severity


class FindingType(msgspec.Struct, frozen=True):
    """Describes a code as a rule does: ``help`` says what is looked for, ``impact`` what breaks
    because of it.
    """

    code: str
    severity: Severity
    help: str
    impact: str


STATED_COST_DIFFERS = FindingType(
    "cost.stated-differs",
    Severity.INFO,
    "The stated cost differs from the cost computed with the price table.",
    "Sums of stated costs differ from computed ones.",
)
ODD_STATED_COST = FindingType(
    "cost.stated-odd",
    Severity.WARNING,
    "The stated cost is not an amount that a response can cost.",
    "Sums of stated costs are wrong or leave it out.",
)
MISSED_CACHE = FindingType(
    "cache.missed",
    Severity.WARNING,
    "Less of the prompt came from the provider's cache than the turn before left there.",
    "Tokens are paid again, and the answer begins later.",
)
ADDED_FINDINGS = (STATED_COST_DIFFERS, ODD_STATED_COST, MISSED_CACHE)
