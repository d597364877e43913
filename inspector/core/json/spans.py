"""Byte ranges of the values in one JSON text.

Members come in the order sent, duplicate names included. A broken text is opened as far as it can
be followed. Opening an object or list costs time linear in its length; the ends of long ones and
the names of an object are cached.
"""

import json
import re
from bisect import bisect_right
from collections.abc import Iterator
from enum import StrEnum
from itertools import islice

import msgspec

from inspector.core.json.pointer import steps_of

DEEPEST = 1_000
"""Limit on the levels opened on the way to a value; each may cost the length of the text."""
LONG_BYTES = 2_000
"""The end of a shorter value is found again sooner than it is looked up."""
MAX_MEMBERS = 200_000
"""Limit on members of one object or list: ranges of millions of numbers would fill the memory."""

# As in '"a\"b"', and '"cut' at the end.
_STRING = re.compile(rb'"[^"\\]*+(?:\\.[^"\\]*+)*+(?:"|\\?\Z)', re.DOTALL).match
# As in '"a": 1, "b": [', brackets inside of strings passed by.
_TO_BRACKET = re.compile(
    rb'(?:[^"\[\]{}]++|"[^"\\]*+(?:\\.[^"\\]*+)*+(?:"|\\?\Z))*+([\[\]{}]?)', re.DOTALL
).match
# As in "12.5", "null".
_SCALAR = re.compile(rb'[^\s,:\[\]{}"]++').match
# Those four alone are white space of JSON (RFC 8259, section 2).
_WHITE = re.compile(rb"[ \t\r\n]*+").match
_WHITE_AND_COMMA = re.compile(rb"[ \t\r\n]*+,?+[ \t\r\n]*+").match
_COLON = re.compile(rb"[ \t\r\n]*+:[ \t\r\n]*+").match


class JsonKind(StrEnum):
    OBJECT = "object"
    LIST = "list"
    TEXT = "text"
    NUMBER = "number"
    WORD = "word"
    """``true``, ``false``, ``null``, or something that is not JSON."""


class MemberSpan(msgspec.Struct, frozen=True, gc=False):
    """Range of a member; ends are exclusive. ``name_start`` is None in a list."""

    start: int
    end: int
    position: int
    name_start: int | None = None
    name_end: int = 0


class ValueSpan(msgspec.Struct, frozen=True):
    """Range of a value, and the members around it, the outermost first."""

    path: tuple[MemberSpan, ...]
    start: int
    end: int


