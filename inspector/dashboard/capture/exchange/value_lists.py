"""Headers and the sender's metadata as the panel lists them, bounded whatever was sent."""

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from itertools import islice

from inspector.core.json import Json
from inspector.core.wire.exchange import Headers
from inspector.dashboard.text.folded_text import FoldedText, TextFolder
from inspector.formatting.invisible_characters import TextSegment, exact_segments
from inspector.formatting.wire_values import json_text, wire_word

MAX_HEADERS = 200
"""Further ones are counted; the exact bytes have them."""
MAX_NAME_CHARACTERS = 200
"""A row is as wide as its name."""


@dataclass(frozen=True, slots=True)
class HeaderDisplay:
    name: tuple[TextSegment, ...]
    value: FoldedText
    is_empty: bool
    meaning: str = ""


@dataclass(frozen=True, slots=True)
class HeaderList:
    """``is_known`` is False if nobody passed the headers on; an empty list was sent empty."""

    is_known: bool
    rows: tuple[HeaderDisplay, ...] = ()
    total: int = 0

    @property
    def more(self) -> int:
        return self.total - len(self.rows)


def header_list(
    headers: Headers | None,
    folder: TextFolder,
    meaning_of: Callable[[str, str], str] = lambda name, value: "",
) -> HeaderList:
    if headers is None:
        return HeaderList(is_known=False)
    rows = tuple(
        HeaderDisplay(
            name=exact_segments(name[:MAX_NAME_CHARACTERS]),
            value=folder.fold(value),
            is_empty=not value,
            meaning=meaning_of(name, value),
        )
        for name, value in headers[:MAX_HEADERS]
    )
    return HeaderList(is_known=True, rows=rows, total=len(headers))


MAX_ENTRIES = 200
"""Further ones are counted; the API answers all of them."""


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
    entries = islice(metadata.items(), MAX_ENTRIES)
    rows = tuple(metadata_entry(name, value, folder) for name, value in entries)
    return MetadataList(rows, len(metadata))


def metadata_entry(name: str, value: Json, folder: TextFolder) -> MetadataEntry:
    return MetadataEntry(
        name=exact_segments(name[:MAX_NAME_CHARACTERS]),
        value=folder.fold(metadata_text(value)),
        is_word=value is None or value == "",
    )


def metadata_text(value: Json) -> str:
    if value is None or isinstance(value, str):
        return wire_word(value)
    if not value or not isinstance(value, dict | list):
        return json_text(value)
    return json.dumps(value, ensure_ascii=False, indent=2)
