"""Ranges of a text, and the two ways to remove them."""

import re
from collections.abc import Iterable, Iterator
from typing import NamedTuple

REMOVED_MARK = "[removed]"
"""Replaces a value in headers, URLs and metadata."""
MASK = "*"
"""Replaces each byte in bodies, so that all other bytes keep their place."""


class TextSpan(NamedTuple):
    """Characters of a text; ``end`` is exclusive."""

    start: int
    end: int


def merge_spans(spans: Iterable[TextSpan]) -> list[TextSpan]:
    """Sort the ranges, join those that touch, drop empty ones."""
    found: list[TextSpan] = []
    for start, end in sorted(spans):
        if found and start <= found[-1].end:
            found[-1] = TextSpan(found[-1].start, max(end, found[-1].end))
        elif start < end:
            found.append(TextSpan(start, end))
    return found


def remove_spans(text: str, spans: Iterable[TextSpan]) -> str:
    """Replace each range by ``REMOVED_MARK``."""
    return "".join(_replace_spans(text, merge_spans(spans)))


def overwrite_spans(body: bytes, spans: Iterable[TextSpan]) -> bytes:
    """Mask ranges of bytes. The length does not change."""
    found = merge_spans(spans)
    if not found:
        return body
    made = bytearray(body)
    for start, end in found:
        made[start:end] = MASK.encode() * (end - start)
    return bytes(made)


def source_spans(source: str, escape: re.Pattern[str], spans: Iterable[TextSpan]) -> list[TextSpan]:
    """Map ranges back to ``source``, where each ``escape`` stands for one character of the text."""
    found = merge_spans(spans)
    edges = [edge for span in found for edge in span]
    places: list[int] = []
    longer = 0
    for escaped in escape.finditer(source) if edges else ():
        at = escaped.start() - longer
        while len(places) < len(edges) and edges[len(places)] <= at:
            places.append(edges[len(places)] + longer)
        if len(places) == len(edges):
            break
        longer += len(escaped[0]) - 1
    places += [edge + longer for edge in edges[len(places) :]]
    return [TextSpan(*pair) for pair in zip(places[::2], places[1::2], strict=True)]


def _replace_spans(text: str, spans: Iterable[TextSpan]) -> Iterator[str]:
    at = 0
    for start, end in spans:
        yield text[at:start]
        yield REMOVED_MARK
        at = end
    yield text[at:]
