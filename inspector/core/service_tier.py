"""Which service tier was used, of all that an answer states: beside its choices and inside usage.

A stream may begin with the tier that was asked for and end with the one that was used, so the last
that was stated holds. ``auto`` leaves it open and takes nothing back.
"""

from __future__ import annotations

import msgspec
from msgspec import UNSET

from inspector.core.completion import Json

NAME = "service_tier"
AUTO = "auto"
MAX_OTHERS = 8


class ServiceTier(msgspec.Struct, frozen=True):
    """``used`` as it was sent, text or not; ``others``: what was stated besides, each once."""

    used: Json
    others: tuple[Json, ...] = ()
    is_contradicted: bool = False
    """One object named ``used`` and the last of ``others`` at once."""


class ServiceTierFold:
    """Takes what every object states, in order."""

    def __init__(self) -> None:
        self._used: Json = UNSET
        self._others: list[Json] = []
        self._rival: Json = UNSET

    def take(self, beside: Json, inside: Json) -> None:
        """``beside`` the choices of one object and ``inside`` its usage; null and "" state none."""
        stated = [tier for tier in (beside, inside) if tier not in (UNSET, None, "")]
        named = [tier for tier in stated if tier != AUTO]
        if not stated:
            return
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
        """None where none was stated."""
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
