"""The usage ledger: all counts with their places as a tree, the equations between them, and costs.

Derived from an analysis, never stored. Absent (UNSET), null (None) and 0 stay distinct. Something
sent in place of a count is kept as sent and never added up.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from operator import attrgetter

import msgspec
from msgspec import UNSET, UnsetType

from inspector.core.analysis import Analysis
from inspector.core.completion import TOKEN_COUNTS, Choice, Usage
from inspector.core.computed_once import computed_once
from inspector.core.formats import usage_table_of
from inspector.core.formats.usage_table import CHAT_USAGE, USUAL_POINTERS, UsageTable
from inspector.core.json import Json
from inspector.core.json.pointer import pointer_to
from inspector.core.tokens.inclusion import (
    TokenCount,
    TokenCounts,
    TokenInclusion,
    token_inclusions,
)
from inspector.core.tokens.invariants import LedgerLine, broken_ledger_lines, ledger_lines
from inspector.core.tokens.money import exact_sum
from inspector.core.tokens.usage import is_count
from inspector.core.vendors import Vendor, vendor_named

_COUNTS_OF = attrgetter(*TOKEN_COUNTS)
COUNT_PARTS: Mapping[str, tuple[str, ...]] = {
    "total_tokens": ("prompt_tokens", "completion_tokens"),
    "prompt_tokens": (
        "cached_tokens",
        "cache_write_tokens",
        "prompt_cache_hit_tokens",
        "prompt_cache_miss_tokens",
        "prompt_text_tokens",
        "prompt_image_tokens",
        "prompt_audio_tokens",
        "prompt_video_tokens",
    ),
    "cached_tokens": ("cached_image_tokens", "cached_audio_tokens"),
    "cache_write_tokens": ("cache_write_5m_tokens", "cache_write_1h_tokens"),
    "completion_tokens": (
        "reasoning_tokens",
        "completion_text_tokens",
        "completion_image_tokens",
        "completion_audio_tokens",
        "completion_video_tokens",
        "accepted_prediction_tokens",
        "rejected_prediction_tokens",
    ),
}
REMAINDER_NAMES = {"cached_tokens": "not cached", "reasoning_tokens": "not reasoning"}


class UsageLedgerSummand(msgspec.Struct, frozen=True, kw_only=True):
    """A count that was sent and added up; ``pointer`` leads into the body, or the usage's chunk."""

    wire_name: str
    count: int
    pointer: str


class UsageLedgerEntry(msgspec.Struct, frozen=True, kw_only=True):
    """One token count with its parts. ``name`` is its name in ``Usage``, ``wire_name`` the one that
    was sent; of a sum it is ``name``.
    """

    name: str
    wire_name: str
    count: TokenCount = UNSET
    pointer: str | None = None
    """JSON Pointer into the body, or the chunk with usage; null if it was not sent or is a sum."""
    odd: Json | UnsetType = UNSET
    """The value sent in place of a count, if it is not a count."""
    is_derived: bool = False
    """Not sent but computed: the whole minus the parts that were sent."""
    summands: tuple[UsageLedgerSummand, ...] = ()
    """Summands of the count, if it was sent in several."""
    parts: tuple[UsageLedgerEntry, ...] = ()


class UsageLedgerCost(msgspec.Struct, frozen=True, kw_only=True):
    """A stated amount of money, as decimal text. Null and invalid amounts are kept as sent."""

    name: str
    pointer: str | None
    amount: Json
    is_derived: bool = False
    is_odd: bool = False
    """The value that was sent is not a number."""


