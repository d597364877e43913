"""Joins typed list entries that a stream sends in pieces into the entries of a whole answer.

Entries of the same type and index are pieces of one (OpenRouter's ``reasoning_details``, Groq's
``executed_tools``). Without an index, consecutive entries of one type with a growing text are
(Mistral's content).
"""

from collections.abc import Iterable, Sequence
from typing import Any

import msgspec

from inspector.core.fold.growing_text import join_pieces
from inspector.core.json import Json

GROWING = ("text", "summary", "data", "thinking", "reasoning")
"""Fields that are concatenated; of all others the last value that is not null or "" is kept."""


REASONING_PARTS = {
    "thinking": ("thinking", "text"),
    "reasoning": ("summary", "reasoning", "text", "content"),
    "reasoning_content": ("reasoning_content", "text"),
    "reasoning_text": ("text",),
    "summary_text": ("text",),
    "redacted_thinking": ("text",),
}
"""The members that may hold the text of a part that is reasoning, by its type."""


def reasoning_member(part: dict[str, Json]) -> str | None:
    """Return the member with the text of a part that is reasoning; None if it is none."""
    kind = part.get("type")
    if not isinstance(kind, str) or kind not in REASONING_PARTS:
        return None
    names = REASONING_PARTS[kind]
    # Most have it in the first.
    return names[0] if part.get(names[0]) else next(filter(part.get, names), names[0])


class PlacedPart(msgspec.Struct, frozen=True):
    """A content part, and the range of pieces of the content's text that it stands for."""

    start: int
    end: int
    part: Json


class _Entry:
    def __init__(self, first: dict[str, Json], key: tuple[Any, Any]) -> None:
        self.key = key
        """Type and index."""
        self.fields = dict(first)
        self._grown: dict[str, list[Any]] = {}
        for name in GROWING:
            self._grow(name, first.get(name))

    def take(self, piece: dict[str, Json]) -> None:
        for name, value in piece.items():
            if name in GROWING and isinstance(value, str | list):
                self.fields.setdefault(name, value)
                self._grow(name, value)
            elif value not in (None, "") or name not in self.fields:
                self.fields[name] = value

    def _grow(self, name: str, value: Json) -> None:
        if isinstance(value, str):
            self._grown.setdefault(name, []).append(value)
        elif isinstance(value, list):
            self._grown.setdefault(name, []).extend(value)

    def is_continued_by(self, piece: dict[str, Json]) -> bool:
        kept, sent = self.fields.get("id"), piece.get("id")
        # Another id is another entry even at the same index; ``closed`` ends one (Mistral).
        return not (kept and sent and kept != sent) and not self.fields.get("closed")

    def value(self) -> dict[str, Json]:
        return self.fields | {
            name: _complete_part(items) for name, items in self._grown.items() if items
        }


def join_entries(entries: Iterable[Json]) -> list[Json]:
    found: list[_Entry | Json] = []
    by_index: dict[tuple[Any, Any], _Entry] = {}
    for entry in entries:
        if not isinstance(entry, dict):
            found.append(entry)
            continue
        key = _key(entry)
        before = by_index.get(key) if key[1] is not None else _last_entry(found, key, entry)
        if before is not None and before.is_continued_by(entry):
            before.take(entry)
        else:
            opened = by_index[key] = _Entry(entry, key)
            found.append(opened)
    return [entry.value() if isinstance(entry, _Entry) else entry for entry in found]


def interleave_parts(texts: Sequence[str], parts: Sequence[PlacedPart]) -> list[Json]:
    """Combine content that came partly as text and partly as parts into one list of parts."""
    entries: list[Json] = []
    done = 0
    for placed in parts:
        entries += _text_parts(texts[done : placed.start])
        entries.append(placed.part)
        done = placed.end
    return join_entries(entries + _text_parts(texts[done:]))


def _last_entry(
    found: Sequence[_Entry | Json], key: tuple[Any, Any], entry: dict[str, Json]
) -> _Entry | None:
    """Return the last entry, if an entry without index may continue it."""
    last = found[-1] if found else None
    if not isinstance(last, _Entry) or last.key != key:
        return None
    return last if any(name in entry for name in GROWING) else None


def _key(entry: dict[str, Json]) -> tuple[Any, Any]:
    kind, index = entry.get("type"), entry.get("index")
    return kind if isinstance(kind, str) else None, index if index.__class__ is int else None


def _complete_part(items: list[Any]) -> Json:
    if all(isinstance(item, str) for item in items):
        return join_pieces(items)
    return join_entries(items)


def _text_parts(texts: Sequence[str]) -> list[Json]:
    return [{"type": "text", "text": text} for text in texts if text]
