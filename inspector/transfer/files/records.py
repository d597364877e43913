"""JSON records of a file: one in each line, the items of a list, or one document alone."""

import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import partial
from typing import Any

import msgspec

from inspector.core.wire.batch_lines import BatchLine, LineFault, split_lines
from inspector.transfer.entries import BrokenFile, EntryContent, FileEntry, UnreadableEntry
from inspector.transfer.files.json_list import LONGEST_ITEM_BYTES, NoSuchList, list_items
from inspector.transfer.source import FileSource

STEP_BYTES = 1 << 16
"""Read at a time; a record is in memory whole."""
BYTE_ORDER_MARK = b"\xef\xbb\xbf"
TOO_LONG = f"the line is over {LONGEST_ITEM_BYTES >> 20} MiB"

# As in '{"data": ['.
_BEGINS_LIST_MEMBER = re.compile(rb'\s*\{\s*"data"\s*:\s*\[')

JsonObject = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class JsonRecord:
    """``text`` is the JSON as it stands in the file; None where it is longer than any record."""

    number: int
    text: bytes | None


@dataclass(frozen=True, slots=True)
class RecordLook:
    """The first record of a file, and whether others follow: what kinds of records are told by."""

    first: JsonObject
    has_more: bool


def look_at_records(source: FileSource) -> RecordLook | None:
    """None where the file does not begin with a JSON object, alone, in a line or in a list."""
    try:
        found = records(source)
        first = next(found, None)
        value = _object(first.text) if first and first.text else None
        return None if value is None else RecordLook(value, next(found, None) is not None)
    except BrokenFile:
        return None


def read_records(read: Callable[[bytes], EntryContent], source: FileSource) -> Iterator[FileEntry]:
    """Read each record. What ``read`` cannot decode it may raise as ``msgspec`` does."""
    for record in records(source):
        text = record.text
        content = UnreadableEntry(TOO_LONG) if text is None else _content_of(text, read)
        yield FileEntry(record.number, content)


def _content_of(text: bytes, read: Callable[[bytes], EntryContent]) -> EntryContent:
    try:
        return read(text)
    except (msgspec.MsgspecError, UnicodeError) as error:
        return UnreadableEntry(str(error)[:300])


def reader_of_records(
    read: Callable[[bytes], EntryContent],
) -> Callable[[FileSource], Iterator[FileEntry]]:
    return partial(read_records, read)


def records(source: FileSource) -> Iterator[JsonRecord]:
    """Raise ``BrokenFile`` where a list ends too early."""
    head = source.head.removeprefix(BYTE_ORDER_MARK)
    if head.lstrip()[:1] == b"[":
        return _in_list(source, ())
    if _BEGINS_LIST_MEMBER.match(head):
        return _in_list(source, ("data",))
    return _in_lines(source) if _is_lines(source, head) else _alone(source)


def _in_list(source: FileSource, path: tuple[str, ...]) -> Iterator[JsonRecord]:
    try:
        for number, text in enumerate(list_items(source.rewound(), path), start=1):
            yield JsonRecord(number, text)
    except NoSuchList:
        raise BrokenFile("no list is there, although the file begins like one") from None


def _is_lines(source: FileSource, head: bytes) -> bool:
    """Tell whether the first line that is not blank is a value of its own: one that goes on in the
    next line is a document printed for people.
    """
    begun, end, _ = head.lstrip().partition(b"\n")
    if not begun.startswith(b"{"):
        return False
    # Without an end the line is longer than the head: a document for people has short ones.
    return not end or _object(begun) is not None


def _in_lines(source: FileSource) -> Iterator[JsonRecord]:
    for line in split_lines(_pieces(source), LONGEST_ITEM_BYTES):
        if line.fault is LineFault.TOO_LONG:
            yield JsonRecord(line.number, None)
        elif text := _without_mark(line).strip():
            yield JsonRecord(line.number, text)


def _pieces(source: FileSource) -> Iterator[bytes]:
    """Yield the file in steps, with a newline at its end: many writers leave the last one out."""
    stream, last = source.rewound(), b"\n"
    while piece := stream.read(STEP_BYTES):
        last = piece
        yield piece
    if not last.endswith(b"\n"):
        yield b"\n"


def _without_mark(line: BatchLine) -> bytes:
    return line.text.removeprefix(BYTE_ORDER_MARK) if line.number == 1 else line.text


def _alone(source: FileSource) -> Iterator[JsonRecord]:
    text = source.rewound().read(LONGEST_ITEM_BYTES + 1)
    if len(text) > LONGEST_ITEM_BYTES:
        yield JsonRecord(1, None)
    else:
        yield JsonRecord(1, text.removeprefix(BYTE_ORDER_MARK))


def _object(text: bytes) -> JsonObject | None:
    try:
        value = msgspec.json.decode(text)
    except (msgspec.MsgspecError, UnicodeError, RecursionError):
        return None
    return value if isinstance(value, dict) else None
