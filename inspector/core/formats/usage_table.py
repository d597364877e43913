"""Where the usage object of a format has each token count: data that ``read_usage`` reads by.

A place is a path inside the usage object. Most counts stand at one place. Some formats split what
others count as one, so that a count is the sum of several places: Anthropic's prompt is what was
neither read from the cache nor written to it, and both of these.
"""

import re
from collections.abc import Iterator, Mapping
from functools import cache, lru_cache
from itertools import takewhile

import msgspec

from inspector.core.completion import USAGE_TOTALS
from inspector.core.json import Json
from inspector.core.json.pointer import pointer_to


class ListItem(msgspec.Struct, frozen=True):
    """A step to the first item of a list whose member ``by`` has one of ``values``."""

    by: str
    values: tuple[str | int, ...]

    def is_in(self, item: Json) -> bool:
        """Return True if this step leads to the item."""
        label = item.get(self.by) if isinstance(item, dict) else None
        return label.__class__ in (str, int) and label in self.values


# As in "/0" of "/details/0/tokens".
POSITION = re.compile(r"/\d+(?=/|$)")
Step = str | ListItem
Place = tuple[Step, ...]
Path = tuple[str | int, ...]
Found = tuple[tuple[Path, Json], ...]
"""Paths inside a usage object with their values."""


class CountSource(msgspec.Struct, frozen=True):
    """A count: at the first of ``places`` that was sent, with what was sent at ``added``."""

    places: tuple[Place, ...]
    added: tuple[Place, ...] = ()
    is_first_needed: bool = True
    """False: the count is known if anything of it was sent, be it only what is added."""

    @property
    def all_places(self) -> tuple[Place, ...]:
        return (*self.places, *self.added)

    def found_in(self, sent: Mapping[str, Json]) -> Found:
        """Paths and values in a usage object that tell the count; empty if nothing tells it."""
        first = None
        for place in self.places:
            if (first := place_of(sent, place)) is not None:
                break
        if not self.added or self.is_first_needed and (first is None or first[1] is None):
            return (first,) if first else ()
        beside = (place_of(sent, place) for place in self.added)
        return tuple(found for found in (first, *beside) if found)

    @property
    def wire_name(self) -> str:
        """The format's own name of the count: ``input_tokens``, ``promptTokensDetails AUDIO``."""
        *_, last = first = self.places[0]
        named = [step.values[0] for step in first if isinstance(step, ListItem)]
        return f"{first[0]} {named[0]}" if named else str(last)


class UsageTable(msgspec.Struct, frozen=True, kw_only=True, eq=False):
    """The counts that a format's usage object has, by their names in ``Usage``."""

    counts: Mapping[str, CountSource]
    always: tuple[str, ...] = ()
    """Counts that every usage object of the format has."""
    listed: frozenset[str] = frozenset(USAGE_TOTALS)
    """Counts that are shown as not sent where they were not; others are shown where they came."""
    billed: Mapping[str, Place] = {}
    """Where the usage object tells what is billed of a whole, if that is not all of it."""
    searches: Place | None = None
    """Where it tells how many web searches the provider made, each of which is billed."""
    beside: frozenset[str] = frozenset()
    """Its members that are no counts."""
    is_inclusive: bool = True
    """Every part is inside its whole, whoever sends it. False: some vendors count parts outside, or
    break other promises about sums.
    """

    def wire_name(self, name: str) -> str:
        """Return the format's own name of a count, ours if the format does not have it."""
        source = self.counts.get(name)
        return source.wire_name if source else name


def sources_in(table: UsageTable, sent: Mapping[str, Json]) -> tuple[tuple[str, CountSource], ...]:
    """Return the counts that a usage object with these members may have, each with its source."""
    return _sources_among(table, _members(table).intersection(sent))


@cache
def _members(table: UsageTable) -> frozenset[Step]:
    return frozenset(place[0] for place in _places(table))


# Providers send few combinations of the members, and most of the counts of none of them. Only
# members of the table are in the key, never names from a payload.
@lru_cache(maxsize=256)
def _sources_among(
    table: UsageTable, members: frozenset[Step]
) -> tuple[tuple[str, CountSource], ...]:
    return tuple(
        (name, source)
        for name, source in table.counts.items()
        if any(place[0] in members for place in source.all_places)
    )


@cache
def containers_of(table: UsageTable) -> frozenset[Path]:
    """Paths of the objects in which counts stand, outside lists."""
    return frozenset(
        names[:end] for names in map(_names, _places(table)) for end in range(1, len(names))
    )


@cache
def item_labels_of(table: UsageTable) -> frozenset[str]:
    """Members that tell which item of a list is which."""
    return frozenset(
        step.by for place in _places(table) for step in place if isinstance(step, ListItem)
    )


@cache
def patterns_of(table: UsageTable) -> frozenset[str]:
    """JSON Pointers of all places inside a usage object, with ``*`` for positions in lists."""
    return frozenset(
        pointer_to("*" if isinstance(step, ListItem) else step for step in place)
        for place in _places(table)
    )


@cache
def breakdowns_of(table: UsageTable) -> frozenset[str]:
    """JSON Pointers of the objects and lists that have counts inside, spelt in the same way."""
    return frozenset(
        pattern[:end]
        for pattern in patterns_of(table)
        for end, sign in enumerate(pattern)
        if sign == "/" and end
    )


