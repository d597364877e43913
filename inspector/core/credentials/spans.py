"""Passages of a text, and the two ways to take them out."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import NamedTuple

REMOVED = "[removed]"
"""Stands in place of a value in headers, addresses and metadata."""
MASK = "*"
"""Stands in place of each byte in bodies: every other byte keeps its place."""


class Span(NamedTuple):
    """Characters of a text; ``end`` is exclusive."""

    start: int
    end: int


def merged(spans: Iterable[Span]) -> list[Span]:
    """In their order, none empty, none touching another."""
    found: list[Span] = []
    for start, end in sorted(spans):
        if found and start <= found[-1].end:
            found[-1] = Span(found[-1].start, max(end, found[-1].end))
        elif start < end:
            found.append(Span(start, end))
    return found


def removed(text: str, spans: Iterable[Span]) -> str:
    """Each passage replaced by ``REMOVED``."""
    return "".join(_replaced(text, merged(spans)))


def overwritten(body: bytes, spans: Iterable[Span]) -> bytes:
    """As long as it was; places count bytes."""
    found = merged(spans)
    if not found:
        return body
    made = bytearray(body)
    for start, end in found:
        made[start:end] = MASK.encode() * (end - start)
    return bytes(made)


def origins(source: str, escape: re.Pattern[str], spans: Iterable[Span]) -> list[Span]:
    """Where passages stand in ``source``, which was read with each ``escape`` as one character."""
    found = merged(spans)
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
    return [Span(*pair) for pair in zip(places[::2], places[1::2], strict=True)]


def _replaced(text: str, spans: Iterable[Span]) -> Iterator[str]:
    at = 0
    for start, end in spans:
        yield text[at:start]
        yield REMOVED
        at = end
    yield text[at:]
