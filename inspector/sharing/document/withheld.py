"""What a document leaves out, and how much of the texts that it shows."""

from __future__ import annotations

from dataclasses import dataclass

from inspector.core.completion import Json
from inspector.formatting.invisible_characters import spell_out_invisible
from inspector.formatting.wire_values import json_text

MAX_CHARACTERS = 2_000_000
"""Of all texts of a document together."""
MAX_VALUE_CHARACTERS = 20_000
"""Of a part that is no text, as JSON."""


@dataclass(frozen=True, slots=True)
class Withheld:
    """What the maker of a document leaves out of it."""

    prompt: bool = False
    texts: bool = False
    """Whatever the answer, and a prompt that is shown, say in words; lengths stay."""


@dataclass(frozen=True, slots=True)
class DocumentText:
    """A text of the document. ``text`` is empty where it is withheld; ``left_out`` counts the
    characters beyond what a document holds.
    """

    text: str
    length: int
    is_withheld: bool = False
    left_out: int = 0


class TextRoom:
    """Hands out the room for texts, first come, first served."""

    def __init__(self, is_withheld: bool, characters: int = MAX_CHARACTERS) -> None:
        self.is_withheld = is_withheld
        self._left = characters

    def text(self, text: str, length: int | None = None) -> DocumentText:
        """``length``: that of the whole, where ``text`` is its beginning."""
        whole = len(text) if length is None else length
        if self.is_withheld:
            return DocumentText("", whole, is_withheld=True)
        shown = text[: self._left]
        self._left -= len(shown)
        return DocumentText(spell_out_invisible(shown), whole, left_out=whole - len(shown))

    def value(self, value: Json) -> DocumentText:
        spelled = json_text(value)
        return self.text(spelled[:MAX_VALUE_CHARACTERS], len(spelled))

    def word(self, word: str) -> str:
        """A name that was sent; empty where texts are withheld."""
        return "" if self.is_withheld else spell_out_invisible(word[:MAX_WORD_CHARACTERS])


MAX_WORD_CHARACTERS = 200
