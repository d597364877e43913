"""What a team pays in place of what the table says: from a day on, until another."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from datetime import UTC, date, datetime
from decimal import Decimal
from hashlib import sha256

from inspector.usage.kinds import Kind
from inspector.usage.tiers import STANDARD, STANDARD_WORDS

NAME_CHARACTERS = 60
"""Of what an override is for: it stands in the name of the price table that sums tell apart."""


@dataclass(frozen=True, slots=True)
class Override:
    """Rates of one model in USD per million tokens (of a request: per request).

    ``model`` is the name as answered, or its beginning. ``vendor`` None means any, ``tier`` None
    too; else it is a service tier as answers state it, or ``STANDARD`` for the usual rates. Days
    are those of UTC; ``ends`` is the first day on which it no longer holds, None while there is
    none.
    """

    model: str
    rates: Mapping[Kind, Decimal]
    starts: date
    ends: date | None = None
    is_prefix: bool = False
    vendor: str | None = None
    tier: str | None = STANDARD

    @property
    def table(self) -> str:
        """``override of 2026-11-01 (gpt-4o*, of azure, tier flex)``: several may begin on a day."""
        return f"{self.dated} ({_bounded(', '.join(self._means()))})"

    @property
    def dated(self) -> str:
        return f"override of {self.starts.isoformat()}"

    def _means(self) -> Iterator[str]:
        yield f"{self.model}*" if self.is_prefix else self.model
        if self.vendor is not None:
            yield f"of {self.vendor}"
        if self.tier != STANDARD:
            yield "any tier" if self.tier is None else f"tier {self.tier}"

    def holds(self, vendor: str | None, model: str, at: datetime, tier: str | None = "") -> bool:
        """``tier`` as the answer states it: empty where it states none, None where what it states
        is no text.
        """
        day = at.astimezone(UTC).date()
        if day < self.starts or (self.ends is not None and day >= self.ends):
            return False
        return self.vendor in (None, vendor) and self.means(model) and self._means_tier(tier)

    def means(self, model: str) -> bool:
        return model.startswith(self.model) if self.is_prefix else model == self.model

    def _means_tier(self, tier: str | None) -> bool:
        if self.tier == STANDARD:
            return tier in STANDARD_WORDS
        return self.tier in (None, tier)


def override_for(
    overrides: Iterable[Override],
    vendor: str | None,
    model: str,
    at: datetime,
    tier: str | None = "",
) -> Override | None:
    """The nearest of those that hold; of several that are equally near the first."""
    holding = (each for each in overrides if each.holds(vendor, model, at, tier))
    return max(holding, key=nearness, default=None)


def _bounded(name: str) -> str:
    """What is cut ends with a digest of the whole."""
    if len(name) <= NAME_CHARACTERS:
        return name
    digest = sha256(name.encode("utf-8", "surrogatepass")).hexdigest()[:8]
    return f"{name[: NAME_CHARACTERS - 9]}…{digest}"


def nearness(override: Override) -> tuple[bool, int, bool, bool, date]:
    """What is greater is nearer: exact before prefix, a longer prefix before a shorter, a vendor
    before any, a tier before any, the later before the earlier.
    """
    return (
        not override.is_prefix,
        len(override.model),
        override.vendor is not None,
        override.tier is not None,
        override.starts,
    )
