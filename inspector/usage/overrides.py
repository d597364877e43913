"""What a team pays in place of what the table says: from a day on, until another."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import UTC, date, datetime
from decimal import Decimal

from inspector.usage.kinds import Kind


@dataclass(frozen=True, slots=True)
class Override:
    """Rates of one model in USD per million tokens (of a request: per request).

    ``model`` is the name as answered, or its beginning. ``vendor`` None means any. Days are those
    of UTC; ``ends`` is the first day on which it no longer holds, None while there is none.
    """

    model: str
    rates: Mapping[Kind, Decimal]
    starts: date
    ends: date | None = None
    is_prefix: bool = False
    vendor: str | None = None

    @property
    def table(self) -> str:
        return f"override of {self.starts.isoformat()}"

    def holds(self, vendor: str | None, model: str, at: datetime) -> bool:
        day = at.astimezone(UTC).date()
        if day < self.starts or (self.ends is not None and day >= self.ends):
            return False
        is_meant = model.startswith(self.model) if self.is_prefix else model == self.model
        return is_meant and self.vendor in (None, vendor)


def override_for(
    overrides: Iterable[Override], vendor: str | None, model: str, at: datetime
) -> Override | None:
    """The nearest of those that hold: exact before prefix, a longer prefix before a shorter,
    a vendor before any, the later before the earlier.
    """
    holding = (each for each in overrides if each.holds(vendor, model, at))
    return max(holding, key=_nearness, default=None)


def _nearness(override: Override) -> tuple[bool, int, bool, date]:
    return (
        not override.is_prefix,
        len(override.model),
        override.vendor is not None,
        override.starts,
    )
