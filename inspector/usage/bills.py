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
from inspector.usage.kinds import Kind
from inspector.usage.money import plain
from inspector.usage.quantities import Quantities, quantities_of
from inspector.usage.stated import Stated, stated_of
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


def bill_of(analysis: Analysis, request_model: str | None) -> Bill:
    tier = tier_of(analysis)
    is_odd_tier = tier not in (UNSET, None) and not isinstance(tier, str)
    return Bill(
        vendor=analysis.vendor,
        model=(analysis.model or request_model or "")[:NAME_CHARACTERS],
        is_as_asked=not analysis.model and bool(request_model),
        tier=said(tier) if is_odd_tier else (tier or "")[:NAME_CHARACTERS],
        is_odd_tier=is_odd_tier,
        quantities=quantities_of(analysis),
        stated=stated_of(analysis),
    )


def tier_of(analysis: Analysis) -> Json:
    """The service tier that was used, as it stands beside the choices or inside usage; UNSET or
    null where none is stated.
    """
    completion = analysis.completion
    sent = completion.get("service_tier", UNSET) if isinstance(completion, dict) else UNSET
    return analysis.usage.extras.get("/service_tier", UNSET) if sent in (UNSET, None) else sent


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
            "stated": {
                "usd": plain(stated.usd),
                "pointer": stated.pointer and stated.pointer[:POINTER_CHARACTERS],
                "note": stated.note,
                "is_partial": stated.is_partial,
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
        ),
    )


def _quantities(found: Quantities | Unknown) -> dict[str, Any]:
    if isinstance(found, Unknown):
        return {"unknown": {"reason": found.reason, "why": found.why}}
    return {
        "counts": dict(found.counts),
        "beside": sorted(found.beside),
        "notes": list(found.notes),
    }


def _unpacked_quantities(found: dict[str, Any]) -> Quantities | Unknown:
    if "unknown" in found:
        return Unknown(Reason(found["unknown"]["reason"]), found["unknown"]["why"])
    return Quantities(
        counts={Kind(kind): count for kind, count in found["counts"].items()},
        beside=frozenset(map(Kind, found["beside"])),
        notes=tuple(found["notes"]),
    )
