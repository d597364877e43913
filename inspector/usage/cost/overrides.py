"""Price overrides: rates that a team pays in place of the table's, from one day to another."""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from datetime import UTC, date, datetime
from decimal import Decimal
from hashlib import sha256

from inspector.core.fields.service_tier import STANDARD, STANDARD_WORDS
from inspector.usage.cost.token_kinds import TokenKind

DATED = "override of "
"""Begins the name of a price table that is an override."""
NAME_CHARACTERS = 60
"""Characters of an override's name in that of its price table, which sums are grouped by."""


@dataclass(frozen=True, slots=True)
class Override:
    """Rates of one model in USD per million tokens (of a request: per request).

    ``model`` is the name in the response, or its prefix. ``vendor`` and ``tier`` None match any;
    ``tier`` is a service tier as responses state it, or ``STANDARD`` for the usual rates. Days are
    UTC; ``ends`` is exclusive, None while there is no end.
    """

    model: str
    rates: Mapping[TokenKind, Decimal]
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
        return f"{DATED}{self.starts.isoformat()}"

    def _means(self) -> Iterator[str]:
        yield f"{self.model}*" if self.is_prefix else self.model
        if self.vendor is not None:
            yield f"of {self.vendor}"
        if self.tier != STANDARD:
            yield "any tier" if self.tier is None else f"tier {self.tier}"

    def holds(self, vendor: str | None, model: str, at: datetime, tier: str | None = "") -> bool:
        """``tier`` as the answer states it: empty if absent, None if it is no text."""
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
    """Return the most specific matching override; of equally specific ones the first."""
    holding = (each for each in overrides if each.holds(vendor, model, at, tier))
    return max(holding, key=specificity, default=None)


def _bounded(name: str) -> str:
    # A cut name ends with a digest of the whole, so that two long names stay distinct.
    if len(name) <= NAME_CHARACTERS:
        return name
    digest = sha256(name.encode("utf-8", "surrogatepass")).hexdigest()[:8]
    return f"{name[: NAME_CHARACTERS - 9]}…{digest}"


def specificity(override: Override) -> tuple[bool, int, bool, bool, date]:
    """Sort key; the greatest matching override applies: exact before prefix, a longer prefix before
    a shorter one, a vendor before any, a tier before any, a later start before an earlier one.
    """
    return (
        not override.is_prefix,
        len(override.model),
        override.vendor is not None,
        override.tier is not None,
        override.starts,
    )