@cache
def alternatives_of(table: UsageTable) -> tuple[tuple[str, str], ...]:
    """Each count with the JSON Pointers of the places of which one is read; none in lists."""
    return tuple(
        (name, pointer_to(_names(place)))
        for name, source in table.counts.items()
        for place in source.places
        if _names(place) == place
    )


def is_place(table: UsageTable, pointer: str) -> bool:
    """Return True if a count of the format may stand at this JSON Pointer inside a usage object."""
    return POSITION.sub("/*", pointer) in patterns_of(table)


def is_breakdown(table: UsageTable, pointer: str) -> bool:
    """Return True if an object with counts of the format may stand at this JSON Pointer."""
    return POSITION.sub("/*", pointer) in breakdowns_of(table)


def place_of(sent: Json, place: Place) -> tuple[Path, Json] | None:
    """Follow a place inside a usage object to path and value; None if nothing was sent there."""
    value = sent
    for at, step in enumerate(place):
        if step.__class__ is not str:
            return _place_in_list(value, place, at)
        if value.__class__ is not dict or step not in value:
            return None
        value = value[step]
    return place, value  # type: ignore[return-value]


def _place_in_list(value: Json, place: Place, at: int) -> tuple[Path, Json] | None:
    """Follow the rest of a place from the list that its step ``at`` leads through."""
    step = place[at]
    items = value if isinstance(value, list) and isinstance(step, ListItem) else ()
    position = next((n for n, item in enumerate(items) if step.is_in(item)), None)  # type: ignore[union-attr]
    found = None if position is None else place_of(items[position], place[at + 1 :])
    if found is None or position is None:
        return None
    path, inside = found
    return (*_names(place), position, *path), inside


def _places(table: UsageTable) -> Iterator[Place]:
    for source in table.counts.values():
        yield from source.all_places


def _names(place: Place) -> Path:
    return tuple(takewhile(lambda step: isinstance(step, str), place))  # type: ignore[arg-type]


def at_first(*places: Place) -> CountSource:
    """Return a count at the first of these places that was sent."""
    return CountSource(places)


def sum_of(first: Place, *added: Place, is_first_needed: bool = True) -> CountSource:
    """Return a count that several places tell together."""
    return CountSource((first,), added, is_first_needed)


DOCUMENTED_COUNTS = frozenset(
    {
        "total_tokens",
        "prompt_tokens",
        "completion_tokens",
        "cached_tokens",
        "prompt_audio_tokens",
        "reasoning_tokens",
        "completion_audio_tokens",
        "accepted_prediction_tokens",
        "rejected_prediction_tokens",
    }
)
"""Counts that a reference defines are listed even if not sent, all others if they were."""
# References disagree about the place of partial counts: WorkflowAI's and OpenAI's completions
# reference nest them, FlowAPI's leaves it open. So a count is looked for nested first, then beside
# the totals.
CHAT_USAGE = UsageTable(
    counts={
        # Gateways to a model of another format keep the names of its counts.
        "prompt_tokens": at_first(("prompt_tokens",), ("input_tokens",)),
        "completion_tokens": at_first(("completion_tokens",), ("output_tokens",)),
        "total_tokens": at_first(("total_tokens",)),
        "cached_tokens": at_first(
            ("prompt_tokens_details", "cached_tokens"),
            ("cached_tokens",),
            ("prompt_token_details", "cached_tokens"),
        ),
        "reasoning_tokens": at_first(
            ("completion_tokens_details", "reasoning_tokens"),
            ("reasoning_tokens",),
            ("completion_token_details", "reasoning_tokens"),
        ),
        "cache_write_tokens": at_first(
            ("prompt_tokens_details", "cache_write_tokens"), ("cache_write_tokens",)
        ),
        "prompt_cache_hit_tokens": at_first(("prompt_cache_hit_tokens",)),
        "prompt_cache_miss_tokens": at_first(("prompt_cache_miss_tokens",)),
        "prompt_text_tokens": at_first(("prompt_tokens_details", "text_tokens")),
        "prompt_image_tokens": at_first(("prompt_tokens_details", "image_tokens")),
        "prompt_audio_tokens": at_first(("prompt_tokens_details", "audio_tokens")),
        "completion_text_tokens": at_first(("completion_tokens_details", "text_tokens")),
        "completion_image_tokens": at_first(("completion_tokens_details", "image_tokens")),
        "completion_audio_tokens": at_first(("completion_tokens_details", "audio_tokens")),
        "accepted_prediction_tokens": at_first(
            ("completion_tokens_details", "accepted_prediction_tokens")
        ),
        "rejected_prediction_tokens": at_first(
            ("completion_tokens_details", "rejected_prediction_tokens")
        ),
    },
    always=USAGE_TOTALS,
    listed=DOCUMENTED_COUNTS,
    is_inclusive=False,
)
"""The usage object of chat completions, in which most formats send their counts."""
USUAL_PATHS: Mapping[str, Path] = {
    name: _names(source.places[0]) for name, source in CHAT_USAGE.counts.items()
}
"""The usual place of each count as a path. Counts that only other formats have are absent."""
USUAL_POINTERS: Mapping[str, str] = {name: pointer_to(path) for name, path in USUAL_PATHS.items()}
"""The same as JSON Pointers inside the usage object."""
