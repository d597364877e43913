"""Where the values of one JSON text stand, to the byte; each object and list is opened once.

Members come in the order in which they were sent, a name that stands twice comes twice. A text that
breaks is opened as far as it goes. Opening costs the length of the object or list, no more;
where a long one ends, and what the names of an object are, is looked for once.
"""

from __future__ import annotations

import json
import re
from bisect import bisect_right
from collections.abc import Iterator
from enum import StrEnum
from itertools import islice

import msgspec

from inspector.core.pointer import steps_of

DEEPEST = 1_000
"""Levels that are opened on the way to a value: each may cost the length of the text."""
LONG_BYTES = 2_000
MOST_MEMBERS = 200_000
"""Of one object or list: the places of millions of numbers would fill the memory."""

_STRING = re.compile(rb'"[^"\\]*+(?:\\.[^"\\]*+)*+(?:"|\\?\Z)', re.DOTALL).match
_TO_BRACKET = re.compile(
    rb'(?:[^"\[\]{}]++|"[^"\\]*+(?:\\.[^"\\]*+)*+(?:"|\\?\Z))*+([\[\]{}]?)', re.DOTALL
).match
_SCALAR = re.compile(rb'[^\s,:\[\]{}"]++').match
_WHITE = re.compile(rb"[ \t\r\n]*+").match
_WHITE_AND_COMMA = re.compile(rb"[ \t\r\n]*+,?+[ \t\r\n]*+").match
_COLON = re.compile(rb"[ \t\r\n]*+:[ \t\r\n]*+").match


class Kind(StrEnum):
    OBJECT = "object"
    LIST = "list"
    TEXT = "text"
    NUMBER = "number"
    WORD = "word"
    """``true``, ``false``, ``null``; or what is no JSON."""


class Member(msgspec.Struct, frozen=True, gc=False):
    """One member of an object or list; ends are exclusive, ``name_start`` is None in a list."""

    start: int
    end: int
    position: int
    name_start: int | None = None
    name_end: int = 0


class Found(msgspec.Struct, frozen=True):
    """A value and the way to it: the members that were opened, the outermost first."""

    path: tuple[Member, ...]
    start: int
    end: int


