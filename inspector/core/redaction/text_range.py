"""A range of a text."""

from typing import NamedTuple


class TextRange(NamedTuple):
    """Characters of a text; ``end`` is exclusive."""

    start: int
    end: int


LETTER = r"[^\W\u2e80-\U0010ffff]"
"""A letter or digit of a script with spaces between words: what may continue a word or number."""
