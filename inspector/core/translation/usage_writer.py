"""Token counts at the places where another format has them."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from msgspec import UNSET

from inspector.core import formats
from inspector.core.completion import TOKEN_COUNTS, Json, Usage
from inspector.core.formats.usage_table import (
    USUAL_POINTERS,
    CountSource,
    ListItem,
    Place,
    UsageTable,
    place_of,
)
from inspector.core.json.pointer import escape_step
from inspector.core.tokens.inclusion import COUNT_NAMES, token_inclusions
from inspector.core.translation.dropped_fields import listed
from inspector.core.translation.loss import LossCode, LossList
from inspector.core.translation.source import SourceAnswer
from inspector.core.vendors import vendor_named

Counts = dict[str, int | None]
HITS, CACHED = "prompt_cache_hit_tokens", "cached_tokens"


class UsageWriter:
    """Writes the usage of one answer as ``table`` has it."""

    def __init__(self, answer: SourceAnswer, table: UsageTable, losses: LossList) -> None:
        self._usage: Usage = answer.analysis.usage
        self._pointer = answer.usage_pointer
        self._source = formats.usage_table_of(answer.dialect.slug)
        self._vendor = vendor_named(answer.analysis.vendor)
        self._table = table
        self._losses = losses

    def written(self) -> dict[str, Json]:
        """The members of the usage object; none if no counts were sent."""
        if not self._usage.reported:
            return {}
        counts = self._included(self._sent())
        into: dict[str, Json] = {}
        # Sums last: what is written of their parts is taken from them.
        for name, source in sorted(self._table.counts.items(), key=lambda it: bool(it[1].added)):
            if name in counts:
                self._write(name, source, counts[name], into)
        self._report_missing(counts)
        self._report_fields()
        places = (place for each in self._table.counts.values() for place in each.all_places)
        return {
            name: into[name]
            for name in dict.fromkeys(str(place[0]) for place in places)
            if name in into
        }

    def _sent(self) -> Counts:
        sent = {name: getattr(self._usage, name) for name in TOKEN_COUNTS}
        counts: Counts = {name: count for name, count in sent.items() if count is not UNSET}
        return self._with_hits_as_cached(counts)

    def _with_hits_as_cached(self, counts: Counts) -> Counts:
        """Cache hits are what other formats call cached tokens; some vendors send both."""
        known, hits = self._table.counts, counts.get(HITS)
        if hits is None or HITS in known or counts.get(CACHED, hits) != hits or CACHED not in known:
            return counts
        if CACHED not in counts:
            message = f"{hits:,} {HITS} are given as {self._table.wire_name(CACHED)}."
            self._report(LossCode.COUNT_CHANGED, HITS, message)
        return {**{name: count for name, count in counts.items() if name != HITS}, CACHED: hits}

    def _included(self, counts: Counts) -> Counts:
        """Counts with every part inside its whole, as most formats have them."""
        if self._source.is_inclusive or not self._table.is_inclusive:
            return counts
        every = {name: counts.get(name, UNSET) for name in TOKEN_COUNTS}
        for one in token_inclusions(every, self._vendor):
            part, whole = counts.get(one.part), counts.get(one.whole)
            if one.counts_outside and part and whole is not None:
                counts = {**counts, one.whole: whole + part}
                message = f"{whole + part:,} tokens, with {part:,} that were counted beside them."
                self._report(LossCode.COUNT_CHANGED, one.whole, message)
        return counts

    def _write(
        self, name: str, source: CountSource, count: int | None, into: dict[str, Json]
    ) -> None:
        found = (place_of(into, place) for place in source.added)
        beside = sum(each[1] or 0 for each in found if each)
        if count is not None and beside > count:
            message = f"{count:,} tokens cannot be less {beside:,} that are a part of them."
            self._report(LossCode.COUNT_DROPPED, name, message)
            return
        _put(into, source.places[0], None if count is None else count - beside)
        self._report_change(name, source, count, beside)

    def _report_change(
        self, name: str, source: CountSource, count: int | None, beside: int
    ) -> None:
        if count is None or self._source.counts.get(name) == source:
            return
        sums = self._usage.sums.get(name, {}).items()
        summands = [f"{value:,} {at.rpartition('/')[2]}" for at, value in sums if value]
        if len(summands) > 1 and not beside:
            message = f"{' + '.join(summands)} are given as {count:,} {source.wire_name}."
            self._report(LossCode.COUNT_CHANGED, name, message)
        elif beside:
            wire = source.wire_name
            message = (
                f"Of {count:,} tokens {beside:,} are beside {wire}, which is {count - beside:,}."
            )
            self._report(LossCode.COUNT_CHANGED, name, message)

    def _report_missing(self, counts: Counts) -> None:
        for name, count in counts.items():
            if name not in self._table.counts and count is not None:
                wire = self._source.wire_name(name)
                message = f"{wire} ({count:,}) has no place in {self._losses.noun}."
                self._report(LossCode.COUNT_DROPPED, name, message)
        for name in self._table.always:
            if name not in counts:
                words = f"The answer has no count of {COUNT_NAMES[name]} tokens: none is made up."
                self._losses.add(LossCode.COUNT_LACKING, self._pointer, words)

    def _report_fields(self) -> None:
        names = sorted({*self._fields()})
        if names:
            has = "has" if len(names) == 1 else "have"
            message = f"{listed(names)} {has} no place in {self._losses.noun}."
            self._losses.add(LossCode.FIELD_DROPPED, self._pointer, message)

    def _fields(self) -> Iterator[str]:
        """Names of the other members of the usage object that say something."""
        usage = self._usage
        for pointer, value in usage.extras.items():
            if value is not None and value not in ("", [], {}):
                yield pointer.removeprefix("/")
        for name in ("cost", "cost_details"):
            if getattr(usage, name):
                yield name

    def _report(self, code: LossCode, name: str, message: str) -> None:
        at = self._usage.places.get(name, USUAL_POINTERS.get(name, f"/{escape_step(name)}"))
        is_sum = name in self._usage.sums
        self._losses.add(code, self._pointer + ("" if is_sum else at), message)


def _put(into: dict[str, Json], place: Place, count: int | None) -> None:
    """Set a value inside an object, with all that leads to it."""
    *way, last = place
    at: Any = into
    for step, after in zip(way, place[1:], strict=True):
        if isinstance(step, ListItem):
            at = _item(at, step)
        else:
            at = at.setdefault(step, [] if isinstance(after, ListItem) else {})
    at[last] = count


def _item(items: list[Json], step: ListItem) -> Json:
    found = next((item for item in items if step.is_in(item)), None)
    if found is None:
        found = {step.by: step.values[0]}
        items.append(found)
    return found
