"""Footnotes of an answer: message annotations and the source lists of vendors.

Read from ``message.annotations`` of the chat completion object (``url_citation`` with its character
range) and from Perplexity's ``citations`` and ``search_results``, whose 1-based position is the
number in brackets in the text.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import islice

from inspector.core.completion import list_or_empty as as_list
from inspector.core.json import Json
from inspector.dashboard.capture.choices.passages import FootnoteMark
from inspector.dashboard.text.folded_text import FoldedText, TextFolder
from inspector.dashboard.text.markdown import host_of
from inspector.formatting.invisible_characters import (
    HIDING_CHARACTERS,
    TextSegment,
    exact_segments,
    spell_out_invisible,
)
from inspector.formatting.wire_values import json_text, wire_word

MAX_NOTES = 50
"""Further sources are counted; the extras have them."""
MAX_MARKS = 500
"""Numbers in brackets that are looked at: a text may have nothing else."""
LONGEST_WORDS = 200
"""A title is a line; some servers put the passage there."""
LONGEST_ADDRESS = 2_000
"""About what browsers and servers agree on: a longer one is no link."""
MAX_ON_PAGE = 100_000
"""Characters of the annotations of one choice."""
SOURCE_LISTS = ("/citations", "/search_results")
KNOWN_KINDS = ("url_citation", "file_citation", "file_path", "container_file_citation")
"""Kinds of annotations in OpenAI's reference; their members are listed, others shown as JSON."""
# As in "[1]", but not "[1](address)".
BRACKETED = re.compile(r"\[(\d{1,3})\](?!\()")


@dataclass(frozen=True, slots=True)
class FootnoteMember:
    """A member of an annotation as sent; without a ``name`` all of it as JSON."""

    name: str
    value: FoldedText


@dataclass(frozen=True, slots=True)
class Footnote:
    """One footnote; ``address`` is empty where there is no URL that may be linked."""

    id: str
    number: int
    words: tuple[TextSegment, ...]
    address: str
    aside: str
    """Its position in the text or why it has none; for a source, its date."""
    mark: FootnoteMark | None = None
    kind: str = ""
    """Type of the annotation; empty where ``words`` say it."""
    members: tuple[FootnoteMember, ...] = ()
    """Members that ``words`` and ``aside`` do not say."""
    quoted: FoldedText | None = None
    """The passage of the source that is cited."""

    @property
    def host(self) -> str:
        return host_of(self.address)


@dataclass(frozen=True, slots=True)
class Footnotes:
    notes: tuple[Footnote, ...] = ()
    more: int = 0
    """Number of footnotes beyond the limit."""

    @property
    def marks(self) -> tuple[FootnoteMark, ...]:
        return tuple(note.mark for note in self.notes if note.mark)


def annotation_footnotes(annotations: object, choice: int, text: str) -> Footnotes:
    """Build footnotes from annotations; ``text`` is the content their indexes count in."""
    entries = as_list(annotations)
    numbered = enumerate(entries[:MAX_NOTES], start=1)
    folder = TextFolder(MAX_ON_PAGE)
    notes = tuple(
        annotation_footnote(entry, choice, number, text, folder) for number, entry in numbered
    )
    return Footnotes(notes, max(0, len(entries) - MAX_NOTES))


def annotation_footnote(
    entry: Json, choice: int, number: int, text: str, folder: TextFolder
) -> Footnote:
    members = entry if isinstance(entry, dict) else {}
    kind = members.get("type")
    inside = members.get(kind) if isinstance(kind, str) else None
    fields = {**members, **inside} if isinstance(inside, dict) else members
    note_id, place = f"note-{choice}-{number}", annotated_range(fields, text)
    title = footnote_title(fields, kind, entry)
    return Footnote(
        note_id,
        number,
        words=exact_segments(clip(title)),
        address=link_of(fields.get("url")),
        aside=annotated_range_words(fields, place),
        mark=FootnoteMark(*place, note_id, str(number)) if place else None,
        kind=spell_out_invisible(clip(kind)) if isinstance(kind, str) and kind != title else "",
        members=tuple(
            FootnoteMember(spell_out_invisible(clip(name)), folder.fold(value))
            for name, value in untold_members(entry, kind, fields, title)
        ),
    )


