"""Trace requests of OTLP, in JSON or Protocol Buffers: an entry for each span."""

import hashlib
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import islice

import msgspec
from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest

from inspector.archive.intake.submission import Submission
from inspector.core.json.document import (
    INVALID_JSON,
    TOO_MANY_VALUES,
    UNREADABLE,
    BadDocument,
    has_too_many_tokens,
    too_many_tokens,
)
from inspector.transfer.entries import FoundExchange, PassedOver, UnreadableEntry
from inspector.transfer.telemetry import protobuf
from inspector.transfer.telemetry.span_documents import (
    ResourceSpans,
    TracesDocument,
    one_span_documents,
    traces_document,
)
from inspector.transfer.telemetry.told_exchange import told_exchange
from inspector.transfer.telemetry.trace_encoding import TraceEncoding
from inspector.transfer.upload_entry import UploadEntry

KEY_PREFIX = "otel"
MAX_REPEATED_BYTES = 128 * 1024 * 1024
"""Bytes of resources and scopes, which the evidence of each of their spans repeats."""


@dataclass(frozen=True, slots=True)
class TraceRequest:
    """A request that was found to be one; its spans are not read yet."""

    span_count: int
    content: TracesDocument | ExportTraceServiceRequest

    def entries(self, start: int = 0) -> Iterator[UploadEntry]:
        """Without the first ``start``."""
        documents = one_span_documents(self._resources())
        for number, document in islice(enumerate(documents, 1), start, None):
            yield _entry(number, document)

    def _resources(self) -> Iterable[ResourceSpans]:
        if isinstance(self.content, TracesDocument):
            return self.content.resource_spans
        return protobuf.documents_of(self.content)


def trace_request(body: bytes, encoding: TraceEncoding) -> TraceRequest:
    """Raise ``BadDocument``. Bounded before anything is made of the body."""
    if encoding is TraceEncoding.PROTOBUF:
        request = protobuf.parsed_request(body)
        _require_few_repeats(protobuf.repeated_bytes(request))
        return TraceRequest(protobuf.span_count(request), request)
    document = _document_of(body)
    _require_few_repeats(document.repeated_bytes)
    return TraceRequest(document.span_count, document)


def _require_few_repeats(repeated_bytes: int) -> None:
    if repeated_bytes > MAX_REPEATED_BYTES:
        message = f"resources, repeated for each span, are over {MAX_REPEATED_BYTES} bytes"
        raise BadDocument(TOO_MANY_VALUES, message)


def _document_of(text: bytes) -> TracesDocument:
    if has_too_many_tokens(text):
        raise too_many_tokens("body")
    try:
        return traces_document(text)
    except (msgspec.MsgspecError, UnicodeError) as error:
        message = f"the body is no trace request: {str(error)[:300]}"
        raise BadDocument(INVALID_JSON, message) from error


def _entry(number: int, document: bytes) -> UploadEntry:
    try:
        found = told_exchange(document)
    except (msgspec.MsgspecError, UnicodeError) as error:
        return UploadEntry(number, BadDocument(UNREADABLE, f"cannot be read: {str(error)[:100]}"))
    if isinstance(found, PassedOver):
        return UploadEntry(number, found)
    if isinstance(found, UnreadableEntry):
        return UploadEntry(number, BadDocument(UNREADABLE, found.reason))
    assert isinstance(found, FoundExchange)
    return UploadEntry(number, _submission(found, document), len(document))


def _submission(found: FoundExchange, document: bytes) -> Submission:
    return Submission(
        exchange=found.exchange,
        metadata=found.metadata,
        started_at=found.started_at,
        # Exporters repeat what they do not know to have arrived.
        idempotency_key=f"{KEY_PREFIX}:{found.metadata['trace']}:{found.metadata['span']}",
        posted_sha256=hashlib.sha256(document).hexdigest(),
    )
