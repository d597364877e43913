"""Kinds of uploads that are cut into captures later: who may send one, and how it is cut."""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass

from inspector.archive.intake.sent_with import SentWith
from inspector.teams.access import INGEST, TELEMETRY
from inspector.transfer.telemetry.trace_encoding import TraceEncoding
from inspector.transfer.upload_entry import UploadEntry
from inspector.transfer.uploads.files import FILE, file_entries, uploaded_file


@dataclass(frozen=True, slots=True)
class UploadKind:
    """``entries`` of a body are those behind a number of them, the same in the same order whenever
    it is cut; each that is stored has an idempotency key. Raises ``BadDocument``.
    """

    scope: str
    entries: Callable[[bytes, SentWith, int], Iterator[UploadEntry]]


def _spans(encoding: TraceEncoding) -> UploadKind:
    def entries(body: bytes, sent: SentWith, start: int) -> Iterator[UploadEntry]:
        # Imported by who cuts spans: Protocol Buffers load many modules.
        from inspector.transfer.telemetry.trace_requests import trace_request

        return trace_request(body, encoding).entries(start)

    return UploadKind(TELEMETRY, entries)


KINDS: Mapping[str, UploadKind] = {
    **{str(encoding): _spans(encoding) for encoding in TraceEncoding},
    FILE: UploadKind(
        INGEST, lambda body, sent, start: file_entries(uploaded_file(body), sent, start)
    ),
}
