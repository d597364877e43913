"""The sources of Gemini's candidates as annotations of the shape that chat completions have.

Gemini counts places in UTF-8 bytes of the text; annotations count characters. What was sent stays
among the extras of the choice.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import islice
from typing import Any

from inspector.core.completion import is_index, list_or_empty
from inspector.core.json import Json
from inspector.core.limits import MAX_SOURCES


def source_annotations(fields: Mapping[str, Json], content: Json) -> list[Json]:
    """Return citations, sources and retrieved addresses of a candidate; ``content`` is its text."""
    text = _Text(content if isinstance(content, str) else "")
    return list(islice(_annotations(fields, text), MAX_SOURCES))


def _annotations(fields: Mapping[str, Json], text: _Text) -> Iterator[Json]:
    cited = _object(fields.get("citationMetadata"))
    for name in ("citationSources", "citations"):
        for source in list_or_empty(cited.get(name)):
            yield {"type": "url_citation", **text.place(_object(source)), **_named(source)}
    yield from _grounding(_object(fields.get("groundingMetadata")), text)
    retrieved = _object(fields.get("urlContextMetadata"))
    for page in list_or_empty(retrieved.get("urlMetadata")):
        found = _object(page)
        yield {"type": "url_context", "url": found.get("retrievedUrl"), **found}


def _grounding(metadata: Mapping[str, Json], text: _Text) -> Iterator[Json]:
    """Yield a citation for each source of each passage, then the sources of no passage."""
    sources = [_source(chunk) for chunk in list_or_empty(metadata.get("groundingChunks"))]
    supported = set[int]()
    for support in map(_object, list_or_empty(metadata.get("groundingSupports"))[:MAX_SOURCES]):
        named = list_or_empty(support.get("groundingChunkIndices"))
        place = text.place(_object(support.get("segment"))) if named else {}
        for number in named:
            if is_index(number) and number < len(sources):
                supported.add(number)
                yield {**sources[number], **place}
    yield from (source for number, source in enumerate(sources) if number not in supported)


def _source(chunk: Json) -> dict[str, Json]:
    """Return a page, document or place by its members: a chunk's only member names its kind."""
    kind, held = next(iter(_object(chunk).items()), ("", None))
    named = _named(held)
    is_page = kind in ("web", "maps", "image") or "url" in named
    return {"type": "url_citation" if is_page else "file_citation", **named}


def _named(source: Json) -> dict[str, Json]:
    found = dict(_object(source))
    for name in ("startIndex", "endIndex"):
        found.pop(name, None)
    if "uri" in found:
        found = {"url": found.pop("uri"), **found}
    return found


class _Text:
    """A text in which places are given in bytes."""

    def __init__(self, text: str) -> None:
        self._text = text
        self._bytes = text.encode(errors="replace")

    def place(self, segment: Mapping[str, Json]) -> dict[str, Any]:
        """Return the first character of a segment and the one behind it; nothing if it is not in
        the text.

        A start that is 0 is not sent. Where the text of the segment was sent and stands elsewhere,
        as behind another part, that place holds.
        """
        found = self._characters(segment.get("startIndex", 0), segment.get("endIndex"))
        said = segment.get("text")
        is_elsewhere = found is None or self._text[slice(*found)] != said
        if isinstance(said, str) and said and is_elsewhere:
            at = self._text.find(said)
            found = (at, at + len(said)) if at >= 0 else None
        return {} if found is None else {"start_index": found[0], "end_index": found[1]}

    def _characters(self, start: Json, end: Json) -> tuple[int, int] | None:
        if start.__class__ is not int or end.__class__ is not int:
            return None
        if not 0 <= start < end <= len(self._bytes):
            return None
        if len(self._bytes) == len(self._text):
            return start, end
        before, inside = self._bytes[:start], self._bytes[start:end]
        first = len(before.decode(errors="ignore"))
        return first, first + len(inside.decode(errors="ignore"))


def _object(value: Json) -> dict[str, Json]:
    return value if isinstance(value, dict) else {}
