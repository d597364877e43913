"""Spans of OpenTelemetry in OTLP's JSON, as exporters and collectors write it into files: documents
of many spans, alone or one in each line.
"""

from collections.abc import Iterator
from itertools import count

import msgspec

from inspector.transfer.entries import FileEntry, UnreadableEntry
from inspector.transfer.files.records import TOO_LONG, RecordLook, records
from inspector.transfer.source import FileSource
from inspector.transfer.telemetry.span_documents import one_span_documents, traces_document
from inspector.transfer.telemetry.told_exchange import told_exchange


def is_otlp_spans(look: RecordLook) -> bool:
    return isinstance(look.first.get("resourceSpans"), list)


def read_otlp_spans(source: FileSource) -> Iterator[FileEntry]:
    """Yield an entry for each span, counted through the file; and one for a line that cannot be
    read.
    """
    numbers = count(1)
    for record in records(source):
        if record.text is None:
            yield FileEntry(next(numbers), UnreadableEntry(TOO_LONG))
            continue
        try:
            for document in one_span_documents(traces_document(record.text).resource_spans):
                yield FileEntry(next(numbers), told_exchange(document))
        except (msgspec.MsgspecError, UnicodeError) as error:
            yield FileEntry(next(numbers), UnreadableEntry(str(error)[:300]))
