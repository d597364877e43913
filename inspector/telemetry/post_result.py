"""The outcome of one try to send to a collector."""

from dataclasses import dataclass
from enum import StrEnum


class PostOutcome(StrEnum):
    TAKEN = "taken"
    REFUSED = "refused"
    LATER = "later"


@dataclass(frozen=True, slots=True)
class PostResult:
    outcome: PostOutcome
    rejected: int = 0
    """Spans that it did not keep of those that it took."""
    reason: str = ""
    retry_after: int | None = None
    """Seconds that the collector asks to wait."""
