"""The sender's metadata: text as text, everything else as JSON."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from itertools import islice

from inspector.core.completion import Json
from inspector.dashboard.text.folded_text import FoldedText, TextFolder
from inspector.formatting.invisible_characters import TextSegment, exact_segments
from inspector.formatting.wire_values import json_text, wire_word

MOST_ENTRIES = 200
NAME_CHARACTERS = 200


@dataclass(frozen=True, slots=True)
class MetadataEntry:
    name: tuple[TextSegment, ...]
    value: FoldedText
    is_word: bool
    """True for null and the empty string, which a word names."""


@dataclass(frozen=True, slots=True)
class MetadataList:
    rows: tuple[MetadataEntry, ...]
    total: int

    @property
    def more(self) -> int:
        return self.total - len(self.rows)


def metadata_list(metadata: Mapping[str, Json], folder: TextFolder) -> MetadataList:
    entries = islice(metadata.items(), MOST_ENTRIES)
    rows = tuple(metadata_entry(name, value, folder) for name, value in entries)
    return MetadataList(rows, len(metadata))


def metadata_entry(name: str, value: Json, folder: TextFolder) -> MetadataEntry:
    return MetadataEntry(
        name=exact_segments(name[:NAME_CHARACTERS]),
        value=folder.fold(metadata_text(value)),
        is_word=value is None or value == "",
    )


def metadata_text(value: Json) -> str:
    if value is None or isinstance(value, str):
        return wire_word(value)
    if not value or not isinstance(value, dict | list):
        return json_text(value)
    return json.dumps(value, ensure_ascii=False, indent=2)
