"""Turns the proxy's messages about one call into records without credentials.

Those of the call are kept here, in memory, until it ends: a body may repeat them.
"""

from collections.abc import Iterator

import msgspec

from inspector.core.credentials import cleaning
from inspector.core.credentials.cleaning import Keyed
from inspector.core.credentials.removal import VERSION, Removal
from inspector.core.credentials.response_body import ResponseBodyMask
from inspector.core.wire.exchange import Read, Request, TransportFault, TransportOutcome
from inspector.proxy.messages import (
    CallBegun,
    CallEnded,
    ReadsForwarded,
    RequestSent,
    ResponseBegun,
)
from inspector.proxy.recorder.call_spool import (
    CallEnd,
    CallHead,
    CallReads,
    CallRequestBody,
    CallResponseHead,
)

FIRST_US = 1
"""Time of the earliest read: 0 would mean that nobody knows when the request was sent."""


class CallCleaner:
    def __init__(self, begun: CallBegun, keyed: Keyed, *, is_in_sample: bool) -> None:
        request = Request(method=begun.method, url=begun.url, headers=begun.headers)
        self._keyed = keyed
        self._carried = cleaning.carried_by(request)
        metadata, in_metadata = cleaning.clean_metadata(dict(begun.metadata), self._carried)
        request, self._removal = cleaning.clean_request_head(
            request, Removal(version=VERSION, metadata=in_metadata), self._carried
        )
        self._mask = ResponseBodyMask((), self._carried)
        self._received = 0
        self._counted = 0
        self.head = CallHead(
            call=begun.call,
            team_id=begun.team_id,
            key_id=begun.key_id,
            upstream=begun.upstream,
            session=begun.session,
            started_at=begun.started_at,
            is_in_sample=is_in_sample,
            request=request,
            tags=begun.tags,
            metadata=metadata,
            removal=self._removal,
        )

    def request_body(self, sent: RequestSent) -> CallRequestBody:
        body, self._removal = cleaning.clean_request_body(
            sent.data, self._removal, self._carried, self._keyed
        )
        return CallRequestBody(
            data=body or b"",
            total_bytes=sent.byte_length if sent.byte_length > len(sent.data) else None,
            removal=self._removal,
        )

    def response_head(self, begun: ResponseBegun) -> CallResponseHead:
        headers, self._removal = cleaning.clean_response_headers(
            begun.headers, self._removal, self._carried
        )
        self._mask = ResponseBodyMask(headers, self._carried)
        return CallResponseHead(status=begun.status, headers=headers or (), removal=self._removal)

    def reads(self, forwarded: ReadsForwarded) -> CallReads | None:
        """Return None if all of it may be the beginning of a credential."""
        reads = [
            Read(max(at_us, FIRST_US), data)
            for at_us, data in zip(forwarded.at_us, forwarded.data, strict=True)
        ]
        self._received += sum(map(len, forwarded.data))
        return self._record(self._mask.feed(reads))

    def end(self, ended: CallEnded) -> Iterator[CallReads | CallEnd]:
        is_cut = ended.byte_length > self._received
        outcome = ended.outcome
        if is_cut and outcome is TransportOutcome.ENDED:
            outcome = TransportOutcome.CAPPED
        total_bytes = ended.byte_length if is_cut else None
        yield from self._last(outcome, ended.fault, ended.at_us, total_bytes)

    def stop(self) -> Iterator[CallReads | CallEnd]:
        """Return the end of a call that goes on without being recorded."""
        return self._last(TransportOutcome.RECORDER_STOPPED, None, None, None)

    def _last(
        self,
        outcome: TransportOutcome,
        fault: TransportFault | None,
        at_us: int | None,
        total_bytes: int | None,
    ) -> Iterator[CallReads | CallEnd]:
        rest = self._record(self._mask.rest())
        if rest is not None:
            yield rest
        removal = cleaning.count_response_body(self._removal, self._mask, self._keyed)
        yield CallEnd(
            outcome=outcome,
            fault=fault,
            at_us=at_us,
            total_bytes=total_bytes,
            removal=removal,
        )

    def _record(self, reads: list[Read]) -> CallReads | None:
        if not reads:
            return None
        return CallReads(
            at_us=[read.at_us or FIRST_US for read in reads],
            data=[read.data for read in reads],
            is_decoded=self._mask.is_decoded,
            removal=self._newly_counted(),
        )

    def _newly_counted(self) -> Removal | None:
        """Return None if the count is the same as before."""
        if self._mask.passages == self._counted:
            return None
        self._counted = self._mask.passages
        counted = cleaning.count_response_body(self._removal, self._mask, self._keyed)
        # The body goes on: only at its end there is a hash of it.
        return msgspec.structs.replace(counted, response_body_was=None)
