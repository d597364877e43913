"""Where several answers to one request part, and what each says there."""

from __future__ import annotations

import os.path
import re
from dataclasses import dataclass

LONGEST_WORD = 30
WORD = re.compile(r"\s*(\S{1,40})")


@dataclass(frozen=True, slots=True)
class Divergence:
    """``shared`` is the number of characters that every answer begins with."""

    shared: int
    words: tuple[str, ...]
    """The word at the fork, in the order of the texts; empty where a text ends there."""
    same: bool = False


def divergence(texts: list[str]) -> Divergence | None:
    """None where there is nothing to compare, or where not even the beginning is shared."""
    if len(texts) < 2 or not all(texts):
        return None
    shared = len(os.path.commonprefix(texts))
    if len(set(texts)) == 1:
        return Divergence(shared, tuple("" for _ in texts), same=True)
    start = word_start(max(texts, key=len), shared)
    if len({word_at(text, start) for text in texts}) == 1:
        # A text ends with that word, or the word is a long one: the fork is behind it.
        start = shared
    return Divergence(start, tuple(word_at(text, start) for text in texts)) if start else None


def word_start(text: str, offset: int) -> int:
    """The beginning of the word that holds the offset: a fork inside a word reads badly.

    Writing without spaces has no such beginning nearby; there the fork stays where it is.
    """
    for start in range(offset, max(offset - LONGEST_WORD, 0) - 1, -1):
        if start == 0 or text[start - 1].isspace():
            return start
    return offset


def word_at(text: str, offset: int) -> str:
    match = WORD.match(text, offset)
    return match.group(1) if match else ""
