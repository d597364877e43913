"""The other spelling of a format's names: dumps of Google's Python SDK have them in snake case."""

import re

from msgspec.structs import replace

from inspector.core.formats import grammar as effects
from inspector.core.formats.grammar import Effect, Table
from inspector.core.formats.usage_table import CountSource, Place, UsageTable

_CAPITAL = re.compile(r"[A-Z]")


def snake(names: str) -> str:
    """Return ``finish_reason`` for ``finishReason``, and a path with all of its names so."""
    return _CAPITAL.sub(lambda found: f"_{found[0].lower()}", names)


def in_both_cases(table: Table) -> Table:
    """Return the patterns of an answer, and those once more that snake case spells otherwise."""
    paths = ((at, effect) for at, effect in table.items() if isinstance(at, str))
    spelt: Table = {snake(at): _spelt(at, effect) for at, effect in paths if snake(at) != at}
    return {**table, **spelt}


def _spelt(at: str, effect: Effect) -> Effect:
    """Return an effect whose names of members are in snake case."""
    if isinstance(effect, effects.IdentityField):
        return replace(effect, means=at.rpartition("/")[2])
    if isinstance(effect, effects.PartialCall):
        return replace(effect, goes_on=snake(effect.goes_on), pieces=snake(effect.pieces))
    if isinstance(effect, effects.CandidateField):
        return replace(effect, joined=tuple(map(snake, effect.joined)))
    # The lists inside have names of their own, which its handler knows in one spelling.
    return effects.CandidateField() if isinstance(effect, effects.CandidateLogprobs) else effect


def counts_in_both_cases(table: UsageTable) -> UsageTable:
    """Return the places of counts in either spelling, of which one usage object has one."""
    counts = {name: _in_both(source) for name, source in table.counts.items()}
    return replace(table, counts=counts, beside=table.beside | set(map(snake, table.beside)))


def _in_both(source: CountSource) -> CountSource:
    return replace(
        source,
        places=(*source.places, *map(_place, source.places)),
        added=(*source.added, *map(_place, source.added)),
    )


def _place(place: Place) -> Place:
    return tuple(snake(step) if isinstance(step, str) else step for step in place)
