"""Vendors, the tables of ``vendors.toml``: who sent an answer, and what they add to its dialect.

If several are behind an answer, the one nearest to the client is its vendor.
"""

from collections.abc import Iterable, Mapping
from functools import cache
from pathlib import Path
from typing import Any

import msgspec

from inspector.core.decoded_types import built
from inspector.core.vendors.sign_index import AddressIndex, BodyIndex
from inspector.core.vendors.told_names import TOLD_NAMES
from inspector.core.vendors.vendor import LAYERS, Vendor, VendorSignals

__all__ = [
    "Vendor",
    "VendorSignals",
    "detect_vendor",
    "detect_vendors",
    "vendor_named",
    "vendor_told_as",
    "vendors",
    "vendors_at",
]


TABLES = Path(__file__).with_name("vendors.toml")


@cache
def vendors() -> Mapping[str, Vendor]:
    """All vendors by slug."""
    tables = msgspec.toml.decode(TABLES.read_bytes(), type=dict[str, dict[str, Any]])
    return {
        slug: msgspec.convert({"slug": slug, **table}, built(Vendor))
        for slug, table in tables.items()
    }


def vendor_named(slug: str | None) -> Vendor | None:
    """Return the vendor with this slug, None if there is none."""
    return vendors().get(slug or "")


def detect_vendor(clues: VendorSignals) -> Vendor | None:
    """Return the vendor with these signals; None if none or several have them."""
    found = detect_vendors(clues)
    return found[0] if len(found) == 1 else None


def detect_vendors(clues: VendorSignals) -> tuple[Vendor, ...]:
    """Return the vendors that match by host; if none does, by headers; then by body, or by the
    name that a record of telemetry states.

    More than one means that the signs of the vendors overlap, which is a mistake in their tables.
    """
    if clues.host and (found := _nearest_to_client(addresses().by_host(clues.host))):
        return found
    if clues.headers and (found := _nearest_to_client(addresses().by_headers(clues.headers))):
        return found
    if clues.told:
        told = vendor_told_as(clues.told)
        return (told,) if told else ()
    return _nearest_to_client(body_index(clues.dialect).telling(clues))


@cache
def addresses() -> AddressIndex:
    """All vendors by where they answer."""
    return AddressIndex(vendors().values())


@cache
def body_index(dialect: str | None) -> BodyIndex:
    """Return the vendors that send a dialect by what tells them."""
    return BodyIndex(dialect, vendors().values())


def vendors_at(host: str) -> tuple[Vendor, ...]:
    """Return the vendors that answer at a host."""
    return tuple(addresses().by_host(host))


def vendor_told_as(name: str) -> Vendor | None:
    """Return the vendor that telemetry calls so; None if the name is none of ours."""
    low = name.strip().lower()
    return vendor_named(TOLD_NAMES.get(low, low))


def _nearest_to_client(found: Iterable[Vendor]) -> tuple[Vendor, ...]:
    known = {vendor.slug: vendor for vendor in found}
    if len(known) < 2:
        return tuple(known.values())
    layer = max((vendor.layer for vendor in known.values()), key=LAYERS.index)
    behind = {slug for vendor in known.values() for slug in vendor.over}
    left = (each for each in known.values() if each.layer == layer and each.slug not in behind)
    return tuple(sorted(left, key=list(vendors().values()).index))
