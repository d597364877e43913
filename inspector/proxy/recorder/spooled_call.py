"""A call as its records tell it, as far as they go."""

from collections.abc import Iterable, Sequence
from datetime import UTC, datetime
from uuid import UUID

import msgspec

from inspector.archive.intake.recording import Recording
from inspector.core.credentials.response_body import joined, without_coding
from inspector.core.wire.exchange import (
    Exchange,
    Headers,
    MeasuredBy,
    Read,
    TransportFault,
    TransportOutcome,
)
from inspector.proxy.recorder.call_spool import (
    CallEnd,
    CallHead,
    CallReads,
    CallRecord,
    CallRequestBody,
    CallResponseHead,
)

OUTCOMES_OF_FAILURE = (TransportOutcome.UPSTREAM_ERROR, TransportOutcome.UPSTREAM_TIMEOUT)
MIN_ERROR_STATUS = 400


def is_failed(
    status: int | None, outcome: TransportOutcome | None, fault: TransportFault | None
) -> bool:
    """Return True for calls that are kept whatever the sample is."""
    is_refused = status is not None and status >= MIN_ERROR_STATUS
    return is_refused or fault is not None or outcome in OUTCOMES_OF_FAILURE


class SpooledCall:
    """Takes the records of one call in their order, the head first."""

    def __init__(self, head: CallHead) -> None:
        self.head = head
        self.request = head.request
        self.removal = head.removal
        self.status: int | None = None
        self.headers: Headers | None = None
        self.is_decoded = False
        self.end: CallEnd | None = None
        self._came: list[Read] = []
        self._decoded: list[Read] = []

    @property
    def id(self) -> UUID:
        return self.head.call

    @property
    def is_wanted(self) -> bool:
        """False where the sample leaves it out."""
        outcome, fault = (self.end.outcome, self.end.fault) if self.end else (None, None)
        return self.head.is_in_sample or is_failed(self.status, outcome, fault)

    def add(self, records: Iterable[CallRecord]) -> None:
        for record in records:
            self._add(record)
            if not isinstance(record, CallHead) and record.removal is not None:
                self.removal = record.removal

    def _add(self, record: CallRecord) -> None:
        if isinstance(record, CallRequestBody):
            self.request = msgspec.structs.replace(
                self.request, body=record.data, total_bytes=record.total_bytes
            )
        elif isinstance(record, CallResponseHead):
            self.status, self.headers = record.status, record.headers
        elif isinstance(record, CallReads):
            self.is_decoded = self.is_decoded or record.is_decoded
            (self._decoded if self.is_decoded else self._came).extend(reads_of(record))
        elif isinstance(record, CallEnd):
            self.end = record

    def recording(self) -> Recording:
        return Recording(
            id=self.head.call,
            team_id=self.head.team_id,
            key_id=self.head.key_id,
            upstream=self.head.upstream,
            session=self.head.session,
            started_at=datetime.fromtimestamp(self.head.started_at, UTC),
            exchange=self._exchange(),
            removal=self.removal,
            tags=self.head.tags,
            metadata=self.head.metadata,
        )

    def _exchange(self) -> Exchange:
        headers, reads = self.headers, self._came
        if self.is_decoded:
            reads = joined(headers, self._came, self._decoded)
            headers = without_coding(headers)
        types = (value for name, value in headers or () if name.lower() == "content-type")
        return Exchange(
            reads=tuple(reads),
            content_type=next(types, None),
            status_code=self.status,
            headers=headers,
            outcome=self.end.outcome if self.end else TransportOutcome.RECORDER_STOPPED,
            request=self.request,
            measured_by=MeasuredBy.PROXY,
            fault=self.end.fault if self.end else None,
            total_bytes=self.end.total_bytes if self.end else None,
            ended_at_us=self.end.at_us if self.end else None,
        )


def spooled_call(records: Sequence[CallRecord]) -> SpooledCall | None:
    """Return None if the records have no head."""
    head = records[0] if records else None
    if not isinstance(head, CallHead):
        return None
    call = SpooledCall(head)
    call.add(records[1:])
    return call


def reads_of(record: CallReads) -> list[Read]:
    return [Read(at_us, data) for at_us, data in zip(record.at_us, record.data, strict=True)]
