"""The usage ledger: every count where it stood, parts inside their wholes, and what must add up.

Derived from an analysis, never stored. Absent (UNSET), null (None) and 0 stay apart; what was sent
in place of a count is kept as it came and never added up.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import cached_property

import msgspec
from msgspec import UNSET, UnsetType

from inspector.core.analysis import Analysis
from inspector.core.completion import Choice, Json, Usage
from inspector.core.counting import Count, Counting, Counts, countings
from inspector.core.dialects import Vendor, vendor_named
from inspector.core.invariants import Line, broken_lines, lines_of
from inspector.core.money import sum_of
from inspector.core.pointer import pointer_to
from inspector.core.usage import PLACES, POINTERS

PARTS: Mapping[str, tuple[str, ...]] = {
    "total_tokens": ("prompt_tokens", "completion_tokens"),
    "prompt_tokens": (
        "cached_tokens",
        "cache_write_tokens",
        "prompt_cache_hit_tokens",
        "prompt_cache_miss_tokens",
        "prompt_text_tokens",
        "prompt_image_tokens",
        "prompt_audio_tokens",
    ),
    "completion_tokens": (
        "reasoning_tokens",
        "completion_text_tokens",
        "completion_image_tokens",
        "completion_audio_tokens",
        "accepted_prediction_tokens",
        "rejected_prediction_tokens",
    ),
}
DOCUMENTED = frozenset(
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
"""Counts that are missed where they lack (000, 004); of the others, only what was sent is told."""
RESTS = {"cached_tokens": "not cached", "reasoning_tokens": "not reasoning"}


class Entry(msgspec.Struct, frozen=True, kw_only=True):
    """One count. ``name`` is its name in ``Usage``, ``wire_name`` that in the usage object."""

    name: str
    wire_name: str
    count: Count = UNSET
    pointer: str | None = None
    """Where it stood in the body, or in the chunk that held the usage; None where it did not."""
    odd: Json | UnsetType = UNSET
    """What was sent in its place and is no count."""
    is_derived: bool = False
    """Not sent: what the parts that were sent leave of the whole."""
    parts: tuple[Entry, ...] = ()


class Cost(msgspec.Struct, frozen=True, kw_only=True):
    """Money that was stated, as decimal text; null and what is no amount as it was sent."""

    name: str
    pointer: str | None
    amount: Json
    is_derived: bool = False
    is_odd: bool = False
    """What was sent is no number."""


class Ledger:
    """What an answer says of its tokens and its cost, each part worked out when it is asked for.

    Pure and total: whatever was sent, nothing is raised. Linear in counts, choices and costs.
    """

    def __init__(self, usage: Usage, choices: tuple[Choice, ...], vendor: Vendor | None) -> None:
        self._usage = usage
        self._choices = choices
        self._vendor = vendor

    @cached_property
    def total(self) -> Entry | None:
        """All entries as one tree; None where no usage was sent, or no object."""
        if not self._usage.reported:
            return None
        return _entry("total_tokens", self._usage, odd_counts(self._usage), self.countings)

    @cached_property
    def countings(self) -> tuple[Counting, ...]:
        return tuple(countings(self._counts, self._vendor))

    @cached_property
    def lines(self) -> tuple[Line, ...]:
        """Every line that can be spoken of; none where no usage was sent."""
        if not self._usage.reported:
            return ()
        odd = odd_counts(self._usage)
        return tuple(lines_of(self._counts, self.countings, odd, self._vendor))

    @property
    def checked(self) -> tuple[Line, ...]:
        """The lines of which something was sent."""
        return tuple(line for line in self.lines if not line.unsent)

    @property
    def unchecked(self) -> str:
        """All other lines as one sentence; empty where there are none."""
        unsent = ", ".join(line.unsent for line in self.lines if line.unsent)
        return f"Not sent, so not checked: {unsent}." if unsent else ""

    @cached_property
    def broken(self) -> tuple[Line, ...]:
        """The lines that do not hold: all that most readers of an analysis need."""
        return tuple(broken_lines(self._counts, self.countings, self._vendor))

    @cached_property
    def costs(self) -> tuple[Cost, ...]:
        return (*_choice_costs(self._choices), *_usage_costs(self._usage))

    @cached_property
    def _counts(self) -> Counts:
        return {name: getattr(self._usage, name) for name in PLACES}


def ledger_of(analysis: Analysis) -> Ledger:
    return Ledger(analysis.usage, analysis.choices, vendor_named(analysis.vendor))


def entries(ledger: Ledger) -> Iterator[tuple[int, Entry]]:
    """Every entry with its depth, wholes before their parts."""
    if ledger.total is not None:
        yield from _below(ledger.total, 0)


def odd_counts(usage: Usage) -> dict[str, tuple[str, Json]]:
    """What stands in place of a count and is none: its pointer inside usage, and what was sent."""
    found: dict[str, tuple[str, Json]] = {}
    for name, places in PLACES.items() if usage.extras else ():
        if getattr(usage, name) is UNSET:
            pointers = (POINTERS[place] for place in places)
            sent = next((pointer for pointer in pointers if pointer in usage.extras), None)
            if sent is not None:
                found[name] = (sent, usage.extras[sent])
    return found


def odd_cost(choice: Choice) -> Json | UnsetType:
    """What stands in place of a choice's cost and is no number."""
    return choice.extras.get("/cost_usd", UNSET) if choice.cost_usd is UNSET else UNSET


