"""An exchange as a value, independent of how it was recorded and stored."""

from __future__ import annotations

from collections.abc import Iterable
from enum import StrEnum

import msgspec

Headers = tuple[tuple[str, str], ...]
"""Names and values in their order, repeated names included."""


class TransportOutcome(StrEnum):
    """How the connection ended, as far as the recorder knows."""

    OPEN = "open"
    ENDED = "ended"
    CAPPED = "capped"
    CLIENT_CANCELLED = "client-cancelled"
    UPSTREAM_ERROR = "upstream-error"
    UPSTREAM_TIMEOUT = "upstream-timeout"
    RECORDER_STOPPED = "recorder-stopped"
    """The proxy ended before the response did."""


class TransportFault(StrEnum):
    """Why our proxy could not carry a call to its end."""

    ADDRESS_REFUSED = "address-refused"
    """The upstream's name led to an address that calls may not go to."""
    UNREACHABLE = "unreachable"
    """No connection: no such name, refused, or no route."""
    TLS = "tls"
    """The upstream's certificate does not hold, or no common protocol."""
    CONNECT_TIMEOUT = "connect-timeout"
    RESPONSE_TIMEOUT = "response-timeout"
    """Connected, and nothing came for too long."""
    BROKEN_RESPONSE = "broken-response"
    """The response is no HTTP, or ended before what it had announced."""
    REQUEST_ABORTED = "request-aborted"
    """The caller's request ended before what it had announced."""


class Clock(StrEnum):
    """The zero point of the reads' times.

    ``recorded``: the moment the request was sent. ``partial``: the first read, so that gaps are
    known but not the time to the first byte. ``none``: no times at all.
    """

    RECORDED = "recorded"
    PARTIAL = "partial"
    NONE = "none"


class MeasuredBy(StrEnum):
    """The program that measured the times of the reads.

    ``proxy``: our own, between client and upstream. ``client``: the client that made the request,
    by its own clock. ``submitted``: times came with the response, and nothing says who measured
    them. ``nobody``: there are no times.
    """

    PROXY = "proxy"
    CLIENT = "client"
    SUBMITTED = "submitted"
    NOBODY = "nobody"


class Read(msgspec.Struct, frozen=True):
    """One network read. ``at_us`` is its arrival in microseconds, None if it was not recorded."""

    at_us: int | None
    data: bytes


class Request(msgspec.Struct, frozen=True, kw_only=True):
    """The request, as far as it is known. Of its headers only harmless ones are kept."""

    method: str | None = None
    url: str | None = None
    headers: Headers | None = None
    """None if they are not known."""
    body: bytes | None = None
    total_bytes: int | None = None
    """Length of the whole body, if only its beginning was kept."""


class Exchange(msgspec.Struct, frozen=True, kw_only=True):
    """One response with what is known of its transport: the evidence for the analysis."""

    reads: tuple[Read, ...]
    content_type: str | None = None
    status_code: int | None = None
    headers: Headers | None = None
    """None if they are not known."""
    outcome: TransportOutcome = TransportOutcome.ENDED
    request: Request | None = None
    measured_by: MeasuredBy | None = None
    """As the sender states it; None if it states nothing."""
    ended_at_us: int | None = None
    """When the transport ended, by the clock of the reads; None if that is not known. Behind the
    last read it tells of a silence that nothing ended but the end.
    """
    dialect: str | None = None
    """A dialect chosen by a person; the body is then not recognised."""
    fault: TransportFault | None = None
    """Why our proxy could not carry the call to its end; None if it could, or was not there."""
    total_bytes: int | None = None
    """Length of the whole body, if only its beginning was kept."""

    @classmethod
    def of_body(cls, body: bytes, content_type: str | None = None) -> Exchange:
        """Return a finished response without recorded times."""
        return cls(reads=(Read(None, body),), content_type=content_type)

    @classmethod
    def of_reads(cls, reads: Iterable[Read], content_type: str | None = None) -> Exchange:
        return cls(reads=tuple(reads), content_type=content_type)

    @property
    def body(self) -> bytes:
        if len(self.reads) == 1:
            return self.reads[0].data
        return b"".join(read.data for read in self.reads)


def measured_by_of(stated: MeasuredBy | None, clock: Clock) -> MeasuredBy:
    """Return who measured the times: nobody if there are none, whatever is stated."""
    if clock is Clock.NONE:
        return MeasuredBy.NOBODY
    return stated or MeasuredBy.SUBMITTED


def clock_of(reads: Iterable[Read]) -> Clock:
    """Return the clock of the reads. A first read at 0: nobody knew when the request was sent."""
    first: int | None = None
    for read in reads:
        if read.at_us is None:
            return Clock.NONE
        if first is None:
            first = read.at_us
    if first is None:
        return Clock.NONE
    return Clock.RECORDED if first > 0 else Clock.PARTIAL