class UsageLedger:
    """Token counts, equations and costs of an answer, each computed on first access.

    Never raises, whatever was sent. Linear in counts, choices and costs.
    """

    def __init__(
        self,
        usage: Usage,
        choices: tuple[Choice, ...],
        vendor: Vendor | None,
        table: UsageTable = CHAT_USAGE,
    ) -> None:
        self._usage = usage
        self._choices = choices
        self._table = table
        # What is known of a vendor's sums is known of its chat completions.
        self._vendor = None if table.is_inclusive else vendor

    def has(self, name: str) -> bool:
        """Return True if the format has this count."""
        return name in self._table.counts

    @computed_once
    def total(self) -> UsageLedgerEntry | None:
        """All counts as a tree; None if no usage object was sent."""
        if not self._usage.reported:
            return None
        return _Tree(self._usage, self._table, self.inclusions).entry("total_tokens")

    @computed_once
    def inclusions(self) -> tuple[TokenInclusion, ...]:
        if self._table.is_inclusive:
            return ()
        return tuple(token_inclusions(self.counts, self._vendor))

    @computed_once
    def lines(self) -> tuple[LedgerLine, ...]:
        """All equations that can be reported; none if no usage was sent."""
        if not self._usage.reported:
            return ()
        odd = odd_counts(self._usage)
        return tuple(ledger_lines(self.counts, self.inclusions, odd, self._vendor, self._table))

    @property
    def checked(self) -> tuple[LedgerLine, ...]:
        """The equations of which something was sent."""
        return tuple(line for line in self.lines if not line.unsent)

    @property
    def unchecked(self) -> str:
        """One sentence that names all other equations, "" if there are none."""
        unsent = ", ".join(line.unsent for line in self.lines if line.unsent)
        return f"Not sent, so not checked: {unsent}." if unsent else ""

    @computed_once
    def broken(self) -> tuple[LedgerLine, ...]:
        """Return the equations that do not hold. Cheaper than filtering ``lines``."""
        if not self._usage.reported:
            return ()
        sent = frozenset(self.numbers)
        lines = broken_ledger_lines(self.counts, sent, self.inclusions, self._vendor, self._table)
        return tuple(lines)

    @computed_once
    def costs(self) -> tuple[UsageLedgerCost, ...]:
        return (*_choice_costs(self._choices), *_usage_costs(self._usage))

    @computed_once
    def counts(self) -> TokenCounts:
        return dict(zip(TOKEN_COUNTS, _COUNTS_OF(self._usage), strict=True))

    @computed_once
    def numbers(self) -> dict[str, int]:
        """Return the counts that were sent as numbers."""
        return {name: count for name, count in self.counts.items() if isinstance(count, int)}


def ledger_of(analysis: Analysis) -> UsageLedger:
    vendor, table = vendor_named(analysis.vendor), usage_table_of(analysis.dialect)
    return UsageLedger(analysis.usage, analysis.choices, vendor, table)


def ledger_entries(ledger: UsageLedger) -> Iterator[tuple[int, UsageLedgerEntry]]:
    """Yield every entry with its depth, wholes before their parts; without a total that was not
    sent and that the format does not have.
    """
    total = ledger.total
    if total is None:
        return
    if total.count is UNSET and total.odd is UNSET and not ledger.has(total.name):
        for part in total.parts:
            yield from _below(part, 0)
    else:
        yield from _below(total, 0)


def odd_counts(usage: Usage) -> dict[str, tuple[str, Json]]:
    """Return what was sent in place of counts: JSON Pointer inside usage and value, by name."""
    odd = {
        pointer: sent
        for pointer, sent in usage.extras.items()
        if sent is not None and not is_count(sent)
    }
    if not odd:
        return {}
    places = {**USUAL_POINTERS, **usage.places}
    return {
        name: (places[name], odd[places[name]])
        for name in TOKEN_COUNTS
        if places.get(name) in odd and getattr(usage, name) is UNSET
    }


def odd_cost(choice: Choice) -> Json | UnsetType:
    """Return the choice's cost if it is not a number, UNSET otherwise."""
    return choice.extras.get("/cost_usd", UNSET) if choice.cost_usd is UNSET else UNSET


def _below(entry: UsageLedgerEntry, depth: int) -> Iterator[tuple[int, UsageLedgerEntry]]:
    yield depth, entry
    for part in entry.parts:
        yield from _below(part, depth + 1)


