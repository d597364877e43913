"""How long a run takes its time: short, within all tests, or long, with the product's own times."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Form:
    name: str
    runs: int
    """How often each row is run on each of its stacks."""
    per_second: float
    """Captures that the sender posts."""
    settled_within_seconds: float
    """Time from the end of a fault; bounds a wait, states no aim."""

    @property
    def is_long(self) -> bool:
        return self.name == "long"

    def choose(self, short: float, long: float) -> float:
        return long if self.is_long else short


FORMS = {"short": Form("short", 1, 5, 600), "long": Form("long", 3, 20, 1800)}
