"""The service tier that an answer states, next to its choices or inside usage.

A stream may begin with the requested tier and end with the one used, so the last one stated is
taken. ``auto`` leaves it open and overrides nothing.
"""

import msgspec
from msgspec import UNSET

from inspector.core.json import Json

NAME = "service_tier"
AUTO = "auto"
MAX_OTHERS = 8
"""A stream names two; a sender could make one up for each chunk."""
STANDARD = "standard"

STANDARD_WORDS = frozenset({"", "default", STANDARD, "on_demand", "ON_DEMAND", "auto"})
"""Tiers billed at the usual rates. "": none was stated; ``auto`` leaves open which was used."""

KNOWN_WORDS = STANDARD_WORDS | {"batch", "flex", "priority", "scale"}
"""Tiers of the reference documents and of the vendors whose answers name one."""


class ServiceTier(msgspec.Struct, frozen=True):
    """The stated service tier: ``used`` as sent, text or not; ``others`` are further values."""

    used: Json
    others: tuple[Json, ...] = ()
    is_contradicted: bool = False
    """One object stated both ``used`` and the last of ``others``."""


class ServiceTierFold:
    """Collects the service tiers of all objects, in order."""

    def __init__(self) -> None:
        self._used: Json = UNSET
        self._others: list[Json] = []
        self._stated: list[Json] = []
        """What the last object stated."""
        self._rival: Json = UNSET

    def take(self, beside: Json, inside: Json) -> None:
        """Take the values ``beside`` the choices and ``inside`` usage; null and "" state none."""
        stated = [tier for tier in (beside, inside) if tier not in (UNSET, None, "")]
        if not stated or stated == self._stated:
            return
        self._stated = stated
        named = [tier for tier in stated if tier != AUTO]
        before = self._used
        if named:
            self._used = named[0]
            self._rival = named[-1] if named[-1] != named[0] else UNSET
        elif before is UNSET:
            self._used = AUTO
        for tier in (before, *stated):
            if tier is not UNSET and tier not in self._others:
                self._others = [*self._others[: MAX_OTHERS - 1], tier]

    @property
    def found(self) -> ServiceTier | None:
        """The tier to report, None if none was stated."""
        if self._used is UNSET:
            return None
        others = [tier for tier in self._others if tier not in (self._used, self._rival)]
        is_contradicted = self._rival is not UNSET
        return ServiceTier(
            used=self._used,
            others=(*others, self._rival) if is_contradicted else tuple(others),
            is_contradicted=is_contradicted,
        )


def is_named(tier: Json) -> bool:
    return tier not in (UNSET, None, "", AUTO)
