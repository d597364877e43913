"""What a document leaves out, and how much of the texts that it shows."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace

from inspector.core.completion import Json
from inspector.core.json.layout import lay_out_line
from inspector.formatting.invisible_characters import spell_out_invisible
from inspector.formatting.wire_values import json_text
from inspector.sharing.document.passage_masks import MaskedSegment, PassageMasks

MAX_CHARACTERS = 2_000_000
"""Of all texts of a document together."""
MAX_VALUE_CHARACTERS = 20_000
"""Of a part that is no text, as JSON."""


MAX_WORD_CHARACTERS = 200
LAID_OUT = "laid out"
MAX_PHRASE_CHARACTERS = 1_000


@dataclass(frozen=True, slots=True)
class Withheld:
    """What the maker of a document leaves out of it."""

    prompt: bool = False
    texts: bool = False
    """Whatever the answer, and a prompt that is shown, say in words; lengths stay."""
    passages: tuple[str, ...] = ()
    """Masked wherever a text has them."""

    @property
    def messages(self) -> bool:
        """Messages of findings quote what they are about, and cut what they quote."""
        return self.texts or bool(self.passages)


@dataclass(frozen=True, slots=True)
class DocumentText:
    """A text of the document. It has no segments where it is withheld; ``left_out`` counts the
    characters beyond what a document holds.
    """

    segments: tuple[MaskedSegment, ...]
    length: int
    is_withheld: bool = False
    left_out: int = 0
    is_laid_out: bool = False
    """JSON that was sent as one line, over several."""


class TextRoom:
    """Hands out the room for texts, first come, first served. All that was sent passes through it,
    so that nothing withheld passes by.
    """

    def __init__(self, withheld: Withheld, characters: int = MAX_CHARACTERS) -> None:
        self.is_withheld = withheld.texts
        self.masks = PassageMasks(withheld.passages)
        self._left = characters

    def text(self, text: str, length: int | None = None) -> DocumentText:
        """``length``: that of the whole, where ``text`` is its beginning."""
        whole = len(text) if length is None else length
        if self.is_withheld:
            return DocumentText((), whole, is_withheld=True)
        parts = tuple(self._fitting(self.masks.segments(text, is_cut=whole > len(text))))
        return DocumentText(parts, whole, left_out=whole - sum(len(each.text) for each in parts))

    def json(self, text: str, length: int | None = None) -> DocumentText:
        """A text that may be JSON, over several lines if it is one long line of it."""
        is_whole = length is None or length == len(text)
        layout = lay_out_line(text) if is_whole and not self.is_withheld else None
        if layout is None:
            return self.text(text, length)
        parts = tuple(self._fitting(self.masks.laid_out(text, layout)))
        left_out = len(layout) - sum(len(each.text) for each in parts)
        return DocumentText(parts, len(text), left_out=left_out, is_laid_out=True)

    def value(self, value: Json) -> DocumentText:
        spelled = json_text(value)
        return self.json(spelled[:MAX_VALUE_CHARACTERS], len(spelled))

    def word(self, word: str, most: int = MAX_WORD_CHARACTERS) -> str:
        """A name that was sent; empty where texts are withheld."""
        if self.is_withheld:
            return ""
        return spell_out_invisible(self.masks.masked(word)[:most])

    def phrase(self, phrase: str) -> str:
        return self.word(phrase, MAX_PHRASE_CHARACTERS)

    def _fitting(self, segments: Iterable[MaskedSegment]) -> Iterator[MaskedSegment]:
        for each in segments:
            shown = replace(each, text=each.text[: self._left])
            self._left -= len(shown.text)
            yield shown
