"""HAR of browsers and proxies: every entry that is a call of a model. It has the moment of each
request, its recorder's timings in milliseconds (kept as metadata), and no time of any read.
"""

import re
from collections.abc import Iterator

import msgspec

from inspector.core.json.document import BadDocument
from inspector.core.wire.completion_paths import is_completion
from inspector.transfer import har
from inspector.transfer.entries import (
    BrokenFile,
    EntryContent,
    FileEntry,
    PassedOver,
    UnreadableEntry,
)
from inspector.transfer.files.completion_calls import completion_or_passed
from inspector.transfer.files.json_list import NoSuchList, list_items
from inspector.transfer.files.records import BYTE_ORDER_MARK
from inspector.transfer.source import FileSource

# As in '{"log": {'.
_BEGINS_HAR = re.compile(rb'\s*\{\s*"log"\s*:\s*\{')
OTHER_MEDIA = ("image/", "font/", "audio/", "video/", "text/css", "text/html", "javascript")
NO_ENTRIES = "the HAR has no list of entries"


def is_har_log(source: FileSource) -> bool:
    return _BEGINS_HAR.match(source.head.removeprefix(BYTE_ORDER_MARK)) is not None


def read_har_log(source: FileSource) -> Iterator[FileEntry]:
    """Raise ``BrokenFile``."""
    for number, text in enumerate(entry_texts(source), start=1):
        yield FileEntry(number, _content(text))


def entry_texts(source: FileSource) -> Iterator[bytes]:
    """Raise ``BrokenFile``."""
    try:
        yield from list_items(source.rewound(), ("log", "entries"))
    except NoSuchList:
        raise BrokenFile(NO_ENTRIES) from None


def _content(text: bytes) -> EntryContent:
    try:
        value = msgspec.json.decode(text)
        summary = next(har.summarize_entries([value]), None)
        if summary is not None and _is_other(summary):
            return PassedOver(f"{summary.method} {summary.path[:200]} has no answer of a model")
        return completion_or_passed(har.parse_entry(value))
    except BadDocument as error:
        return UnreadableEntry(error.message)
    except (msgspec.MsgspecError, UnicodeError) as error:
        return UnreadableEntry(str(error)[:300])


def _is_other(summary: har.HarEntrySummary) -> bool:
    # Preflights and redirects have no content. Of a call to a model that is worth a word, and so is
    # a gateway's page.
    if is_completion(summary.method, summary.path):
        return False
    return summary.length is None or any(word in summary.media_type for word in OTHER_MEDIA)
