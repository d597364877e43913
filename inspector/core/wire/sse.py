"""Splits server-sent events by the WHATWG standard, on bytes and incrementally.

https://html.spec.whatwg.org/multipage/server-sent-events.html#event-stream-interpretation

A client silently drops comments, unknown fields, events without data and an unterminated tail. This
is an inspector, so each of them is returned too, with its byte range. A range ends with the byte
that completes the item, so that its arrival is the arrival of that byte; the LF of a CRLF comes
after the line has ended and belongs to no range.
"""

import re

import msgspec

from inspector.core.wire.framing import BOM

# By far the most frequent events of all providers: one data line and its blank line, or a type
# before them. Everything else goes line by line; both ways give the same events for every cutting
# (tests/core/wire/test_sse).
_DATA, _SPACED = b"data:", b"data: "
# As in "data: {…}" with the empty line behind it: nearly every event.
_ONE_LINE_EVENT = re.compile(rb"data: ?([^\r\n]*+)(?:\n\n|\r\n\r\n)").match
# As in "event: message_start", "data: {…}" and the empty line.
_TYPED_EVENT = re.compile(rb"event: ?([^\r\n]*+)\ndata: ?([^\r\n]*+)\n\n").match
# A CR alone ends a line, too.
_LINE_END = re.compile(rb"[\r\n]").search
_LF, _SPACE = 10, 32
_FEW_BYTES, _LOOKED_AT = 1 << 11, 1 << 16
"""Bytes that are cut into lines at once: from more than these, up to these, which are copied."""


class Event(msgspec.Struct, frozen=True, gc=False):
    """A dispatched event. ``data`` may be empty; ``type`` is b"" if none was sent."""

    byte_start: int
    byte_end: int
    data: bytes
    type: bytes = b""


class Comment(msgspec.Struct, frozen=True, gc=False):
    """A line that begins with a colon. Providers use it as keep-alive."""

    byte_start: int
    byte_end: int
    text: bytes


class IgnoredLine(msgspec.Struct, frozen=True, gc=False):
    """A line or block that clients ignore. ``name`` is the unknown field's name, b"" for a block
    with fields but no data; ``value`` is what stands behind the name and its colon.
    """

    byte_start: int
    byte_end: int
    name: bytes
    value: bytes = b""


class Tail(msgspec.Struct, frozen=True, gc=False):
    """Bytes behind the last event, which the standard discards; ``data`` is None without one."""

    byte_start: int
    byte_end: int
    data: bytes | None
    type: bytes = b""


StreamItem = Event | Comment | IgnoredLine


