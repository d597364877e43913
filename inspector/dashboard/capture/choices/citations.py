"""Citations of a text block, and blocks of citations, as numbered footnotes.

Sources: ``citations`` of Anthropic's text blocks, ``annotations`` of OpenAI's output_text,
``citationMetadata`` and ``groundingMetadata`` of Gemini, ``reference`` parts of Mistral.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from inspector.core.completion import Block
from inspector.core.json import Json
from inspector.dashboard.capture.choices.footnotes import (
    MAX_NOTES,
    Footnote,
    FootnoteMember,
    Footnotes,
    annotated_range,
    clip,
    link_of,
)
from inspector.dashboard.capture.choices.parts import fields_of, part_member
from inspector.dashboard.capture.choices.passages import FootnoteMark
from inspector.dashboard.text.folded_text import TextFolder
from inspector.formatting.invisible_characters import exact_segments, spell_out_invisible
from inspector.formatting.wire_values import json_text

LIST_NAMES = ("groundingChunks", "citationSources", "citations", "annotations")
SOURCE_NAMES = ("web", "retrievedContext", "maps")
"""Objects that hold the members of a grounding chunk."""
TITLE_NAMES = ("title", "document_title", "name", "filename")
ADDRESS_NAMES = ("url", "uri", "source")
QUOTE_NAMES = ("cited_text", "quote")
PLACE_NAMES = ("start_index", "end_index", "start", "end")


@dataclass(frozen=True, slots=True)
class CitationNumbers:
    """Numbers the citations of a choice across its parts."""

    choice: int
    before: int = 0


def text_citations(
    citations: Sequence[Json], numbers: CitationNumbers, text: str, folder: TextFolder
) -> Footnotes:
    """Footnotes of a text block; those without a place in the text are marked at its end."""
    first = numbers.before + 1
    notes = [
        citation_note(entry, CitationNumbers(numbers.choice, number), text, folder)
        for number, entry in enumerate(citations[:MAX_NOTES], start=first)
    ]
    return Footnotes(tuple(notes), max(0, len(citations) - MAX_NOTES))


def block_citations(block: Block, numbers: CitationNumbers, folder: TextFolder) -> Footnotes:
    """Footnotes of a block of citations, which stands behind the text that it is about."""
    return text_citations(listed_citations(block), numbers, "", folder)


def listed_citations(block: Block) -> list[Json]:
    """Return the entries of the part's list, or the part itself."""
    fields = fields_of(block)
    lists = (fields[name] for name in LIST_NAMES if isinstance(fields.get(name), list))
    return next(lists, [block.value])


def unlisted_members(block: Block) -> dict[str, Json]:
    """Return the members of a part beside its list of citations."""
    fields = fields_of(block)
    named = next((name for name in LIST_NAMES if isinstance(fields.get(name), list)), None)
    if named is None:
        return {}
    return {name: each for name, each in fields.items() if name not in (named, "type")}


def citation_note(entry: Json, numbers: CitationNumbers, text: str, folder: TextFolder) -> Footnote:
    fields = citation_fields(entry)
    note_id, number = f"note-{numbers.choice}-{numbers.before}", numbers.before
    place = annotated_range(fields, text)
    kind, quoted = fields.get("type"), first_text(fields, QUOTE_NAMES)
    address = first_text(fields, ADDRESS_NAMES)
    title = first_text(fields, TITLE_NAMES) or address or citation_words(entry, kind)
    start, end = place or (len(text), len(text))
    return Footnote(
        note_id,
        number,
        words=exact_segments(clip(title)),
        address=link_of(address),
        aside=f"for characters {start:,} to {end:,}" if place else "",
        mark=FootnoteMark(start, end, note_id, str(number)) if text else None,
        kind=spell_out_invisible(clip(kind)) if isinstance(kind, str) and kind != title else "",
        members=tuple(
            FootnoteMember(spell_out_invisible(clip(name)), part_member(name, value, folder).value)
            for name, value in other_members(fields, place, (title, quoted, link_of(address), kind))
        ),
        quoted=folder.fold(quoted) if quoted else None,
    )


def citation_fields(entry: Json) -> dict[str, Json]:
    """Members of a citation, of which some senders put most into an object inside it."""
    fields = entry if isinstance(entry, dict) else {}
    kind = fields.get("type")
    for name in (kind, *SOURCE_NAMES):
        inside = fields.get(name) if isinstance(name, str) else None
        if isinstance(inside, dict):
            return {**{key: each for key, each in fields.items() if key != name}, **inside}
    return fields


def citation_words(entry: Json, kind: Json) -> str:
    return kind if isinstance(kind, str) and kind else json_text(entry)


def first_text(fields: dict[str, Json], names: Sequence[str]) -> str:
    texts = (fields[name] for name in names if isinstance(fields.get(name), str))
    return next((text for text in texts if text), "")


def other_members(
    fields: dict[str, Json], place: tuple[int, int] | None, told: Sequence[Json]
) -> Iterator[tuple[str, Json]]:
    """Yield the members that title, address, quote, type and place do not show."""
    for name, value in fields.items():
        is_whole = name in (*QUOTE_NAMES, *ADDRESS_NAMES)
        is_said = value in told and isinstance(value, str) and (is_whole or value == clip(value))
        if not is_said and not (place and name in PLACE_NAMES):
            yield name, value
