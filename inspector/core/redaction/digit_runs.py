"""Finds where digits stand close together: the only places where a number can be."""

import re
from collections.abc import Iterator

from inspector.core.credentials.spans import TextSpan

APART = r"[\s.()/\-_·]"
"""One of the signs that stand between the groups of a number."""
LETTER = r"[^\W\u2e80-\U0010ffff]"
"""A letter or digit of a script with spaces between words: what may continue a word or number."""
# Begins with a digit, so that the engine skips everything else quickly; nothing is tried twice.
# As in "4111 1111 1111 1111", "(020) 7946-0958", and over the end of a line.
_RUN = re.compile(rf"\d(?:{APART}{{0,3}}+\d){{6,}}+")
_AROUND = 4
"""Characters around the digits that may belong to the number, or tell that it is none."""


def digit_runs(text: str) -> Iterator[TextSpan]:
    """Yield the ranges in which numbers of seven digits or more stand, with what is around them."""
    for found in _RUN.finditer(text):
        yield TextSpan(max(0, found.start() - _AROUND), min(len(text), found.end() + _AROUND))