class _Tree:
    """Makes the entries of a usage object."""

    def __init__(
        self, usage: Usage, table: UsageTable, inclusions: tuple[TokenInclusion, ...]
    ) -> None:
        self._usage = usage
        self._table = table
        self._odd = odd_counts(usage)
        self._beside = {each.part: each.whole for each in inclusions if each.is_outside}

    def entry(self, name: str) -> UsageLedgerEntry:
        usage = self._usage
        summands = tuple(_summands(usage, name))
        count: TokenCount = getattr(usage, name)
        place, odd = self._odd.get(name, (self._place(name), UNSET))
        is_there = not summands and (count is not UNSET or odd is not UNSET)
        return UsageLedgerEntry(
            name=name,
            wire_name=name if summands else self._wire_name(name, place, is_there),
            count=count,
            pointer=usage.pointer + place if is_there else None,
            odd=odd,
            summands=summands,
            parts=tuple(self._parts(name)),
        )

    def _place(self, name: str) -> str:
        return self._usage.places.get(name, USUAL_POINTERS.get(name, ""))

    def _wire_name(self, name: str, place: str, is_there: bool) -> str:
        last = place.rsplit("/", 1)[-1]
        usual = self._table.wire_name(name)
        # The member of a list's item does not tell what is counted.
        return last if is_there and " " not in usual else usual

    def _parts(self, whole: str) -> Iterator[UsageLedgerEntry]:
        """Entries of a whole's parts. One counted outside stands next to it, in the total."""
        for name in COUNT_PARTS.get(whole, ()):
            if name not in self._beside:
                if self._is_reported(name):
                    yield self.entry(name)
                if name in REMAINDER_NAMES:
                    usage = self._usage
                    yield from _rest(
                        REMAINDER_NAMES[name], getattr(usage, whole), getattr(usage, name)
                    )
            for part, around in self._beside.items():
                if around == name:
                    yield self.entry(part)

    def _is_reported(self, name: str) -> bool:
        is_listed = name in self._table.listed and name in self._table.counts
        return is_listed or getattr(self._usage, name) is not UNSET or name in self._odd


def _summands(usage: Usage, name: str) -> Iterator[UsageLedgerSummand]:
    for pointer, count in usage.sums.get(name, {}).items():
        yield UsageLedgerSummand(
            wire_name=pointer[1:], count=count, pointer=usage.pointer + pointer
        )


def _rest(name: str, whole: TokenCount, part: TokenCount) -> Iterator[UsageLedgerEntry]:
    if isinstance(whole, int) and isinstance(part, int) and part <= whole:
        yield UsageLedgerEntry(name=name, wire_name=name, count=whole - part, is_derived=True)


def _choice_costs(choices: tuple[Choice, ...]) -> Iterator[UsageLedgerCost]:
    """Cost of each choice (WorkflowAI's reference), and their exact sum if there are several."""
    stated = []
    for position, choice in enumerate(choices):
        odd = odd_cost(choice)
        amount = choice.cost_usd if odd is UNSET else odd
        if amount is UNSET:
            continue
        name, pointer = f"cost_usd of choice {choice.index}", f"/choices/{position}/cost_usd"
        yield UsageLedgerCost(name=name, pointer=pointer, amount=amount, is_odd=odd is not UNSET)
        if isinstance(amount, str) and odd is UNSET:
            stated.append(amount)
    total = exact_sum(stated) if len(stated) > 1 else None
    if total is not None:
        of_all = "all" if len(stated) == len(choices) else f"{len(stated)} of {len(choices)}"
        yield UsageLedgerCost(
            name=f"cost_usd of {of_all} choices", pointer=None, amount=total, is_derived=True
        )


def _usage_costs(usage: Usage) -> Iterator[UsageLedgerCost]:
    """Total cost and its parts, as far as usage states them."""
    for name in ("cost", "cost_details"):
        sent = getattr(usage, name)
        if sent is not UNSET:
            yield from _leaves(sent, (name,), usage.pointer)


def _leaves(sent: Json, path: tuple[str, ...], base: str) -> Iterator[UsageLedgerCost]:
    if not isinstance(sent, dict):
        yield UsageLedgerCost(name=" ".join(path), pointer=base + pointer_to(path), amount=sent)
        return
    for name, value in sent.items():
        yield from _leaves(value, (*path, name), base)
