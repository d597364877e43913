"""What an answer says is to be paid for, without any price: all that its cost depends on.

It is kept beside each capture, so that pricing it anew is arithmetic and reads no evidence.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from decimal import Decimal
from typing import Any

from msgspec import UNSET

from inspector.core.analysis import Analysis
from inspector.core.completion import Json
from inspector.core.service_tier import ServiceTier
from inspector.usage.kinds import Kind
from inspector.usage.missing import Missing, Unpriced
from inspector.usage.money import plain
from inspector.usage.quantities import Quantities, quantities_of
from inspector.usage.stated import Stated, stated_of
from inspector.usage.tiers import STANDARD_WORDS
from inspector.usage.unknown import Reason, Unknown
from inspector.usage.words import said

NAME_CHARACTERS = 500
"""More than any price is asked for by; what is longer is cut."""
POINTER_CHARACTERS = 1_000


@dataclass(frozen=True, slots=True)
class Bill:
    """``model`` is the answered one, else, with ``is_as_asked``, the one that was asked for; empty
    where none is named.
    """

    vendor: str | None
    model: str
    is_as_asked: bool
    tier: str
    """As the answer stated it; empty where it stated none."""
    is_odd_tier: bool
    """What was stated is no text; ``tier`` then says what it is."""
    quantities: Quantities | Unknown
    stated: Stated
    other_tiers: tuple[str, ...] = ()
    """What was stated besides."""
    is_doubted_tier: bool = False
    """The last of ``other_tiers`` was stated together with ``tier``, and has other rates."""

    @property
    def told_tier(self) -> str:
        return f"{self.tier} or {self.other_tiers[-1]}" if self.is_doubted_tier else self.tier


def bill_of(analysis: Analysis, request_model: str | None) -> Bill:
    tier, found = tier_of(analysis), analysis.service_tier
    is_odd_tier = tier not in (UNSET, None) and not isinstance(tier, str)
    return Bill(
        vendor=analysis.vendor,
        model=(analysis.model or request_model or "")[:NAME_CHARACTERS],
        is_as_asked=not analysis.model and bool(request_model),
        tier=_tier_name(tier),
        is_odd_tier=is_odd_tier,
        quantities=quantities_of(analysis),
        stated=stated_of(analysis),
        other_tiers=tuple(map(_tier_name, found.others)) if found else (),
        is_doubted_tier=found is not None and is_doubted(found),
    )


def tier_of(analysis: Analysis) -> Json:
    """The service tier that was used, as it was sent; UNSET or null where none is stated."""
    if analysis.service_tier is not None:
        return analysis.service_tier.used
    # Readings of before keep the first that was stated.
    completion = analysis.completion
    sent = completion.get("service_tier", UNSET) if isinstance(completion, dict) else UNSET
    return analysis.usage.extras.get("/service_tier", UNSET) if sent in (UNSET, None) else sent


def told_tier(analysis: Analysis) -> Json:
    """What the answer counts by: the tier that was used, or both of which one may have been."""
    found = analysis.service_tier
    if found is None or not is_doubted(found):
        return tier_of(analysis)
    return f"{_tier_name(found.used)} or {_tier_name(found.others[-1])}"


def is_doubted(found: ServiceTier) -> bool:
    """Two tiers were stated at once, and not both are words for the usual rates."""
    both = (found.used, *found.others[-1:])
    is_usual = all(isinstance(tier, str) and tier in STANDARD_WORDS for tier in both)
    return found.is_contradicted and not is_usual


def _tier_name(tier: Json) -> str:
    if tier in (UNSET, None):
        return ""
    return tier[:NAME_CHARACTERS] if isinstance(tier, str) else said(tier)


# -- stored ----------------------------------------------------------------------------------------


def packed(bill: Bill) -> bytes:
    """ASCII: what was sent may hold halves of characters, which no other JSON may."""
    stated = bill.stated
    return json.dumps(
        {
            "vendor": bill.vendor,
            "model": bill.model,
            "is_as_asked": bill.is_as_asked,
            "tier": bill.tier,
            "is_odd_tier": bill.is_odd_tier,
            "other_tiers": list(bill.other_tiers),
            "is_doubted_tier": bill.is_doubted_tier,
            "stated": {
                "usd": plain(stated.usd),
                "pointer": stated.pointer and stated.pointer[:POINTER_CHARACTERS],
                "note": stated.note,
                "is_partial": stated.is_partial,
                "is_odd": stated.is_odd,
            },
            **_quantities(bill.quantities),
        },
        separators=(",", ":"),
    ).encode("ascii")


def unpacked(text: bytes) -> Bill:
    """Raises ``ValueError``, ``LookupError`` or ``TypeError`` for what ``packed`` did not make."""
    found = json.loads(text)
    stated = found["stated"]
    usd = stated["usd"]
    return Bill(
        vendor=found["vendor"],
        model=found["model"],
        is_as_asked=found["is_as_asked"],
        tier=found["tier"],
        is_odd_tier=found["is_odd_tier"],
        quantities=_unpacked_quantities(found),
        stated=Stated(
            usd=None if usd is None else Decimal(usd),
            pointer=stated["pointer"],
            note=stated["note"],
            is_partial=stated["is_partial"],
            is_odd=stated.get("is_odd", False),
        ),
        other_tiers=tuple(found.get("other_tiers", ())),
        is_doubted_tier=found.get("is_doubted_tier", False),
    )


def _quantities(found: Quantities | Unknown) -> dict[str, Any]:
    if isinstance(found, Unknown):
        return {"unknown": {"reason": found.reason, "why": found.why}}
    return {
        "counts": dict(found.counts),
        "beside": sorted(found.beside),
        "notes": list(found.notes),
        "missing": [[each.count, each.what, each.name] for each in found.missing],
    }


def _unpacked_quantities(found: dict[str, Any]) -> Quantities | Unknown:
    if "unknown" in found:
        return Unknown(Reason(found["unknown"]["reason"]), found["unknown"]["why"])
    return Quantities(
        counts={Kind(kind): count for kind, count in found["counts"].items()},
        beside=frozenset(map(Kind, found["beside"])),
        notes=tuple(found["notes"]),
        # Bills of before say it in their notes alone, until their captures are read again.
        missing=tuple(
            Missing(count, Unpriced(what), name) for count, what, name in found.get("missing", ())
        ),
    )
