"""Where an answer says it is from: annotations of a message, and sources that vendors send beside.

Sources: ``message.annotations`` of the chat completion object (``url_citation`` with the characters
it stands for); Perplexity's ``citations`` and ``search_results``, whose place in the list is the
number in brackets that the text says.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import islice

from inspector.core.completion import Json
from inspector.core.completion import listed as as_list
from inspector.dashboard.markdown import host_of
from inspector.dashboard.marks import Segment, exact
from inspector.dashboard.passages import Mark
from inspector.dashboard.wire import json_text

MOST_NOTES = 50
MOST_MARKS = 500
LONGEST_WORDS = 200
LONGEST_ADDRESS = 2_000
SOURCE_LISTS = ("/citations", "/search_results")
BRACKETED = re.compile(r"\[(\d{1,3})\](?!\()")


@dataclass(frozen=True, slots=True)
class Footnote:
    """``address`` is empty where there is none that a link may lead to."""

    id: str
    number: int
    words: tuple[Segment, ...]
    address: str
    aside: str
    """Its place in the text, or why it has none; of a source its date."""
    mark: Mark | None = None

    @property
    def host(self) -> str:
        return host_of(self.address)


@dataclass(frozen=True, slots=True)
class Footnotes:
    notes: tuple[Footnote, ...] = ()
    more: int = 0
    """How many are not shown."""

    @property
    def marks(self) -> tuple[Mark, ...]:
        return tuple(note.mark for note in self.notes if note.mark)


def annotations_of(annotations: object, choice: int, text: str) -> Footnotes:
    """``text`` is the content that indexes count in."""
    entries = as_list(annotations)
    shown = enumerate(entries[:MOST_NOTES], start=1)
    notes = tuple(annotation(entry, choice, number, text) for number, entry in shown)
    return Footnotes(notes, max(0, len(entries) - MOST_NOTES))


def annotation(entry: Json, choice: int, number: int, text: str) -> Footnote:
    said = entry if isinstance(entry, dict) else {}
    kind = said.get("type")
    inside = said.get(kind) if isinstance(kind, str) else None
    fields = {**said, **inside} if isinstance(inside, dict) else said
    id, place = f"note-{choice}-{number}", place_of(fields, text)
    return Footnote(
        id,
        number,
        words=words_of(fields, kind, entry),
        address=link_of(fields.get("url")),
        aside=place_words(fields, place),
        mark=Mark(*place, id, str(number)) if place else None,
    )


def place_of(fields: dict[str, Json], text: str) -> tuple[int, int] | None:
    start: Json = fields.get("start_index")
    end: Json = fields.get("end_index")
    are_counts = start.__class__ is int and end.__class__ is int
    return (start, end) if are_counts and 0 <= start < end <= len(text) else None


def place_words(fields: dict[str, Json], place: tuple[int, int] | None) -> str:
    if place:
        return f"for characters {place[0]:,} to {place[1]:,}"
    if "start_index" not in fields and "end_index" not in fields:
        return "place in the text not sent"
    sent = (clipped(json_text(fields.get(name))) for name in ("start_index", "end_index"))
    return f"no place in the text: its indexes are {' and '.join(sent)}"


def words_of(fields: dict[str, Json], kind: Json, entry: Json) -> tuple[Segment, ...]:
    """Its title or name, else its address, else what it is."""
    for name in ("title", "name", "url"):
        if isinstance(words := fields.get(name), str) and words:
            return exact(clipped(words))
    return exact(clipped(kind if isinstance(kind, str) and kind else json_text(entry)))


def link_of(address: Json) -> str:
    """Empty where it is none, or leads nowhere that a link may lead."""
    is_short = isinstance(address, str) and len(address) <= LONGEST_ADDRESS
    return address if is_short and host_of(address) else ""


def sources_of(extras: dict[str, Json]) -> Footnotes:
    """Sources of all choices: the entries of either list that have the same place are one."""
    lists = [as_list(extras.get(name)) for name in SOURCE_LISTS]
    total = max(map(len, lists))
    notes = tuple(
        source([entries[at] for entries in lists if at < len(entries)], at + 1)
        for at in range(min(total, MOST_NOTES))
    )
    return Footnotes(notes, max(0, total - MOST_NOTES))


def source(entries: list[Json], number: int) -> Footnote:
    fields: dict[str, Json] = {}
    for entry in entries:
        said = {"url": entry} if isinstance(entry, str) else entry
        fields |= said if isinstance(said, dict) else {}
    date = fields.get("date")
    return Footnote(
        f"source-{number}",
        number,
        words=words_of(fields, None, entries[0]),
        address=link_of(fields.get("url")),
        aside=clipped(date) if isinstance(date, str) else "",
    )


def source_marks(sources: Footnotes, text: str) -> Iterator[Mark]:
    """``[2]`` in a text, where there is a second source."""
    for match in islice(BRACKETED.finditer(text), MOST_MARKS):
        number = int(match[1])
        if 1 <= number <= len(sources.notes):
            yield Mark(match.start(), match.end(), f"source-{number}")


def clipped(text: str) -> str:
    return text if len(text) <= LONGEST_WORDS else text[: LONGEST_WORDS - 1] + "…"
