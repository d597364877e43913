"""Reads the usage object of any format into flat counts; money stays text."""

from collections.abc import Iterator, Sequence, Set
from typing import Any

from msgspec import UNSET

from inspector.core.completion import USAGE_TOTALS, Usage
from inspector.core.formats.usage_table import (
    CHAT_USAGE,
    USUAL_PATHS,
    Found,
    Path,
    UsageTable,
    containers_of,
    item_labels_of,
    sources_in,
)
from inspector.core.json import Json
from inspector.core.json.pointer import pointer_to
from inspector.core.json.raw_values import RawValues, with_raw_numbers
from inspector.core.limits import Allowance, LimitedItem
from inspector.core.vendors import Vendor

MAX_COUNT = 2**63 - 1
"""64 bits, as columns of both databases hold."""
TOO_MANY_TOKENS = 10**9
"""More than any model reads or writes: a provider's mistake, kept out of a month's sums."""

MONEY = ("cost", "cost_details")


def is_count(value: Json) -> bool:
    return value.__class__ is int and 0 <= value <= MAX_COUNT


def is_grown(before: Json, after: Json, table: UsageTable = CHAT_USAGE) -> bool:
    """Return True if the second is a later state of the first: no total of it is smaller."""
    if not isinstance(before, dict) or not isinstance(after, dict):
        return False
    for source in (table.counts[name] for name in USAGE_TOTALS if name in table.counts):
        then = [value for _, value in source.found_in(before)]
        now = [value for _, value in source.found_in(after)]
        if any(value.__class__ is not int for value in (*then, *now)) or sum(now) < sum(then):
            return False
    return True


def lacking_totals(before: Json, after: Json) -> dict[str, int]:
    """Return the totals of chat completions that the first has and its later state lacks; empty if
    the second is none.
    """
    if not isinstance(before, dict) or not isinstance(after, dict):
        return {}
    known = {name: before[name] for name in USAGE_TOTALS if is_count(before.get(name))}
    lacking = {name: count for name, count in known.items() if after.get(name) is None}
    common = known.keys() - lacking
    has_more = any(is_count(after.get(name)) for name in USAGE_TOTALS)
    is_later = all(is_count(after[name]) and after[name] >= known[name] for name in common)
    return lacking if has_more and is_later else {}


def read_usage(
    sent: Json,
    found_at: str | int | None,
    text: bytes = b"",
    path: Sequence[str | int] = ("usage",),
    allowance: Allowance | None = None,
    vendor: Vendor | None = None,
    table: UsageTable = CHAT_USAGE,
    preliminary: Set[str] = frozenset(),
) -> Usage:
    """Read a usage object by its format's table; anything else than an object counts as not
    reported.

    ``text`` is the JSON text around it and ``path`` its place there, from which money is read
    exactly. A cost counts as stated only if the vendor documents one: gateways and clients add
    estimates of their own, which stay extras. So do members that are ``preliminary``: what they
    count had just begun.
    """
    if sent is UNSET or sent is None:
        return Usage()
    if not isinstance(sent, dict):
        return Usage(pointer=pointer_to(path), extras={"": sent})
    counts = CountsFound(sent, table, preliminary)
    money = _money(sent, text, path) if vendor is not None and vendor.cost_path else {}
    counts.used.update((name,) for name in money)
    extras = (allowance or Allowance()).first(LimitedItem.UNKNOWN_FIELDS, counts.extras())
    return Usage(
        reported=True,
        found_at=found_at,
        pointer=pointer_to(path),
        places=counts.places,
        sums=counts.sums,
        extras=extras,
        **counts.counts,
        **money,
    )


class CountsFound:
    """The counts of one usage object, each with the places where it was found."""

    def __init__(
        self, sent: dict[str, Json], table: UsageTable, preliminary: Set[str] = frozenset()
    ) -> None:
        self.counts: dict[str, Any] = {}
        self.places: dict[str, str] = {}
        self.sums: dict[str, dict[str, int]] = {}
        self.used: set[Path] = set()
        """Paths of what is in a count; all else is an extra."""
        self._sent = sent
        self._objects = containers_of(table)
        self._items: set[Path] = set()
        """Paths of the lists, and of their items, in which a count was found."""
        self._labels = item_labels_of(table)
        if preliminary:
            sent = {name: value for name, value in sent.items() if name not in preliminary}
        for name, source in sources_in(table, sent):
            found = source.found_in(sent)
            if len(found) == 1:
                self._take_one(name, *found[0])
            elif found:
                self._take_several(name, found)

    def _take_one(self, name: str, path: Path, value: Json) -> None:
        if self._labels:
            self._note_items(path)
        if value is None or is_count(value):
            self.counts[name] = value
            self.used.add(path)
        if path != USUAL_PATHS.get(name):
            self.places[name] = pointer_to(path)

    def _take_several(self, name: str, found: Found) -> None:
        told = tuple(each for each in found if each[1] is not None) or found[:1]
        odd = next((each for each in told if not is_count(each[1])), None)
        if odd is not None or len(told) == 1:
            self._take_one(name, *(odd or told[0]))
        elif (total := sum(value for _, value in told)) <= MAX_COUNT:
            self.counts[name] = total
            self.sums[name] = {pointer_to(path): value for path, value in told}
        for path, _ in found:
            self._note_items(path)
            if name in self.counts:
                self.used.add(path)

    def _note_items(self, path: Path) -> None:
        lists = next((at for at, step in enumerate(path) if isinstance(step, int)), len(path))
        self._items.update(path[:end] for end in range(lists, len(path)))

    def extras(self) -> dict[str, Json]:
        """All fields that are not counts, by JSON Pointer inside the usage object."""
        return {pointer_to(path): value for path, value in self._beside(self._sent, ())}

    def _beside(self, value: Json, path: Path) -> Iterator[tuple[Path, Json]]:
        is_item = bool(path) and isinstance(path[-1], int)
        for step, item in value.items() if isinstance(value, dict) else enumerate(value):
            at = (*path, step)
            if at in self._items or (at in self._objects and isinstance(item, dict)):
                yield from self._beside(item, at)
            elif at not in self.used and not (is_item and step in self._labels):
                yield at, item


def _money(sent: dict[str, Json], text: bytes, path: Sequence[str | int]) -> dict[str, Any]:
    """Costs with their exact spelling. What is neither number nor object stays in extras."""
    money: dict[str, Any] = {}
    spelling = RawValues(text)
    for name in MONEY:
        value = sent.get(name, UNSET)
        if value is None:
            money[name] = None
        elif value.__class__ is dict or (name == "cost" and value.__class__ in (int, float)):
            raw = spelling.at((*path, name))
            if raw is not None:
                money[name] = with_raw_numbers(raw)
    return money
