"""Wire formats and vendors, one file each, found by this folder in name order.

A file holds one frozen ``DIALECT`` or ``VENDOR``, or both where a format has one vendor only. A
dialect is recognised by the signs of all objects of a recording together, because some stand in the
last chunk only. Where two recognise the same recording, the one that builds on the other holds; of
two vendors, the one nearer to the client.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import cache
from importlib import import_module
from pkgutil import iter_modules
from types import ModuleType

from inspector.core.dialects.dialect import Dialect, EndMark, Signs
from inspector.core.dialects.vendor import Clues, Vendor, bears_signs, has_header, is_at

__all__ = [
    "Clues",
    "Dialect",
    "EndMark",
    "Signs",
    "Vendor",
    "dialects",
    "is_read",
    "lineage",
    "recognise",
    "tell",
    "told",
    "vendor_named",
    "vendors",
]


@cache
def dialects() -> Mapping[str, Dialect]:
    """Every dialect by its slug."""
    found = (getattr(module, "DIALECT", None) for module in _modules())
    return {dialect.slug: dialect for dialect in found if dialect is not None}


@cache
def vendors() -> Mapping[str, Vendor]:
    """Every vendor by its slug."""
    found = (getattr(module, "VENDOR", None) for module in _modules())
    return {vendor.slug: vendor for vendor in found if vendor is not None}


def vendor_named(slug: str | None) -> Vendor | None:
    """None where an analysis tells no vendor, or one that no file of today holds."""
    return vendors().get(slug or "")


def is_read(slug: str | None) -> bool:
    """Whether what an answer says is, where of others only events and times are; a body of no known
    dialect is read for what it holds.
    """
    found = dialects().get(slug or "")
    return found is None or found.is_read


def _modules() -> Iterator[ModuleType]:
    for module in sorted(iter_modules(__path__), key=lambda module: module.name):
        yield import_module(f"{__name__}.{module.name}")


def lineage(dialect: Dialect) -> tuple[Dialect, ...]:
    """The dialect and those it builds on, itself first."""
    if dialect.base is None:
        return (dialect,)
    return (dialect, *lineage(dialects()[dialect.base]))


def recognise(signs: Signs) -> tuple[Dialect, ...]:
    """Those that know these signs, the most special first; more than one left is a mistake."""
    known = [dialect for dialect in dialects().values() if dialect.recognises(signs)]
    bases = {base.slug for dialect in known for base in lineage(dialect)[1:]}
    return tuple(dialect for dialect in known if dialect.slug not in bases)


def tell(clues: Clues) -> Vendor | None:
    """The one vendor that these clues name; None where none or several do."""
    found = told(clues)
    return found[0] if len(found) == 1 else None


def told(clues: Clues) -> tuple[Vendor, ...]:
    """The vendors by the strongest clue there is: host, then headers, then body.

    More than one left is a mistake in the signs.
    """
    known = vendors().values()
    if clues.host and (found := _nearest([each for each in known if is_at(each, clues.host)])):
        return found
    if clues.headers:
        found = _nearest([each for each in known if has_header(each, clues.headers)])
        if found:
            return found
    return _nearest([each for each in known if bears_signs(each, clues)])


def _nearest(known: list[Vendor]) -> tuple[Vendor, ...]:
    layer = max((vendor.layer for vendor in known), default=None)
    behind = {slug for vendor in known for slug in vendor.over}
    return tuple(each for each in known if each.layer == layer and each.slug not in behind)
