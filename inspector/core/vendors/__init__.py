"""Vendors, the tables of ``vendors.toml``: who sent an answer, and what they add to its dialect.

If several are behind an answer, the one nearest to the client is its vendor.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import cache
from pathlib import Path
from typing import Any

import msgspec

from inspector.core.vendors.predicates import PREDICATES
from inspector.core.vendors.told_names import TOLD_NAMES
from inspector.core.vendors.vendor import (
    LAYERS,
    Vendor,
    VendorSignals,
    matches_headers,
    matches_host,
)

__all__ = [
    "Vendor",
    "VendorSignals",
    "detect_vendor",
    "detect_vendors",
    "recognisers_with",
    "vendor_named",
    "vendor_told_as",
    "vendors",
]


Recogniser = Callable[[VendorSignals], bool]
TABLES = Path(__file__).with_name("vendors.toml")


@cache
def vendors() -> Mapping[str, Vendor]:
    """All vendors by slug."""
    tables = msgspec.toml.decode(TABLES.read_bytes(), type=dict[str, dict[str, Any]])
    return {
        slug: msgspec.convert({"slug": slug, **table}, Vendor) for slug, table in tables.items()
    }


def vendor_named(slug: str | None) -> Vendor | None:
    """The vendor with this slug, None if there is none."""
    return vendors().get(slug or "")


def detect_vendor(clues: VendorSignals) -> Vendor | None:
    """The vendor with these signals; None if none or several have them."""
    found = detect_vendors(clues)
    return found[0] if len(found) == 1 else None


def detect_vendors(clues: VendorSignals) -> tuple[Vendor, ...]:
    """Return the vendors that match by host; if none does, by headers; then by body, or by the
    name that a record of telemetry states.

    More than one means that the signs of the vendors overlap, which is a mistake in their tables.
    """
    known = vendors().values()
    if clues.host and (
        found := _nearest_to_client([each for each in known if matches_host(each, clues.host)])
    ):
        return found
    if clues.headers:
        found = _nearest_to_client([each for each in known if matches_headers(each, clues.headers)])
        if found:
            return found
    if clues.told:
        told = vendor_told_as(clues.told)
        return (told,) if told else ()
    telling = (vendor for vendor, tells in recognisers_with(clues.dialect) if tells(clues))
    return _nearest_to_client(list({vendor.slug: vendor for vendor in telling}.values()))


def vendor_told_as(name: str) -> Vendor | None:
    """The vendor that telemetry calls so; None if the name is none of ours."""
    low = name.strip().lower()
    return vendor_named(TOLD_NAMES.get(low, low))


@cache
def recognisers_with(dialect: str | None) -> tuple[tuple[Vendor, Recogniser], ...]:
    """The vendors that send a dialect, each with what tells it by a body."""
    sending = [each for each in vendors().values() if dialect in each.bases]
    by_signs = ((each, each.signs.are_in) for each in sending if each.signs is not None)
    joint = ((each, PREDICATES[each.slug]) for each in sending if each.slug in PREDICATES)
    return (*by_signs, *joint)


def _nearest_to_client(known: list[Vendor]) -> tuple[Vendor, ...]:
    layer = max((vendor.layer for vendor in known), key=LAYERS.index, default=None)
    behind = {slug for vendor in known for slug in vendor.over}
    return tuple(each for each in known if each.layer == layer and each.slug not in behind)
