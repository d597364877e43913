"""Wire formats, one file each, found by this folder in name order.

A file holds one frozen ``DIALECT``. It is recognised by the signs of all objects of a recording
together, because some stand in the last chunk only. Where two recognise the same recording, the one
that builds on the other holds.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from importlib import import_module
from pkgutil import iter_modules

from inspector.core.dialects.dialect import Dialect, EndMark, Signs

__all__ = ["Dialect", "EndMark", "Signs", "dialects", "lineage", "recognise"]


@cache
def dialects() -> Mapping[str, Dialect]:
    """Every dialect by its slug."""
    found: dict[str, Dialect] = {}
    for module in sorted(iter_modules(__path__), key=lambda module: module.name):
        dialect = getattr(import_module(f"{__name__}.{module.name}"), "DIALECT", None)
        if dialect is not None:
            found[dialect.slug] = dialect
    return found


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
