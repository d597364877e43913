"""Folds the objects of a body that has begun like a document as they come.

A body that begins with an object may turn out to be lines of them (Ollama), one that begins with a
list to be a stream in a list (Gemini). Only the end decides; here it is taken for such a stream as
soon as nothing speaks against it.
"""

from __future__ import annotations

import re
from typing import Protocol

from inspector.core.fold.assembly import Assembly
from inspector.core.parse_body import (
    holds_object,
    is_meant_as_object,
    streams_as_list,
    take_line,
)
from inspector.core.wire.framing import BOM, JSON_WHITESPACE, FramedLine, framed_lines

_OPENING, _QUOTE = b"{[", b'"'
_BETWEEN_ITEMS = JSON_WHITESPACE + b","
_TO_BRACKET = re.compile(rb'(?:[^"\[\]{}]++|"[^"\\]*+(?:\\.[^"\\]*+)*+")*+', re.DOTALL).match
"""Up to a bracket, or to a string that does not end here."""
_IN_STRING = re.compile(rb'[^"\\]*+(?:\\.[^"\\]*+)*+', re.DOTALL).match


class OpenItems(Protocol):
    """The objects of a document, fed in any cutting."""

    assembly: Assembly | None
    """What they add up to, None while they may be no stream."""

    def feed(self, data: bytes) -> None: ...


class OpenDocument:
    """The objects of a body that begins like a document."""

    def __init__(self, family: str | None) -> None:
        self._family = family
        self._head = b""
        self._items: OpenItems | None = None

    @property
    def assembly(self) -> Assembly | None:
        return self._items.assembly if self._items is not None else None

    def feed(self, data: bytes) -> None:
        if self._items is None:
            self._head += data
            self._items = self._begun(self._head.removeprefix(BOM).lstrip(JSON_WHITESPACE)[:1])
            data, self._head = (self._head, b"") if self._items is not None else (b"", self._head)
        if self._items is not None:
            self._items.feed(data)

    def _begun(self, first: bytes) -> OpenItems | None:
        if not first:
            return None
        return OpenList() if first == b"[" else OpenLines(self._family)


class OpenLines:
    """Lines of objects. ``family``: the formats by whose table they are read; None to recognise
    it.
    """

    def __init__(self, family: str | None) -> None:
        self.assembly: Assembly | None = None
        self._family = family
        self._pending: list[bytes] = []
        """The line that has not ended."""
        self._start = 0
        """Where it begins in the body."""
        self._held: list[FramedLine] = []
        """Lines that are not folded, as one document may go over several."""
        self._is_over = False
        """The body is something else."""

    def feed(self, data: bytes) -> None:
        if self._is_over:
            return
        self._pending.append(data)
        if b"\n" in data:
            ended, newline, rest = b"".join(self._pending).rpartition(b"\n")
            self._pending = [rest]
            for line in framed_lines(ended + newline, self._start):
                self._take(line)
            self._start += len(ended) + 1
        if self.assembly is None and self._held and self._begins_object():
            self._begin()
        if self.assembly is not None and self.assembly.holds_whole_answers:
            self._end()

    def _take(self, line: FramedLine) -> None:
        if self._is_over:
            return
        if self.assembly is not None:
            take_line(self.assembly, line)
            return
        is_first = not self._held
        self._held.append(line)
        if is_first and not holds_object(line):
            self._end()
        elif not is_first and is_meant_as_object(line):
            self._begin()

    def _begins_object(self) -> bool:
        """True if the line that has not ended begins an object."""
        heads = (part.lstrip(JSON_WHITESPACE) for part in self._pending)
        return next(filter(None, heads), b"").startswith(b"{")

    def _begin(self) -> None:
        self.assembly = Assembly(self._family)
        for line in self._held:
            take_line(self.assembly, line)
        self._held = []

    def _end(self) -> None:
        self.assembly, self._is_over = None, True
        self._held, self._pending = [], []


class OpenList:
    """The objects of one list."""

    def __init__(self) -> None:
        self.assembly: Assembly | None = None
        self._at = 0
        """Bytes that were fed before."""
        self._depth = 0
        """Brackets that are open."""
        self._in_string = False
        self._is_escaped = False
        """A string goes on with the character that a backslash escapes."""
        self._item: list[bytes] = []
        """The beginning of an object that has not ended."""
        self._item_start = 0
        self._is_over = False
        """The list has ended, or something stands in it that is no object."""

    def feed(self, data: bytes) -> None:
        at, begun = 0, 0
        while at < len(data) and not self._is_over:
            if self._in_string:
                at = self._string_end(data, at)
                continue
            end = _end_of(_TO_BRACKET(data, at))
            if self._depth == 1 and data[at:end].strip(_BETWEEN_ITEMS):
                self._is_over = True
            elif end < len(data):
                begun = self._bracket(data, end, begun)
            at = end + 1
        if self._depth > 1:
            self._item.append(data[begun:])
        self._at += len(data)

    def _string_end(self, data: bytes, at: int) -> int:
        """The byte behind the string, or the end of the data."""
        end = _end_of(_IN_STRING(data, at + self._is_escaped))
        self._is_escaped = data[end : end + 1] == b"\\"
        self._in_string = end >= len(data) or self._is_escaped
        return end + 1

    def _bracket(self, data: bytes, at: int, begun: int) -> int:
        """Take a bracket, or the quote of a string that goes on. ``begun`` is where the object
        begins in these bytes; return where it does now.
        """
        mark = data[at : at + 1]
        if mark == _QUOTE:
            # Between objects stand no strings.
            self._in_string, self._is_over = True, self._depth == 1
        elif mark in _OPENING:
            self._depth += 1
            if self._depth == 2:
                self._item_start, begun = self._at + at, at
        else:
            self._depth -= 1
            self._is_over = self._depth == 0
            if self._depth == 1:
                self._take(b"".join([*self._item, data[begun : at + 1]]), self._at + at + 1)
        return begun

    def _take(self, item: bytes, end: int) -> None:
        self._item = []
        if self.assembly is None and not streams_as_list(item):
            self._is_over = True
            return
        self.assembly = self.assembly or Assembly()
        self.assembly.event(self._item_start, end, item)


def _end_of(match: re.Match[bytes] | None) -> int:
    """The end of a match that may be empty but always is one."""
    assert match is not None
    return match.end()
