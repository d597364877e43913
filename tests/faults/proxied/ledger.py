"""Who called through the proxy, what the upstream sent, and what a capture of it has to hold."""

from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import partial
from itertools import count

ENDED, CANCELLED = "ended", "client-cancelled"
BROKEN, TIMED_OUT = "upstream-error", "upstream-timeout"
STOPPED, CAPPED = "recorder-stopped", "capped"


@dataclass(frozen=True, slots=True)
class Expected:
    """Outcomes that may stand in the archive in the end. One that may be missed is counted then."""

    outcomes: tuple[str, ...] = (ENDED,)
    verdicts: tuple[str, ...] = ("complete",)
    status: int | None = 200
    fault: str | None = None
    is_exact: bool = True
    """All that the upstream sent; otherwise a beginning of it, with all that the caller has."""
    at_least: int = 0
    """Bytes that a beginning must have."""
    may_be_missed: bool = False
    any_status: bool = False


@dataclass(slots=True)
class ProxiedLedger:
    """By the key that stands in each call's path."""

    expected: dict[str, Expected] = field(default_factory=dict)
    heard: dict[str, bytes] = field(default_factory=dict)
    """Bytes that the caller has of each response."""
    wrong: list[str] = field(default_factory=list)
    """Signs that a caller had to see and did not."""
    checked: set[str] = field(default_factory=set)
    """Nothing about them may change any more but that they become double."""
    _numbers: Iterator[int] = field(default_factory=partial(count, 1))
    """One step of it is one for all threads."""

    def enter(self, name: str, expected: Expected) -> str:
        key = f"{name.lower()}-{next(self._numbers)}"
        self.expected[key] = expected
        return key
