"""Finds the bytes that spell one character of an argument text inside raw JSON."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from itertools import islice

_ARGUMENTS = re.compile(rb'"arguments"\s*:\s*"([^"\\]*(?:\\.[^"\\]*)*)"', re.DOTALL).finditer
_CHARACTERS = re.compile(
    rb"\\u[dD][89abAB][0-9a-fA-F]{2}\\u[dD][c-fC-F][0-9a-fA-F]{2}|\\u[0-9a-fA-F]{4}|\\."
    rb"|[\x00-\x7f]|[\xc0-\xff][\x80-\xbf]*",
    re.DOTALL,
).finditer


class ArgumentLiterals:
    """The argument strings in a run of bytes, indexed by their value. Built in linear time."""

    def __init__(self, raw: bytes, byte_start: int) -> None:
        self._raw = raw
        self._byte_start = byte_start
        self._span_of: dict[str, tuple[int, int] | None] = {}
        for text, span in _strings(raw):
            self._span_of[text] = None if text in self._span_of else span

    def bytes_of(self, text: str, character: int) -> tuple[int, int] | None:
        """Byte range of a character of ``text``; None if the text occurs twice or not at all."""
        span = self._span_of.get(text)
        if span is None:
            return None
        found = next(islice(_CHARACTERS(self._raw, *span), character, None), None)
        if found is None:
            return None
        return self._byte_start + found.start(), self._byte_start + found.end()


def _strings(raw: bytes) -> Iterator[tuple[str, tuple[int, int]]]:
    for found in _ARGUMENTS(raw):
        try:
            yield json.loads(b'"%s"' % found[1]), found.span(1)
        except ValueError:
            continue
