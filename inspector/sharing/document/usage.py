"""The token counts of a document, each under the name that was sent."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from msgspec import UNSET

from inspector.core.analysis import Analysis
from inspector.core.tokens.ledger import UsageLedgerEntry, ledger_entries, ledger_of
from inspector.formatting.wire_values import json_text, wire_word
from inspector.sharing.document.withheld import TextRoom


@dataclass(frozen=True, slots=True)
class DocumentCount:
    """``note`` says whether the count was computed or added up."""

    depth: int
    name: str
    value: str
    note: str


def document_counts(analysis: Analysis, room: TextRoom) -> tuple[DocumentCount, ...]:
    """Empty where no usage was sent."""
    return tuple(counts(analysis, room)) if analysis.usage.reported else ()


def counts(analysis: Analysis, room: TextRoom) -> Iterator[DocumentCount]:
    for depth, entry in ledger_entries(ledger_of(analysis)):
        # What was not sent stands only where it says that a whole is missing.
        if entry.count is not UNSET or entry.odd is not UNSET or depth == 0:
            yield DocumentCount(depth, entry.wire_name, value_words(entry, room), note_of(entry))


def value_words(entry: UsageLedgerEntry, room: TextRoom) -> str:
    if isinstance(entry.count, int):
        return f"{entry.count:,}"
    if entry.odd is UNSET:
        return wire_word(entry.count)
    return room.word(json_text(entry.odd)) or "not a count"


def note_of(entry: UsageLedgerEntry) -> str:
    if entry.is_derived:
        return "derived"
    return " + ".join(f"{each.count:,}" for each in entry.summands)