def untold_members(
    entry: Json, kind: Json, fields: dict[str, Json], title: str
) -> Iterator[tuple[str, str]]:
    """Yield what the title, the type and the place of the annotation do not say."""
    if kind not in KNOWN_KINDS:
        whole = json_text(entry)
        if entry != {"type": kind} and whole != clip(title):
            yield "", whole
        return
    for name, value in fields.items():
        is_told = name in ("type", "start_index", "end_index") or (
            name == kind and isinstance(value, dict)
        )
        if not is_told and value != clip(title):
            yield name, value if isinstance(value, str) and value else wire_word(value)


def annotated_range(fields: dict[str, Json], text: str) -> tuple[int, int] | None:
    start: Json = fields.get("start_index", fields.get("start"))
    end: Json = fields.get("end_index", fields.get("end"))
    are_counts = start.__class__ is int and end.__class__ is int
    return (start, end) if are_counts and 0 <= start < end <= len(text) else None


def annotated_range_words(fields: dict[str, Json], place: tuple[int, int] | None) -> str:
    if place:
        return f"for characters {place[0]:,} to {place[1]:,}"
    if "start_index" not in fields and "end_index" not in fields:
        return "place in the text not sent"
    sent = (clip(json_text(fields.get(name))) for name in ("start_index", "end_index"))
    return f"no place in the text: its indexes are {' and '.join(sent)}"


def footnote_title(fields: dict[str, Json], kind: Json, entry: Json) -> str:
    """Title or name of the annotation, else its URL, else its type."""
    for name in ("title", "name", "filename", "url"):
        if isinstance(words := fields.get(name), str) and words:
            return words
    return kind if isinstance(kind, str) and kind else json_text(entry)


def link_of(address: Json) -> str:
    """Return the URL if it is one that may be linked, else an empty string."""
    is_short = isinstance(address, str) and len(address) <= LONGEST_ADDRESS
    is_plain = is_short and not HIDING_CHARACTERS.search(address)
    return address if is_plain and host_of(address) else ""


def source_footnotes(extras: dict[str, Json]) -> Footnotes:
    """Merge both source lists: entries at the same position are one source for all choices."""
    lists = [as_list(extras.get(name)) for name in SOURCE_LISTS]
    total = max(map(len, lists))
    notes = tuple(
        source_footnote([entries[at] for entries in lists if at < len(entries)], at + 1)
        for at in range(min(total, MAX_NOTES))
    )
    return Footnotes(notes, max(0, total - MAX_NOTES))


def source_footnote(entries: list[Json], number: int) -> Footnote:
    fields: dict[str, Json] = {}
    for entry in entries:
        members = {"url": entry} if isinstance(entry, str) else entry
        fields |= members if isinstance(members, dict) else {}
    date = fields.get("date")
    return Footnote(
        f"source-{number}",
        number,
        words=exact_segments(clip(footnote_title(fields, None, entries[0]))),
        address=link_of(fields.get("url")),
        aside=clip(date) if isinstance(date, str) else "",
    )


def source_marks(sources: Footnotes, text: str) -> Iterator[FootnoteMark]:
    """Find each ``[n]`` in the text for which source n exists."""
    for match in islice(BRACKETED.finditer(text), MAX_MARKS):
        number = int(match[1])
        if 1 <= number <= len(sources.notes):
            yield FootnoteMark(match.start(), match.end(), f"source-{number}")


def clip(text: str) -> str:
    return text if len(text) <= LONGEST_WORDS else text[: LONGEST_WORDS - 1] + "…"
