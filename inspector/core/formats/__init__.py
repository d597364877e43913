"""Wire formats, one file each: how a body is recognised, how it ends, which fields are documented.

Each file holds one frozen ``DIALECT``. It is recognised by the signs of all objects of an exchange
together, because some stand in the last chunk only. If two match, the one that is based on the
other is taken, and an error alone only if nothing else matches.
"""

from collections.abc import Mapping
from functools import cache
from importlib import import_module
from pkgutil import iter_modules

from inspector.core.formats.dialect import Begins, Dialect, EndMark, FieldsSeen, begins_nothing
from inspector.core.formats.grammar import At, Table, TypedEvent
from inspector.core.formats.usage_table import CHAT_USAGE, UsageTable
from inspector.core.json import Json

__all__ = [
    "DEFAULT_FAMILY",
    "Dialect",
    "EndMark",
    "FieldsSeen",
    "base_chain",
    "dialects",
    "event_types",
    "family_inside",
    "family_of",
    "family_that_reads",
    "names_of",
    "recognise",
    "table_of",
    "usage_table_of",
]

DEFAULT_FAMILY = "openai-chat"
"""Objects that show no format are read by its table: it is that of most formats."""


@cache
def dialects() -> Mapping[str, Dialect]:
    """All dialects by slug: the constant ``DIALECT`` of each module in this folder that has one."""
    names = sorted(module.name for module in iter_modules(__path__))
    modules = (import_module(f"{__name__}.{name}") for name in names)
    found = (getattr(module, "DIALECT", None) for module in modules)
    return {dialect.slug: dialect for dialect in found if dialect is not None}


def base_chain(dialect: Dialect) -> tuple[Dialect, ...]:
    """Return the dialect, its base, the base's base and so on."""
    if dialect.base is None:
        return (dialect,)
    return (dialect, *base_chain(dialects()[dialect.base]))


def family_of(dialect: Dialect) -> str:
    """Slug of the dialect whose table this one shares: its own, if it shares none."""
    root = base_chain(dialect)[-1]
    return root.slug if "" in root.table else DEFAULT_FAMILY


@cache
def names_of(slug: str | None) -> frozenset[str]:
    """Slugs of a dialect, of those it is based on, and of the one whose table reads it."""
    dialect = dialects().get(slug or "", dialects()[DEFAULT_FAMILY])
    chain = {one.slug for one in base_chain(dialect)} if slug else set()
    return frozenset({*chain, family_of(dialect)})


def table_of(family: str) -> Table:
    """Return the table of a family, with what each of its dialects adds."""
    known = dialects().values()
    added = (dialect.table for dialect in known if family_of(dialect) == family)
    return {**dialects()[family].table, **{at: it for table in added for at, it in table.items()}}


def usage_table_of(slug: str | None) -> UsageTable:
    """Places of a dialect's token counts; those of chat completions if it is unknown."""
    found = dialects().get(slug or "")
    return found.usage if found else CHAT_USAGE


def family_that_reads(value: Mapping[str, Json], event_type: str = "") -> str | None:
    """Return the family of which an object shows that it is read by its table; None if it shows
    none. ``event_type`` is the framing's name of the event, which counts as the object's ``type``
    if it has none.
    """
    typed = {**value, "type": event_type} if event_type and "type" not in value else value
    return next((family for family, begins in _beginnings() if begins(typed)), None)


def family_inside(value: Mapping[str, Json]) -> str | None:
    """Return the family that reads an object which something else passes on; None if none does.
    Other formats have choices, too, which are no list.
    """
    is_other = "choices" in value and not isinstance(value["choices"], list)
    return None if is_other else family_that_reads(value)


@cache
def event_types(family: str) -> frozenset[str]:
    """Types of the events that build the answer of a family; none if its events have no types."""
    table = table_of(family)
    named = frozenset(at.event for at in table if isinstance(at, At) and at.event != "*")
    effect = table[""]
    return named | effect.closing | effect.idle if isinstance(effect, TypedEvent) else named


@cache
def _beginnings() -> tuple[tuple[str, Begins], ...]:
    """Each family, with what tells that an object begins an answer of it."""
    known = dialects().values()
    told = [(family_of(one), one.begins) for one in known if one.begins is not begins_nothing]
    return tuple(told)


def recognise(signs: FieldsSeen) -> tuple[Dialect, ...]:
    """Return the matching dialects but others' bases. More than one: their signs overlap."""
    known = [dialect for dialect in dialects().values() if dialect.recognises(signs)]
    if len(known) < 2:
        return tuple(known)
    bases = {base.slug for dialect in known for base in base_chain(dialect)[1:]}
    return tuple(dialect for dialect in known if dialect.slug not in bases)
