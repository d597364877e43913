"""Cuts objects, and the text around them, out of a pasted text.

Used only if strict parsing failed. An object begins at ``{"`` and is followed token by token with a
grammar slightly wider than JSON's: trailing commas, comments, dots for omissions, ``> `` at the
start of lines. This only finds the object's end; a strict parser decides whether it is JSON. An
object that cannot be followed ends before the first line that is indented less, or at the closing
brace that begins a line at its own indent. Nothing is scanned twice, so time is linear.
"""

import re
from collections.abc import Iterator
from enum import StrEnum

import msgspec

from inspector.core.json.parser import MAX_DEPTH
from inspector.core.pasted.printed_objects import PrintedObject
from inspector.core.wire.framing import QUOTED_LINE, is_elision

NAME_BEFORE = 400
"""Bytes before an event's data in which its name is looked for."""
MAX_BYTES = 4 * 1024 * 1024
"""The worst case, small broken objects only, takes 3 s per MB; no page is half as long."""

_STRING = rb'"[^"\\\n]*+(?:\\.[^"\\\n]*+)*+"'
_WHITE = rb"(?:[ \t\r]|\xc2\xa0|\n(?:[ \t]*+>)*+)*+"
_WORD = rb"-?[0-9][0-9.eE+-]*+|true|false|null|True|False|None|NaN|-?Infinity"
_COMMENT = rb"//[^\n]*+|\#[^\n]*+|/\*[^*\n]{0,200}+\*/"
# As in '"id"', "{", ":", "true", "// remark" and "...".
_token = re.compile(
    rb"%b(?:(%b)|([{\[])|([}\]])|(:)|(,)|(%b)|(%b)|(\.{3,}+|\xe2\x80\xa6))"
    % (_WHITE, _STRING, _WORD, _COMMENT)
).match
_TEXT, _OPEN, _CLOSE, _COLON, _COMMA, _SCALAR, _REMARK, _DOTS = range(1, 9)

# As in "{" in front of a name, not of "{x}".
_object = re.compile(rb'\{(?=(?:[ \t\r\n>]|\xc2\xa0)*+["}])').search
# As in "> data: {}".
_line = re.compile(rb"([ \t\r>]*+)([^\n]*+)\n?+").match
# As in "> > " of a quoted mail.
_margin = re.compile(rb"[ \t\r>]*+").match
# As in "data: " in front of an object.
_data = re.compile(rb"data:[ \t]*+\Z").search
# As in "event: message_start" in the line before an object.
_event_type = re.compile(
    rb"(?:\A|\n)[ \t>]*+event:[ \t]*+([^\r\n]{1,80}+)\r?\n"
    rb"(?:[ \t>]*+(?:id|retry):[^\n]*+\n)*+[ \t>]*+\Z"
).search
# As in "```json".
_fence = re.compile(rb"(?:```|~~~)").match
# As in "$ curl -N …".
_command = re.compile(rb"(?:[$%] |(?:[$%] ?)?curl )").match
# As in "< HTTP/1.1 200 OK", "> POST /v1/chat/completions HTTP/1.1".
_status = re.compile(rb"(?:[<*] ?)?(?:HTTP/[0-9.]+ [0-9]{3}|(?:GET|POST|PUT) \S+ HTTP/)").match
# As in "data: {…}", ": comment".
_field = re.compile(rb"(?::|(?:data|event|id|retry):)").match
# As in "," and "]" between objects of a list.
_separator = re.compile(rb"[ \t,;\[\]]*+\Z").match
# As in "data: [DONE]".
_end_mark = re.compile(rb"(?:(?i:data):)?[ \t]*+\[DONE\]\Z").match
# As a program prints it: after the time in a line of a log, after the name of a container, or as a
# string literal.
_noted_end_mark = re.compile(
    rb"(?:[^\n]{0,80}\d:\d\d[^\n]{0,200}\bdata:|[\w.-]{1,80}+ *+\| data:|b?['\"](?:data:)?)[ \t]*+"
    rb"\[DONE\](?:\\[nr])*+['\"]?,?\Z"
).match
# As in "..." and "…".
_dots = re.compile(rb"\.{3}|\xe2\x80\xa6").search