class JsonSpans:
    """Finds places in one text, which may be broken. Never raises."""

    def __init__(self, text: bytes) -> None:
        self.text = text
        self.start = _end(_WHITE(text, 3 if text.startswith(b"\xef\xbb\xbf") else 0))
        self._ends: dict[int, int] = {}
        self._opened: dict[int, list[MemberSpan]] = {}
        self._named: dict[int, dict[str, MemberSpan]] = {}
        self.end = self._whole_end()

    def kind(self, start: int) -> JsonKind:
        head = self.text[start : start + 1]
        if head == b"{":
            return JsonKind.OBJECT
        if head == b"[":
            return JsonKind.LIST
        if head == b'"':
            return JsonKind.TEXT
        return JsonKind.NUMBER if head in b"-0123456789" and head else JsonKind.WORD

    def is_closed(self, start: int, end: int) -> bool:
        """Return False for an object, list or string that is cut off by the end of the text."""
        closing = {JsonKind.OBJECT: b"}", JsonKind.LIST: b"]", JsonKind.TEXT: b'"'}.get(
            self.kind(start)
        )
        return closing is None or (end - start > 1 and self.text[end - 1 : end] == closing)

    def members(self, start: int, end: int) -> list[MemberSpan]:
        """Return the first ``MAX_MEMBERS`` members of the container here; none for others."""
        if start not in self._opened:
            if self.kind(start) not in (JsonKind.OBJECT, JsonKind.LIST):
                return []
            # The number of commas, nested ones included, bounds the number of members.
            is_small = self.text.count(b",", start, end) < MAX_MEMBERS
            quickly = self._quickly(start, end) if is_small else None
            slowly = islice(self._slowly(start), MAX_MEMBERS)
            self._opened[start] = list(slowly) if quickly is None else quickly
        return self._opened[start]

    def has_more(self, start: int, end: int) -> bool:
        """Return True if there may be members behind those that ``members`` returns."""
        return len(self.members(start, end)) >= MAX_MEMBERS

    def name(self, member: MemberSpan) -> str:
        """Name of a member, unescaped."""
        assert member.name_start is not None
        return decoded_scalar(self.text[member.name_start : member.name_end])

    def find(self, pointer: str) -> ValueSpan | None:
        """Return the value at a JSON Pointer, of duplicate names the last; None without one."""
        path: list[MemberSpan] = []
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
        return ValueSpan(tuple(path), start, end)

    def at(self, byte: int) -> ValueSpan | None:
        """Return the innermost value, or a member's name, with this byte; None outside."""
        path: list[MemberSpan] = []
        start, end = self.start, self.end
        if not start <= byte < end:
            return None
        while len(path) < DEEPEST and (members := self.members(start, end)):
            member = members[bisect_right(members, byte, key=_first) - 1]
            if byte < _first(members[0]) or byte >= member.end:
                return ValueSpan(tuple(path), start, end)
            path.append(member)
            if byte < member.start:
                break
            start, end = member.start, member.end
        last = path[-1] if path else MemberSpan(start, end, 0)
        return ValueSpan(tuple(path), last.start, last.end)

    def _step(self, start: int, end: int, step: str) -> MemberSpan | None:
        members = self.members(start, end)
        if self.kind(start) is JsonKind.LIST:
            is_position = step.isascii() and step.isdigit() and len(step) < 12
            return members[int(step)] if is_position and int(step) < len(members) else None
        if start not in self._named:
            self._named[start] = {self.name(each): each for each in members}
        return self._named[start].get(step)

    def _quickly(self, start: int, end: int) -> list[MemberSpan] | None:
        """Members by the lengths of the fast parser's raw values; None if these are unreliable."""
        part = memoryview(self.text)[start:end]
        try:
            if self.kind(start) is JsonKind.LIST:
                return self._by_lengths(start, msgspec.json.decode(part, type=list[msgspec.Raw]))
            return self._by_names(start, msgspec.json.decode(part, type=dict[str, msgspec.Raw]))
        except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError):
            return None

    def _by_lengths(self, start: int, values: list[msgspec.Raw]) -> list[MemberSpan]:
        members: list[MemberSpan] = []
        at = start + 1
        for position, value in enumerate(values):
            at = _end(_WHITE_AND_COMMA(self.text, at))
            members.append(MemberSpan(at, at + len(memoryview(value)), position))
            at = members[-1].end
        return members

    def _by_names(self, start: int, values: dict[str, msgspec.Raw]) -> list[MemberSpan] | None:
        """Return None if a name is duplicate: the fast parser keeps its last value only."""
        members: list[MemberSpan] = []
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
            members.append(MemberSpan(colon.end(), at, position, name_start, name.end()))
        # The lengths are those of the text only if they lead to the closing bracket.
        last = _end(_WHITE(self.text, at))
        return members if self.text[last : last + 1] == b"}" else None

    def _slowly(self, start: int) -> Iterator[MemberSpan]:
        """Yield members one by one, up to the first position that breaks the grammar."""
        text, is_list = self.text, self.kind(start) is JsonKind.LIST
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
            yield MemberSpan(at, end, position, name_start, name_end)
            position += 1
            at = _end(_WHITE_AND_COMMA(text, end))

    def _whole_end(self) -> int:
        """End of the value; quick if the fast parser accepts the whole text."""
        end = len(self.text.rstrip(b" \t\r\n"))
        try:
            msgspec.json.decode(memoryview(self.text)[self.start : end], type=msgspec.Raw)
            return end
        except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError):
            return self._value_end(self.start)

    def _value_end(self, start: int) -> int:
        """End of the value that begins here; ``start`` if none does."""
        head = self.text[start : start + 1]
        if head in (b"{", b"["):
            return self._ends.get(start) or self._closing(start)
        match = _STRING(self.text, start) if head == b'"' else _SCALAR(self.text, start)
        return match.end() if match else start

    def _closing(self, start: int) -> int:
        """End of an object or list. Caches the ends of long ones inside it."""
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


def decoded_scalar(spelt: bytes) -> str:
    """Unescape a JSON string or number; returned as it is spelt if that fails."""
    text = spelt.decode("utf-8", "surrogateescape")
    if not text.startswith('"'):
        return text
    try:
        return str(json.loads(text, strict=False))
    except ValueError:
        return text[1:].removesuffix('"')


def _first(member: MemberSpan) -> int:
    return member.start if member.name_start is None else member.name_start


def _end(match: re.Match[bytes] | None) -> int:
    assert match is not None
    return match.end()
