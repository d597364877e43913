"""Wire formats, one file each: how a body is recognised, how it ends, which fields are documented.

Each file holds one frozen ``DIALECT``. It is recognised by the signs of all objects of an exchange
together, because some stand in the last chunk only. If two match, the one that is based on the
other is taken.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache

from inspector.core.completion import Json
from inspector.core.discovery import constants_in
from inspector.core.formats.dialect import Dialect, EndMark, FieldsSeen
from inspector.core.formats.grammar import Effect

__all__ = [
    "DEFAULT_FAMILY",
    "Dialect",
    "EndMark",
    "FieldsSeen",
    "base_chain",
    "dialects",
    "family_of",
    "family_that_reads",
    "is_read",
    "names_of",
    "recognise",
    "table_of",
]

DEFAULT_FAMILY = "openai-chat"
"""Objects that show no format are read by its table: it is that of most formats."""


@cache
def dialects() -> Mapping[str, Dialect]:
    """All dialects by slug."""
    return {dialect.slug: dialect for dialect in constants_in(__name__, "DIALECT")}


def is_read(slug: str | None) -> bool:
    """True if choices of this dialect are read; of others only events and times are. A body of no
    known dialect counts as read.
    """
    found = dialects().get(slug or "")
    return found is None or found.is_read


def base_chain(dialect: Dialect) -> tuple[Dialect, ...]:
    """The dialect, its base, the base's base and so on."""
    if dialect.base is None:
        return (dialect,)
    return (dialect, *base_chain(dialects()[dialect.base]))


def family_of(dialect: Dialect) -> str:
    """Slug of the dialect whose table this one shares: its own, if it shares none."""
    root = base_chain(dialect)[-1]
    return root.family or root.slug


@cache
def names_of(slug: str | None) -> frozenset[str]:
    """Slugs of a dialect, of those it is based on, and of the one whose table reads it."""
    dialect = dialects().get(slug or "", dialects()[DEFAULT_FAMILY])
    chain = {one.slug for one in base_chain(dialect)} if slug else set()
    return frozenset({*chain, family_of(dialect)})


def table_of(family: str) -> dict[str, Effect]:
    """The table of a family, with what each of its dialects adds."""
    known = dialects().values()
    added = (dialect.table for dialect in known if family_of(dialect) == family)
    return {**dialects()[family].table, **{at: it for table in added for at, it in table.items()}}


def family_that_reads(value: Mapping[str, Json]) -> str | None:
    """The family of which an object shows that it is read by its table; None if it shows none."""
    known = dialects().values()
    return next((family_of(dialect) for dialect in known if dialect.begins(value)), None)


def recognise(signs: FieldsSeen) -> tuple[Dialect, ...]:
    """Return the matching dialects without the bases of others. More than one means that signs
    overlap, which is a mistake in their files.
    """
    known = [dialect for dialect in dialects().values() if dialect.recognises(signs)]
    bases = {base.slug for dialect in known for base in base_chain(dialect)[1:]}
    return tuple(dialect for dialect in known if dialect.slug not in bases)
