"""Headers as the panel lists them, bounded whatever was sent."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from inspector.core.wire.exchange import Headers
from inspector.dashboard.text.folded_text import FoldedText, TextFolder
from inspector.formatting.invisible_characters import TextSegment, exact_segments

MOST_HEADERS = 200
NAME_CHARACTERS = 200


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
            name=exact_segments(name[:NAME_CHARACTERS]),
            value=folder.fold(value),
            is_empty=not value,
            meaning=meaning_of(name, value),
        )
        for name, value in headers[:MOST_HEADERS]
    )
    return HeaderList(is_known=True, rows=rows, total=len(headers))