class Splitter:
    """Splits bytes into events, cut in any way; each item is returned with its last byte."""

    def __init__(self) -> None:
        self._pending: list[bytes] = []
        self._pending_start = 0
        self._begun = False
        self._skip_lf = False
        self._block_start = -1
        self._data: list[bytes] = []
        self._type = b""
        self.last_event_id = b""
        self.retry_ms: bytes | None = None

    def feed(self, data: bytes) -> list[StreamItem]:
        if not self._begun or not (b"\n" in data or b"\r" in data):
            # No line can end here: keep the fragments apart, so that a line which arrives byte
            # by byte is joined once and not copied at every read.
            self._pending.append(data)
            if self._begun or not self._begin():
                return []
            data = b""
        buffer = b"".join([*self._pending, data]) if self._pending else data
        self._pending = []
        return self._lines(buffer, self._pending_start)

    def _begin(self) -> bool:
        """Drop one leading byte-order mark. Return False while the bytes may still become one."""
        head = b"".join(self._pending)
        if len(head) < len(BOM) and BOM.startswith(head):
            self._pending = [head]
            return False
        self._begun = True
        if head.startswith(BOM):
            head, self._pending_start = head[len(BOM) :], len(BOM)
        self._pending = [head]
        return True

    def _lines(self, buffer: bytes, base: int) -> list[StreamItem]:
        items: list[StreamItem] = []
        position = 0
        if self._skip_lf and buffer:
            position = 1 if buffer[0] == _LF else 0
            self._skip_lf = False
        has_cr = buffer.find(b"\r") >= 0
        event = _event_with_cr if has_cr else _event
        # Of few events the preparations would cost more than they save.
        if self._block_start < 0 and not has_cr and len(buffer) > _FEW_BYTES:
            position = _take_plain_events(buffer, position, base, items)
        while position < len(buffer):
            found = event(buffer, position) if self._block_start < 0 else None
            if found is not None:
                data, type_, completed, end = found
                items.append(Event(base + position, base + completed, data, type_))
                position = end
                continue
            end = _line_end(buffer, position) if has_cr else buffer.find(b"\n", position) + 1
            if not end:
                break
            self._line(buffer[position : end - 1], base + position, base + end, items)
            position = self._after_line_end(buffer, end)
        if position < len(buffer):
            self._pending = [buffer[position:]]
        self._pending_start = base + position
        return items

    def _after_line_end(self, buffer: bytes, end: int) -> int:
        if buffer[end - 1] == _LF:
            return end
        if end == len(buffer):
            self._skip_lf = True
            return end
        return end + 1 if buffer[end] == _LF else end

    def _line(self, line: bytes, start: int, end: int, items: list[StreamItem]) -> None:
        if not line:
            self._dispatch(end, items)
        elif line[:1] == b":":
            items.append(Comment(start, end, line[1:]))
        elif not self._field(line, start):
            name, _, value = line.partition(b":")
            items.append(IgnoredLine(start, end, name, value))

    def _field(self, line: bytes, start: int) -> bool:
        """Take one field. Return False if the standard says to ignore it."""
        name, _, value = line.partition(b":")
        value = value[1:] if value[:1] == b" " else value
        if name == b"data":
            self._data.append(value)
        elif name == b"event":
            self._type = value
        elif name == b"id" and b"\0" not in value:
            self.last_event_id = value
        elif name == b"retry" and value.isdigit():
            self.retry_ms = value
        else:
            return False
        if self._block_start < 0:
            self._block_start = start
        return True

    def _dispatch(self, end: int, items: list[StreamItem]) -> None:
        if self._block_start < 0:
            return
        if self._data:
            items.append(Event(self._block_start, end, b"\n".join(self._data), self._type))
        else:
            items.append(IgnoredLine(self._block_start, end, b""))
        self._block_start = -1
        self._data = []
        self._type = b""

    def tail(self) -> Tail | None:
        """Return what a stream that ended here would lose. Changes nothing."""
        line = b"".join(self._pending)
        line = b"" if self._skip_lf and line == b"\n" else line
        if self._block_start < 0 and not line:
            return None
        start = self._block_start if self._block_start >= 0 else self._pending_start
        end = self._pending_start + len(line)
        rest = Splitter()
        # A scratch splitter takes the unfinished line, so that this one can be fed on.
        rest._begun, rest._data, rest._type = True, list(self._data), self._type
        if line and line[:1] != b":":
            rest._field(line, 0)
        return Tail(start, end, b"\n".join(rest._data) if rest._data else None, rest._type)


def _take_plain_events(buffer: bytes, start: int, base: int, items: list[StreamItem]) -> int:
    """Take the events with which a buffer begins, as long as all lines are their data: most streams
    have no others. Return where the next item begins.
    """
    at, whole = start, 1
    while whole:
        # Cut into lines, because a single byte is found many times as fast as two.
        lines = buffer[at : at + _LOOKED_AT].split(b"\n")
        whole = len(lines) - 1 & ~1
        if any(lines[1:whole:2]):
            break
        for line in lines[:whole:2]:
            if not line.startswith(_DATA):
                return at
            end = at + len(line) + 2
            data = line[6:] if line.startswith(_SPACED) else line[5:]
            items.append(Event(base + at, base + end, data))
            at = end
    return at


def _event(buffer: bytes, start: int) -> tuple[bytes, bytes, int, int] | None:
    """Return the event of one data line, or of a type and a data line, that begins at ``start``, if
    no CR is in the buffer: its data and type, the end of its bytes, and where the next item begins;
    None if it is none or not whole.
    """
    if not buffer.startswith(_DATA, start):
        match = _TYPED_EVENT(buffer, start)
        return None if match is None else (match[2], match[1], match.end(), match.end())
    line_end = buffer.find(b"\n", start)
    if line_end < 0 or not buffer.startswith(b"\n", line_end + 1):
        return None
    first = start + len(_DATA)
    first += buffer[first] == _SPACE
    return buffer[first:line_end], b"", line_end + 2, line_end + 2


def _event_with_cr(buffer: bytes, start: int) -> tuple[bytes, bytes, int, int] | None:
    """Return the same for one data line, where lines end with LF or CRLF."""
    match = _ONE_LINE_EVENT(buffer, start)
    if match is None:
        return None
    # With CRLF the event is complete at the CR; the LF belongs to no range.
    end = match.end()
    return match[1], b"", end - 1 if buffer.endswith(b"\r\n", start, end) else end, end


def _line_end(buffer: bytes, start: int) -> int:
    """End of the line from ``start``, with its LF or CR; 0 if it is not finished."""
    found = _LINE_END(buffer, start)
    return found.end() if found else 0