class ExcerptKind(StrEnum):
    OBJECT = "object"
    BROKEN = "broken"
    """Begins like an object but cannot be followed to an end."""
    ELISION = "elision"
    END_MARK = "end-mark"
    FENCE = "fence"
    COMMAND = "command"
    HEADERS = "headers"
    FIELD = "field"
    """A field of an event stream other than its data."""
    SEPARATOR = "separator"
    TEXT = "text"


class PastedExcerpt(msgspec.Struct, frozen=True):
    """A part of a pasted text; of an object its JSON text, and its bytes from ``data:`` on."""

    kind: ExcerptKind
    byte_start: int
    byte_end: int
    text: bytes = b""
    text_start: int = 0
    has_data: bool = False
    event_type: bytes = b""
    """Name of the event (``event:`` field) whose data the object is, empty if it has none."""
    is_elided: bool = False
    """The object contains dots for omitted content."""
    is_quoted: bool = False
    """``> `` was removed from the start of its lines."""
    printed_as: PrintedObject | None = None
    """What a program printed of the object; None if it is JSON."""


def split_excerpts(body: bytes) -> Iterator[PastedExcerpt]:
    """Yield all parts of a text but white space, in order; none above ``MAX_BYTES``."""
    if len(body) > MAX_BYTES:
        return
    position = 0
    while found := _object(body, position):
        start = found.start()
        data = _data(body, max(position, start - 16), start)
        begin = data.start() if data else start
        yield from _text_between(body, position, begin)
        name = _event_type(body[max(position, begin - NAME_BEFORE) : begin]) if data else None
        one = _follow_object(body, start)
        position = one.byte_end
        yield _with_text(one, body, begin, name[1].rstrip() if name else b"")
    yield from _text_between(body, position, len(body))


def _with_text(one: PastedExcerpt, body: bytes, begin: int, event_type: bytes) -> PastedExcerpt:
    start, text = one.byte_start, body[one.byte_start : one.byte_end]
    unquoted = QUOTED_LINE.sub(b"\n", text) if b"\n" in text and b">" in text else text
    return msgspec.structs.replace(
        one,
        byte_start=begin,
        text=unquoted,
        text_start=start,
        has_data=begin < start,
        event_type=event_type,
        is_quoted=unquoted != text,
    )


class _ExpectedNext(StrEnum):
    NAME = "name"
    COLON = "colon"
    VALUE = "value"
    COMMA = "comma"
    ANY = "any"


_TAKES = {
    _TEXT: {_ExpectedNext.NAME, _ExpectedNext.VALUE, _ExpectedNext.ANY},
    _SCALAR: {_ExpectedNext.VALUE, _ExpectedNext.ANY},
    _OPEN: {_ExpectedNext.VALUE, _ExpectedNext.ANY},
    _CLOSE: {_ExpectedNext.NAME, _ExpectedNext.COMMA, _ExpectedNext.ANY},
    _COLON: {_ExpectedNext.COLON},
    _COMMA: {_ExpectedNext.COMMA, _ExpectedNext.ANY},
    _DOTS: {_ExpectedNext.NAME, _ExpectedNext.VALUE, _ExpectedNext.COMMA, _ExpectedNext.ANY},
}


