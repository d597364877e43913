"""The facts of a response that its cost depends on, without any price.

They are stored beside each capture, so that repricing is arithmetic and reads no evidence.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from decimal import Decimal
from typing import Any

from msgspec import UNSET

from inspector.core.analysis import Analysis
from inspector.core.completion import Json
from inspector.core.service_tier import STANDARD_WORDS, ServiceTier
from inspector.database.column_text import clean_name_or_none
from inspector.usage.cost.money import plain
from inspector.usage.cost.quantities import Quantities, quantities_of
from inspector.usage.cost.quoting import describe_value
from inspector.usage.cost.stated_cost import StatedCost, stated_cost_of
from inspector.usage.cost.token_kinds import TokenKind
from inspector.usage.cost.unknown import CostUnknown, CostUnknownReason
from inspector.usage.cost.unpriced import UnpricedItem, UnpricedKind

NAME_CHARACTERS = 500
"""Names are cut to this length; no price table has longer ones."""
POINTER_CHARACTERS = 1_000
FINGERPRINT_CHARACTERS = 200
TIER_CHARACTERS = 63
"""Length of the column for service tiers."""


@dataclass(frozen=True, slots=True)
class Billable:
    """The facts of one response that its cost depends on. ``model`` is the model in the response,
    else (``is_request_model``) the one in the request; empty where neither names one.
    """

    vendor: str | None
    model: str
    is_request_model: bool
    tier: str
    """As stated in the response; empty where none is stated."""
    is_odd_tier: bool
    """The stated tier is not a string; ``tier`` then describes it."""
    quantities: Quantities | CostUnknown
    stated: StatedCost
    other_tiers: tuple[str, ...] = ()
    """Other tiers stated in the same response."""
    is_ambiguous_tier: bool = False
    """The last of ``other_tiers`` was stated together with ``tier``, and has other rates."""

    @property
    def tier_label(self) -> str:
        return f"{self.tier} or {self.other_tiers[-1]}" if self.is_ambiguous_tier else self.tier


def billable_of(analysis: Analysis, request_model: str | None) -> Billable:
    tier, found = service_tier_of(analysis), analysis.service_tier
    is_odd_tier = tier not in (UNSET, None) and not isinstance(tier, str)
    return Billable(
        vendor=analysis.vendor,
        model=(analysis.model or request_model or "")[:NAME_CHARACTERS],
        is_request_model=not analysis.model and bool(request_model),
        tier=_tier_name(tier),
        is_odd_tier=is_odd_tier,
        quantities=quantities_of(analysis),
        stated=stated_cost_of(analysis),
        other_tiers=tuple(map(_tier_name, found.others)) if found else (),
        is_ambiguous_tier=found is not None and is_ambiguous(found),
    )


def service_tier_of(analysis: Analysis) -> Json:
    """The service tier that was used, as it was sent; UNSET or null where none is stated."""
    return UNSET if analysis.service_tier is None else analysis.service_tier.used


def tier_label(analysis: Analysis) -> Json:
    """The service tier used, or "a or b" where the response states two and either may apply."""
    found = analysis.service_tier
    if found is None or not is_ambiguous(found):
        return service_tier_of(analysis)
    return f"{_tier_name(found.used)} or {_tier_name(found.others[-1])}"


def is_ambiguous(found: ServiceTier) -> bool:
    """Two tiers were stated at once, and not both are words for the usual rates."""
    both = (found.used, *found.others[-1:])
    is_usual = all(isinstance(tier, str) and tier in STANDARD_WORDS for tier in both)
    return found.is_contradicted and not is_usual


def _tier_name(tier: Json) -> str:
    if tier in (UNSET, None):
        return ""
    return tier[:NAME_CHARACTERS] if isinstance(tier, str) else describe_value(tier)


def service_tier_name(analysis: Analysis) -> str | None:
    """The service tier that sums are grouped by; None where none was sent."""
    return clean_name_or_none(tier_label(analysis), TIER_CHARACTERS) or None


def fingerprint_name(analysis: Analysis) -> str | None:
    """The system fingerprint; None where none was sent."""
    completion = analysis.completion
    sent = completion.get("system_fingerprint") if isinstance(completion, dict) else None
    return clean_name_or_none(sent, FINGERPRINT_CHARACTERS) or None


# -- stored ----------------------------------------------------------------------------------------


def encode_billable(bill: Billable) -> bytes:
    """ASCII: what was sent may hold halves of characters, which no other JSON may."""
    stated = bill.stated
    return json.dumps(
        {
            "vendor": bill.vendor,
            "model": bill.model,
            "is_request_model": bill.is_request_model,
            "tier": bill.tier,
            "is_odd_tier": bill.is_odd_tier,
            "other_tiers": list(bill.other_tiers),
            "is_ambiguous_tier": bill.is_ambiguous_tier,
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


def decode_billable(text: bytes) -> Billable:
    """Raises ``ValueError``, ``LookupError`` or ``TypeError`` where ``encode_billable`` did not
    make it.
    """
    found = json.loads(text)
    stated = found["stated"]
    usd = stated["usd"]
    return Billable(
        vendor=found["vendor"],
        model=found["model"],
        is_request_model=found["is_request_model"],
        tier=found["tier"],
        is_odd_tier=found["is_odd_tier"],
        quantities=_unpacked_quantities(found),
        stated=StatedCost(
            usd=None if usd is None else Decimal(usd),
            pointer=stated["pointer"],
            note=stated["note"],
            is_partial=stated["is_partial"],
            is_odd=stated["is_odd"],
        ),
        other_tiers=tuple(found["other_tiers"]),
        is_ambiguous_tier=found["is_ambiguous_tier"],
    )


def _quantities(found: Quantities | CostUnknown) -> dict[str, Any]:
    if isinstance(found, CostUnknown):
        return {"unknown": {"reason": found.reason, "why": found.why}}
    return {
        "counts": dict(found.counts),
        "beside": sorted(found.beside),
        "notes": list(found.notes),
        "missing": [[each.count, each.what, each.name] for each in found.missing],
    }


def _unpacked_quantities(found: dict[str, Any]) -> Quantities | CostUnknown:
    if "unknown" in found:
        return CostUnknown(CostUnknownReason(found["unknown"]["reason"]), found["unknown"]["why"])
    return Quantities(
        counts={TokenKind(kind): count for kind, count in found["counts"].items()},
        beside=frozenset(map(TokenKind, found["beside"])),
        notes=tuple(found["notes"]),
        missing=tuple(
            UnpricedItem(count, UnpricedKind(what), name) for count, what, name in found["missing"]
        ),
    )
