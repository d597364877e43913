"""Finds where the texts of several choices start to differ."""

import os.path
import re
from dataclasses import dataclass

LONGEST_WORD = 30
"""Chinese has no space to look for, and a base64 text none for long."""
# As in " Thursday"; of a longer word so much as names the difference.
WORD = re.compile(r"\s*(\S{1,40})")


@dataclass(frozen=True, slots=True)
class Divergence:
    """``shared`` is the number of characters that all texts have in common at the start."""

    shared: int
    words: tuple[str, ...]
    """The first differing word of each text, in order; empty where a text ends there."""
    same: bool = False


def find_divergence(texts: list[str]) -> Divergence | None:
    """Return the divergence, or None for fewer than two texts or no common start."""
    if len(texts) < 2 or not all(texts):
        return None
    shared = len(os.path.commonprefix(texts))
    if len(set(texts)) == 1:
        return Divergence(shared, tuple("" for _ in texts), same=True)
    start = word_start(max(texts, key=len), shared)
    if len({word_at(text, start) for text in texts}) == 1:
        # One text ends with this word, or the word is very long: the divergence lies after it.
        start = shared
    return Divergence(start, tuple(word_at(text, start) for text in texts)) if start else None


def word_start(text: str, offset: int) -> int:
    """Return the start of the word that contains the offset.

    Scripts without spaces have no word start nearby; the offset is then returned unchanged.
    """
    for start in range(offset, max(offset - LONGEST_WORD, 0) - 1, -1):
        if start == 0 or text[start - 1].isspace():
            return start
    return offset


def word_at(text: str, offset: int) -> str:
    match = WORD.match(text, offset)
    return match.group(1) if match else ""