class _Grammar:
    """The state of following one object."""

    def __init__(self) -> None:
        self._open = bytearray()
        self._expects = _ExpectedNext.VALUE
        self.is_elided = False
        self.is_closed = False

    def takes(self, kind: int, text: bytes) -> bool:
        """Take one token. Return False if the grammar does not allow it."""
        if kind == _REMARK:
            self.is_elided = self.is_elided or _dots(text) is not None
            return True
        ends_list = kind == _CLOSE and self._in_list and self._expects is _ExpectedNext.VALUE
        if self._expects not in _TAKES[kind] and not ends_list:
            return False
        if kind == _OPEN:
            self._open += text
            self._expects = _ExpectedNext.VALUE if self._in_list else _ExpectedNext.NAME
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
        self._expects = _ExpectedNext.COMMA
        return opening + bracket in (b"{}", b"[]")

    def _after(self, kind: int) -> _ExpectedNext:
        if kind == _DOTS:
            return _ExpectedNext.ANY
        if kind == _COLON:
            return _ExpectedNext.VALUE
        if kind == _COMMA:
            return _ExpectedNext.VALUE if self._in_list else _ExpectedNext.NAME
        is_name = kind == _TEXT and self._expects is not _ExpectedNext.VALUE and not self._in_list
        return _ExpectedNext.COLON if is_name else _ExpectedNext.COMMA


def _follow_object(body: bytes, start: int) -> PastedExcerpt:
    """Cut out the object that begins here; it is BROKEN if it leaves the grammar or never ends."""
    grammar, position = _Grammar(), start
    while token := _token(body, position):
        position, kind = token.end(), token.lastindex or _REMARK
        if not grammar.takes(kind, token[kind]):
            break
        if grammar.is_closed:
            return PastedExcerpt(ExcerptKind.OBJECT, start, position, is_elided=grammar.is_elided)
    end = _end_of_broken(body, start, position)
    return PastedExcerpt(ExcerptKind.BROKEN, start, end, is_elided=grammar.is_elided)


def _end_of_broken(body: bytes, start: int, position: int) -> int:
    """End of an object that broke at ``position``: before a line that is not indented further than
    its own, or after the brace that begins such a line.
    """
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


def _text_between(body: bytes, start: int, end: int) -> Iterator[PastedExcerpt]:
    """Yield the text between two objects line by line; adjacent lines of one kind are joined."""
    kind, begin, last, in_block = None, start, start, None
    for found in _lines(body, start, end):
        text = body[found.start(2) : found.end(2)].rstrip()
        if not text:
            in_block = in_block if found[0].strip() else None
            continue
        here = in_block if in_block is ExcerptKind.HEADERS else kind_of_line(text)
        if in_block is ExcerptKind.COMMAND:
            here = ExcerptKind.COMMAND
        goes_on = here is ExcerptKind.COMMAND and text.endswith(b"\\")
        in_block = here if here is ExcerptKind.HEADERS or goes_on else None
        if kind is not None and (here is not kind or kind in _ALONE):
            yield PastedExcerpt(kind, begin, last)
            kind = None
        if kind is None:
            kind, begin = here, found.start(2)
        last = found.start(2) + len(text)
    if kind is not None:
        yield PastedExcerpt(kind, begin, last)


_ALONE = frozenset({ExcerptKind.ELISION, ExcerptKind.END_MARK})


def _lines(body: bytes, start: int, end: int) -> Iterator[re.Match[bytes]]:
    position = start
    while position < end and (found := _line(body, position, end)):
        yield found
        position = found.end()


def kind_of_line(text: bytes) -> ExcerptKind:
    """Classify a line outside of objects."""
    if is_elision(text) or is_elision(text.strip(b", \t[]")):
        return ExcerptKind.ELISION
    for kind, matches in _KINDS:
        if matches(text):
            return kind
    return ExcerptKind.TEXT


_KINDS = (
    (ExcerptKind.SEPARATOR, _separator),
    (ExcerptKind.END_MARK, _end_mark),
    (ExcerptKind.END_MARK, _noted_end_mark),
    (ExcerptKind.FENCE, _fence),
    (ExcerptKind.COMMAND, _command),
    (ExcerptKind.HEADERS, _status),
    (ExcerptKind.FIELD, _field),
)
