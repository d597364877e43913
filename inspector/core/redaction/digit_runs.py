"""Finds where digits stand close together: the only places where a number can be."""

from __future__ import annotations

import re
from collections.abc import Iterator

from inspector.core.redaction.text_range import TextRange

# Begins with a digit, so that the engine skips everything else quickly; nothing is tried twice.
_RUN = re.compile(r"\d(?:[ \u00a0.()/\-\u2011]{0,3}+\d){6,}+")
_AROUND = 4
"""Characters around the digits that may belong to the number, or tell that it is none."""


def digit_runs(text: str) -> Iterator[TextRange]:
    """Yield the ranges in which numbers of seven digits or more stand, with what is around them."""
    for found in _RUN.finditer(text):
        yield TextRange(max(0, found.start() - _AROUND), min(len(text), found.end() + _AROUND))
