"""Files that are one response: the body itself, or a recording of its reads."""

from collections.abc import Iterator
from pathlib import PurePath

from inspector.core.wire import recorded_reads as reads
from inspector.core.wire.exchange import Exchange
from inspector.transfer.entries import FileEntry, FoundExchange, UnreadableEntry
from inspector.transfer.source import FileSource

CONTENT_TYPES = {
    ".json": "application/json",
    ".sse": "text/event-stream",
    ".ndjson": "application/x-ndjson",
    ".txt": "text/plain",
}


def is_recorded_reads(source: FileSource) -> bool:
    return source.name.endswith(reads.ENDING) or reads.looks_like_reads(source.head)


def read_recorded_reads(source: FileSource) -> Iterator[FileEntry]:
    try:
        found = tuple(reads.reads_of(source.rewound().read()))
        yield FileEntry(1, FoundExchange(Exchange(reads=found)))
    except reads.BadLine as error:
        yield FileEntry(1, UnreadableEntry(str(error)))


def read_body(source: FileSource) -> Iterator[FileEntry]:
    content_type = CONTENT_TYPES.get(PurePath(source.name).suffix)
    exchange = Exchange.of_body(source.rewound().read(), content_type)
    yield FileEntry(1, FoundExchange(exchange))