def _below(entry: Entry, depth: int) -> Iterator[tuple[int, Entry]]:
    yield depth, entry
    for part in entry.parts:
        yield from _below(part, depth + 1)


def _entry(
    name: str, usage: Usage, odd: Mapping[str, tuple[str, Json]], read: tuple[Counting, ...]
) -> Entry:
    count: Count = getattr(usage, name)
    usual = POINTERS[PLACES[name][0]]
    place, sent = odd.get(name, (usage.places.get(name, usual), UNSET))
    is_there = count is not UNSET or sent is not UNSET
    return Entry(
        name=name,
        wire_name=place.rsplit("/", 1)[-1],
        count=count,
        pointer=usage.pointer + place if is_there else None,
        odd=sent,
        parts=tuple(_parts(name, usage, odd, read)),
    )


def _parts(
    whole: str, usage: Usage, odd: Mapping[str, tuple[str, Json]], read: tuple[Counting, ...]
) -> Iterator[Entry]:
    """The parts of a whole; what is counted beside it stands with it in the total."""
    beside = {each.part: each.whole for each in read if each.is_beside}
    for name in PARTS.get(whole, ()):
        is_told = name in DOCUMENTED or getattr(usage, name) is not UNSET or name in odd
        if is_told and name not in beside:
            yield _entry(name, usage, odd, read)
        if name in RESTS and name not in beside:
            yield from _rest(RESTS[name], getattr(usage, whole), getattr(usage, name))
        for part, around in beside.items():
            if around == name:
                yield _entry(part, usage, odd, read)


def _rest(name: str, whole: Count, part: Count) -> Iterator[Entry]:
    if isinstance(whole, int) and isinstance(part, int) and part <= whole:
        yield Entry(name=name, wire_name=name, count=whole - part, is_derived=True)


def _choice_costs(choices: tuple[Choice, ...]) -> Iterator[Cost]:
    """Of each choice (000), and their exact sum where several state one."""
    stated = []
    for position, choice in enumerate(choices):
        odd = odd_cost(choice)
        amount = choice.cost_usd if odd is UNSET else odd
        if amount is UNSET:
            continue
        name, pointer = f"cost_usd of choice {choice.index}", f"/choices/{position}/cost_usd"
        yield Cost(name=name, pointer=pointer, amount=amount, is_odd=odd is not UNSET)
        if isinstance(amount, str) and odd is UNSET:
            stated.append(amount)
    total = sum_of(stated) if len(stated) > 1 else None
    if total is not None:
        of_all = "all" if len(stated) == len(choices) else f"{len(stated)} of {len(choices)}"
        yield Cost(
            name=f"cost_usd of {of_all} choices", pointer=None, amount=total, is_derived=True
        )


def _usage_costs(usage: Usage) -> Iterator[Cost]:
    """In all, and what it consists of, as far as usage says it."""
    for name in ("cost", "cost_details"):
        sent = getattr(usage, name)
        if sent is not UNSET:
            yield from _leaves(sent, (name,), usage.pointer)


def _leaves(sent: Json, path: tuple[str, ...], base: str) -> Iterator[Cost]:
    if not isinstance(sent, dict):
        yield Cost(name=" ".join(path), pointer=base + pointer_to(path), amount=sent)
        return
    for name, value in sent.items():
        yield from _leaves(value, (*path, name), base)
