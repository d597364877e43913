"""Objects cut out of a text that was pasted, with everything that stands around them.

Tried only where strict reading failed. An object is found by its first name (``{"``) and followed
token by token by a grammar a little wider than JSON's: commas before a closing bracket, comments,
dots for what was left out, ``> `` at the beginning of lines. Following decides only where an object
ends; whether it is JSON, its strict reader says. One that cannot be followed ends with the first
line that stands left of it, or at its own closing brace there, so nothing is looked at twice: time
is linear in the length of the text.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from enum import StrEnum

import msgspec

from inspector.core.framing import is_elision
from inspector.core.json_text import MAX_DEPTH

MAX_BYTES = 4 * 1024 * 1024
"""A text made of nothing but small broken objects takes 3 s per MB; no page is half as long."""

_STRING = rb'"[^"\\\n]*+(?:\\.[^"\\\n]*+)*+"'
_WHITE = rb"(?:[ \t\r]|\xc2\xa0|\n(?:[ \t]*+>)*+)*+"
_WORD = rb"-?[0-9][0-9.eE+-]*+|true|false|null|True|False|None|NaN|-?Infinity"
_COMMENT = rb"//[^\n]*+|\#[^\n]*+|/\*[^*\n]{0,200}+\*/"
_token = re.compile(
    rb"%b(?:(%b)|([{\[])|([}\]])|(:)|(,)|(%b)|(%b)|(\.{3,}+|\xe2\x80\xa6))"
    % (_WHITE, _STRING, _WORD, _COMMENT)
).match
_TEXT, _OPEN, _CLOSE, _COLON, _COMMA, _SCALAR, _REMARK, _DOTS = range(1, 9)

_object = re.compile(rb'\{(?=(?:[ \t\r\n>]|\xc2\xa0)*+["}])').search
QUOTED_LINE = re.compile(rb"\n(?:[ \t]*+>)++")
_line = re.compile(rb"([ \t\r>]*+)([^\n]*+)\n?+").match
_margin = re.compile(rb"[ \t\r>]*+").match
_data = re.compile(rb"data:[ \t]*+\Z").search
_fence = re.compile(rb"(?:```|~~~)").match
_command = re.compile(rb"(?:[$%] |(?:[$%] ?)?curl )").match
_status = re.compile(rb"(?:[<*] ?)?(?:HTTP/[0-9.]+ [0-9]{3}|(?:GET|POST|PUT) \S+ HTTP/)").match
_field = re.compile(rb"(?::|(?:data|event|id|retry):)").match
_separator = re.compile(rb"[ \t,;\[\]]*+\Z").match
_end_mark = re.compile(rb"(?:data:)?[ \t]*+\[DONE\]\Z").match
# As a program wrote it: behind the time of a log's line, or as the literal of a text.
_noted_end_mark = re.compile(
    rb"(?:[^\n]{0,80}\d:\d\d[^\n]{0,200}\bdata:|b?['\"](?:data:)?)[ \t]*+"
    rb"\[DONE\](?:\\[nr])*+['\"]?,?\Z"
).match
_dots = re.compile(rb"\.{3}|\xe2\x80\xa6").search


class Kind(StrEnum):
    OBJECT = "object"
    BROKEN = "broken"
    """Begins like an object and cannot be followed to an end."""
    ELISION = "elision"
    END_MARK = "end-mark"
    FENCE = "fence"
    COMMAND = "command"
    HEADERS = "headers"
    FIELD = "field"
    """A field of an event stream other than its data."""
    SEPARATOR = "separator"
    TEXT = "text"


class Excerpt(msgspec.Struct, frozen=True):
    """``text`` is the JSON text of an object; the range takes in the ``data:`` before it."""

    kind: Kind
    byte_start: int
    byte_end: int
    text: bytes = b""
    text_start: int = 0
    has_data: bool = False
    is_elided: bool = False
    """Something inside the object was left out."""
    is_quoted: bool = False
    """``> `` was taken away from the beginning of its lines."""


def excerpts(body: bytes) -> Iterator[Excerpt]:
    """Everything in a text but white space, in order; nothing of one that is too long."""
    if len(body) > MAX_BYTES:
        return
    position = 0
    while found := _object(body, position):
        start = found.start()
        data = _data(body, max(position, start - 16), start)
        begin = data.start() if data else start
        yield from _around(body, position, begin)
        one = _followed(body, start)
        position = one.byte_end
        yield _with_text(one, body, begin)
    yield from _around(body, position, len(body))


def _with_text(one: Excerpt, body: bytes, begin: int) -> Excerpt:
    start, text = one.byte_start, body[one.byte_start : one.byte_end]
    unquoted = QUOTED_LINE.sub(b"\n", text) if b"\n" in text and b">" in text else text
    return msgspec.structs.replace(
        one,
        byte_start=begin,
        text=unquoted,
        text_start=start,
        has_data=begin < start,
        is_quoted=unquoted != text,
    )


class _Expects(StrEnum):
    NAME = "name"
    COLON = "colon"
    VALUE = "value"
    COMMA = "comma"
    ANY = "any"


_TAKES = {
    _TEXT: {_Expects.NAME, _Expects.VALUE, _Expects.ANY},
    _SCALAR: {_Expects.VALUE, _Expects.ANY},
    _OPEN: {_Expects.VALUE, _Expects.ANY},
    _CLOSE: {_Expects.NAME, _Expects.COMMA, _Expects.ANY},
    _COLON: {_Expects.COLON},
    _COMMA: {_Expects.COMMA, _Expects.ANY},
    _DOTS: {_Expects.NAME, _Expects.VALUE, _Expects.COMMA, _Expects.ANY},
}


class _Grammar:
    """Where one object stands while it is followed."""

    def __init__(self) -> None:
        self._open = bytearray()
        self._expects = _Expects.VALUE
        self.is_elided = False
        self.is_closed = False

    def takes(self, kind: int, text: bytes) -> bool:
        """One token more; False where it leaves the grammar."""
        if kind == _REMARK:
            self.is_elided = self.is_elided or _dots(text) is not None
            return True
        ends_list = kind == _CLOSE and self._in_list and self._expects is _Expects.VALUE
        if self._expects not in _TAKES[kind] and not ends_list:
            return False
        if kind == _OPEN:
            self._open += text
            self._expects = _Expects.VALUE if self._in_list else _Expects.NAME
            return len(self._open) <= MAX_DEPTH
        if kind == _CLOSE:
            return self._closes(text)
        self.is_elided = self.is_elided or kind == _DOTS
        self._expects = self._after(kind)
        return True

    @property
    def _in_list(self) -> bool:
        return self._open[-1:] == b"["

    def _closes(self, bracket: bytes) -> bool:
        opening = bytes((self._open.pop(),))
        self.is_closed = not self._open
        self._expects = _Expects.COMMA
        return opening + bracket in (b"{}", b"[]")

    def _after(self, kind: int) -> _Expects:
        if kind == _DOTS:
            return _Expects.ANY
        if kind == _COLON:
            return _Expects.VALUE
        if kind == _COMMA:
            return _Expects.VALUE if self._in_list else _Expects.NAME
        is_name = kind == _TEXT and self._expects is not _Expects.VALUE and not self._in_list
        return _Expects.COLON if is_name else _Expects.COMMA


def _followed(body: bytes, start: int) -> Excerpt:
    """The object that begins here, broken where it leaves the grammar or never ends."""
    grammar, position = _Grammar(), start
    while token := _token(body, position):
        position, kind = token.end(), token.lastindex or _REMARK
        if not grammar.takes(kind, token[kind]):
            break
        if grammar.is_closed:
            return Excerpt(Kind.OBJECT, start, position, is_elided=grammar.is_elided)
    end = _end_of_broken(body, start, position)
    return Excerpt(Kind.BROKEN, start, end, is_elided=grammar.is_elided)


def _end_of_broken(body: bytes, start: int, position: int) -> int:
    """Where an object that broke at ``position`` ends: before a line that stands no further right
    than its own, or with the brace that begins such a line."""
    own = _indent(body, body.rfind(b"\n", 0, start) + 1)
    end = _line_end(body, position)
    while end < len(body):
        line = end + 1
        indent = _indent(body, line)
        if indent <= own and body[line + indent : line + indent + 1] not in (b"", b"\n"):
            is_closing = body[line + indent : line + indent + 1] == b"}"
            return line + indent + 1 if is_closing else end
        end = _line_end(body, line)
    return len(body)


def _indent(body: bytes, line: int) -> int:
    found = _margin(body, line)
    return len(found[0]) if found else 0


def _line_end(body: bytes, position: int) -> int:
    end = body.find(b"\n", position)
    return len(body) if end < 0 else end


def _around(body: bytes, start: int, end: int) -> Iterator[Excerpt]:
    """What stands between two objects, line by line; neighbours of one kind are one."""
    kind, begin, last, in_block = None, start, start, None
    for found in _lines(body, start, end):
        text = body[found.start(2) : found.end(2)].rstrip()
        if not text:
            in_block = in_block if found[0].strip() else None
            continue
        here = in_block if in_block is Kind.HEADERS else kind_of_line(text)
        if in_block is Kind.COMMAND:
            here = Kind.COMMAND
        goes_on = here is Kind.COMMAND and text.endswith(b"\\")
        in_block = here if here is Kind.HEADERS or goes_on else None
        if kind is not None and (here is not kind or kind in _ALONE):
            yield Excerpt(kind, begin, last)
            kind = None
        if kind is None:
            kind, begin = here, found.start(2)
        last = found.start(2) + len(text)
    if kind is not None:
        yield Excerpt(kind, begin, last)


_ALONE = frozenset({Kind.ELISION, Kind.END_MARK})


def _lines(body: bytes, start: int, end: int) -> Iterator[re.Match[bytes]]:
    position = start
    while position < end and (found := _line(body, position, end)):
        yield found
        position = found.end()


def kind_of_line(text: bytes) -> Kind:
    """What a line is that belongs to no object."""
    if is_elision(text) or is_elision(text.strip(b", \t[]")):
        return Kind.ELISION
    for kind, matches in _KINDS:
        if matches(text):
            return kind
    return Kind.TEXT


_KINDS = (
    (Kind.SEPARATOR, _separator),
    (Kind.END_MARK, _end_mark),
    (Kind.END_MARK, _noted_end_mark),
    (Kind.FENCE, _fence),
    (Kind.COMMAND, _command),
    (Kind.HEADERS, _status),
    (Kind.FIELD, _field),
)