class Outline:
    """Places in one text. Nothing raises, whatever the text is."""

    def __init__(self, text: bytes) -> None:
        self.text = text
        self.start = _end(_WHITE(text, 3 if text.startswith(b"\xef\xbb\xbf") else 0))
        self._ends: dict[int, int] = {}
        self._opened: dict[int, list[Member]] = {}
        self._named: dict[int, dict[str, Member]] = {}
        self.end = self._whole_end()

    def kind(self, start: int) -> Kind:
        head = self.text[start : start + 1]
        if head == b"{":
            return Kind.OBJECT
        if head == b"[":
            return Kind.LIST
        if head == b'"':
            return Kind.TEXT
        return Kind.NUMBER if head in b"-0123456789" and head else Kind.WORD

    def is_closed(self, start: int, end: int) -> bool:
        """False for an object, list or text that the end of the text cuts off."""
        closing = {Kind.OBJECT: b"}", Kind.LIST: b"]", Kind.TEXT: b'"'}.get(self.kind(start))
        return closing is None or (end - start > 1 and self.text[end - 1 : end] == closing)

    def members(self, start: int, end: int) -> list[Member]:
        """The first of the object or list at a place; of anything else none."""
        if start not in self._opened:
            if self.kind(start) not in (Kind.OBJECT, Kind.LIST):
                return []
            # No more members than commas and one, wherever in it these stand.
            is_small = self.text.count(b",", start, end) < MOST_MEMBERS
            quickly = self._quickly(start, end) if is_small else None
            slowly = islice(self._slowly(start), MOST_MEMBERS)
            self._opened[start] = list(slowly) if quickly is None else quickly
        return self._opened[start]

    def has_more(self, start: int, end: int) -> bool:
        """There may be members behind the last that is told."""
        return len(self.members(start, end)) >= MOST_MEMBERS

    def name(self, member: Member) -> str:
        """As it is meant: escapes undone."""
        assert member.name_start is not None
        return meant(self.text[member.name_start : member.name_end])

    def find(self, pointer: str) -> Found | None:
        """The value that a JSON Pointer names; of a name that stands twice the last (RFC 8259)."""
        path: list[Member] = []
        start, end = self.start, self.end
        steps = steps_of(pointer)
        if len(steps) > DEEPEST:
            return None
        for step in steps:
            member = self._step(start, end, step)
            if member is None:
                return None
            path.append(member)
            start, end = member.start, member.end
        return Found(tuple(path), start, end)

    def at(self, byte: int) -> Found | None:
        """The innermost value that is opened, or the name of a member, that holds a byte."""
        path: list[Member] = []
        start, end = self.start, self.end
        if not start <= byte < end:
            return None
        while len(path) < DEEPEST and (members := self.members(start, end)):
            member = members[bisect_right(members, byte, key=_first) - 1]
            if byte < _first(members[0]) or byte >= member.end:
                return Found(tuple(path), start, end)
            path.append(member)
            if byte < member.start:
                break
            start, end = member.start, member.end
        last = path[-1] if path else Member(start, end, 0)
        return Found(tuple(path), last.start, last.end)

    def _step(self, start: int, end: int, step: str) -> Member | None:
        members = self.members(start, end)
        if self.kind(start) is Kind.LIST:
            is_position = step.isascii() and step.isdigit() and len(step) < 12
            return members[int(step)] if is_position and int(step) < len(members) else None
        if start not in self._named:
            self._named[start] = {self.name(each): each for each in members}
        return self._named[start].get(step)

    def _quickly(self, start: int, end: int) -> list[Member] | None:
        """By the lengths that the fast reader gives; None where only slow reading is safe."""
        part = memoryview(self.text)[start:end]
        try:
            if self.kind(start) is Kind.LIST:
                return self._by_lengths(start, msgspec.json.decode(part, type=list[msgspec.Raw]))
            return self._by_names(start, msgspec.json.decode(part, type=dict[str, msgspec.Raw]))
        except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError):
            return None

    def _by_lengths(self, start: int, values: list[msgspec.Raw]) -> list[Member]:
        members: list[Member] = []
        at = start + 1
        for position, value in enumerate(values):
            at = _end(_WHITE_AND_COMMA(self.text, at))
            members.append(Member(at, at + len(memoryview(value)), position))
            at = members[-1].end
        return members

    def _by_names(self, start: int, values: dict[str, msgspec.Raw]) -> list[Member] | None:
        """None where a name stands twice, for only its last value is known."""
        members: list[Member] = []
        at = start + 1
        for position, value in enumerate(values.values()):
            name_start = _end(_WHITE_AND_COMMA(self.text, at))
            name = _STRING(self.text, name_start)
            colon = name and _COLON(self.text, name.end())
            if name is None or colon is None:
                return None
            at = colon.end() + len(memoryview(value))
            if self.text[colon.end() : at] != bytes(value):
                return None
            members.append(Member(colon.end(), at, position, name_start, name.end()))
        last = _end(_WHITE(self.text, at))
        return members if self.text[last : last + 1] == b"}" else None

    def _slowly(self, start: int) -> Iterator[Member]:
        """Value by value, up to the first place that fits nowhere."""
        text, is_list = self.text, self.kind(start) is Kind.LIST
        at, position = _end(_WHITE(text, start + 1)), 0
        while at < len(text) and text[at : at + 1] not in (b"}", b"]"):
            name_start, name_end = None, 0
            if not is_list:
                name = _STRING(text, at)
                colon = name and _COLON(text, name.end())
                if name is None or colon is None:
                    return
                name_start, name_end, at = at, name.end(), colon.end()
            end = self._value_end(at)
            if end == at:
                return
            yield Member(at, end, position, name_start, name_end)
            position += 1
            at = _end(_WHITE_AND_COMMA(text, end))

    def _whole_end(self) -> int:
        """Of a text that is one value and nothing behind it, told by the fast reader."""
        end = len(self.text.rstrip(b" \t\r\n"))
        try:
            msgspec.json.decode(memoryview(self.text)[self.start : end], type=msgspec.Raw)
            return end
        except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError):
            return self._value_end(self.start)

    def _value_end(self, start: int) -> int:
        """Where the value ends that begins here; the same place where none does."""
        head = self.text[start : start + 1]
        if head in (b"{", b"["):
            return self._ends.get(start) or self._closing(start)
        match = _STRING(self.text, start) if head == b'"' else _SCALAR(self.text, start)
        return match.end() if match else start

    def _closing(self, start: int) -> int:
        """Of an object or list; and of the long ones inside it, to be asked later."""
        text, at, depth = self.text, start, 0
        opened: list[int] = []
        while (match := _TO_BRACKET(text, at)) and match[1]:
            at = match.end()
            if match[1] in (b"{", b"["):
                depth += 1
                if depth <= DEEPEST:
                    opened.append(at - 1)
                continue
            if depth <= DEEPEST and at - (first := opened.pop()) > LONG_BYTES:
                self._ends[first] = at
            depth -= 1
            if not depth:
                return at
        self._ends.update(dict.fromkeys(opened, len(text)))
        return len(text)


def meant(spelt: bytes) -> str:
    """What a JSON text or number says, escapes undone; as it stands where that fails."""
    text = spelt.decode("utf-8", "surrogateescape")
    if not text.startswith('"'):
        return text
    try:
        return str(json.loads(text, strict=False))
    except ValueError:
        return text[1:].removesuffix('"')


def _first(member: Member) -> int:
    return member.start if member.name_start is None else member.name_start


def _end(match: re.Match[bytes] | None) -> int:
    assert match is not None
    return match.end()
