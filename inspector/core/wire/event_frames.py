"""Splits binary event frames (``application/vnd.amazon.eventstream``), incrementally.

A frame consists of its length and that of its headers (4 bytes each, the highest first), a CRC-32
of these 8 bytes, the headers, the payload, and a CRC-32 of everything before. A header is a name, a
type, and a value; those that name the event are texts.

Clients stop at a wrong checksum. This is an inspector: a frame whose lengths can be is read, and
what is wrong with it is told with its bytes. After a length that cannot be, no later frame is
found: the rest of the body is one tail.
"""

from zlib import crc32

import msgspec

CONTENT_TYPE = "application/vnd.amazon.eventstream"
PRELUDE = 12
CHECKSUM = 4
MAX_FRAME_BYTES = 25 << 20
"""Length of the longest frame that is read: AWS sends at most 24 MiB with 128 KiB of headers."""
TEXT_TYPE = 7
VALUE_BYTES = {0: 0, 1: 0, 2: 1, 3: 2, 4: 4, 5: 8, 8: 8, 9: 16}
"""Length of a header's value by its type, where the type decides it."""


class FrameFault(msgspec.Struct, frozen=True):
    """A fault of a frame, with the frame's bytes in the body."""

    byte_start: int
    byte_end: int
    message: str


class Frame(msgspec.Struct, frozen=True):
    """One frame. ``type`` is that of its event or exception, "" if its headers name none."""

    byte_start: int
    byte_end: int
    payload: bytes = b""
    type: str = ""
    is_error: bool = False
    faults: tuple[FrameFault, ...] = ()


class FrameTail(msgspec.Struct, frozen=True):
    """The bytes after the last frame. ``fault`` is why no frame begins there, None if it is cut."""

    byte_start: int
    byte_end: int
    fault: FrameFault | None = None


class FrameSplitter:
    """Splits bytes into frames. Feed it in any cutting; each is returned with its last byte."""

    def __init__(self) -> None:
        self._pending: list[bytes] = []
        self._start = 0
        """Where the pending bytes begin in the body."""
        self._length = 0
        self._needed = PRELUDE
        """Bytes that must be there before more can be told."""
        self._lost: FrameFault | None = None

    def feed(self, data: bytes) -> list[Frame]:
        self._length += len(data)
        if self._lost is not None:
            return []
        # Fragments stay apart, so that a frame that arrives byte by byte is joined once.
        self._pending.append(data)
        if self._length < self._needed:
            return []
        buffer, found, at = b"".join(self._pending), list[Frame](), 0
        while self._lost is None and len(buffer) - at >= PRELUDE:
            length = int.from_bytes(buffer[at : at + 4])
            self._lost = _impossible_length(length, self._start + at)
            self._needed = length
            if self._lost is not None or len(buffer) - at < length:
                break
            found.append(read_frame(buffer[at : at + length], self._start + at))
            at, self._needed = at + length, PRELUDE
        self._pending = [buffer[at:]]
        self._start, self._length = self._start + at, len(buffer) - at
        return found

    def tail(self) -> FrameTail | None:
        """Return the bytes that would be lost if the body ended here. Changes nothing."""
        if not self._length:
            return None
        return FrameTail(self._start, self._start + self._length, self._lost)


def _impossible_length(length: int, at: int) -> FrameFault | None:
    if PRELUDE + CHECKSUM <= length <= MAX_FRAME_BYTES:
        return None
    return FrameFault(at, at + 4, f"a frame of {length:,} bytes cannot be")


def begins_frame(head: bytes) -> bool:
    """Return True if the bytes begin with a sound prelude."""
    if len(head) < PRELUDE or _impossible_length(int.from_bytes(head[:4]), 0):
        return False
    return crc32(head[:8]) == int.from_bytes(head[8:PRELUDE])


def payload_range(body: bytes, start: int, end: int) -> tuple[int, int] | None:
    """Return the range of the payload in the frame with this range; None if it is no frame."""
    headers_end = start + PRELUDE + int.from_bytes(body[start + 4 : start + 8])
    is_frame = end - start == int.from_bytes(body[start : start + 4])
    return (headers_end, end - CHECKSUM) if is_frame and headers_end <= end - CHECKSUM else None


def read_frame(frame: bytes, start: int) -> Frame:
    """Read one frame, which begins at a byte of the body. Its length is known to be possible."""
    end = len(frame)
    faults = [*_wrong_checksum(frame, 8, start), *_wrong_checksum(frame, end - CHECKSUM, start)]
    headers_end = PRELUDE + int.from_bytes(frame[4:8])
    if headers_end > end - CHECKSUM:
        faults.append(FrameFault(start + 4, start + 8, "its headers are longer than the frame"))
        return Frame(start, start + end, faults=tuple(faults))
    named, fault_at = _text_headers(frame, headers_end)
    if fault_at is not None:
        message = "a header goes on beyond the headers"
        faults.append(FrameFault(start + fault_at, start + headers_end, message))
    is_event = named.get(":message-type", "event") == "event"
    of_error = named.get(":exception-type") or named.get(":error-code") or ""
    return Frame(
        byte_start=start,
        byte_end=start + end,
        payload=frame[headers_end : end - CHECKSUM] or (b"" if is_event else _error_of(named)),
        type=named.get(":event-type", "") if is_event else of_error,
        is_error=not is_event,
        faults=tuple(faults),
    )


def _error_of(named: dict[str, str]) -> bytes:
    """Return an error whose message stands in the headers, spelt like an exception's payload."""
    message = named.get(":error-message")
    return b"{}" if message is None else msgspec.json.encode({"message": message})


def _wrong_checksum(frame: bytes, at: int, start: int) -> tuple[FrameFault, ...]:
    """Return the fault of a checksum, which covers all bytes before it; none of a right one."""
    stated, counted = int.from_bytes(frame[at : at + CHECKSUM]), crc32(frame[:at])
    if stated == counted:
        return ()
    of = "its lengths" if at == 8 else "the frame"
    message = f"the checksum of {of} is {stated:08x}, not {counted:08x}"
    return (FrameFault(start + at, start + at + CHECKSUM, message),)


def _text_headers(frame: bytes, end: int) -> tuple[dict[str, str], int | None]:
    """Return the headers that are texts by name, and where the first begins that has no end."""
    found, at = dict[str, str](), PRELUDE
    while at < end:
        name_end = at + 1 + frame[at]
        kind = frame[name_end] if name_end < end else TEXT_TYPE
        value = name_end + 1
        length = VALUE_BYTES.get(kind)
        if length is None:
            length = int.from_bytes(frame[value : value + 2])
            value += 2
        if value + length > end:
            return found, at
        if kind == TEXT_TYPE:
            name = frame[at + 1 : name_end].decode(errors="replace")
            found[name] = frame[value : value + length].decode(errors="replace")
        at = value + length
    return found, None
