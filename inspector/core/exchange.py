"""What came over the wire, as a value: before it is stored and after it is fetched again."""

from __future__ import annotations

from collections.abc import Iterable
from enum import StrEnum

import msgspec


class Outcome(StrEnum):
    """How the connection ended, as far as the one who recorded it knows."""

    OPEN = "open"
    ENDED = "ended"
    CAPPED = "capped"
    CLIENT_CANCELLED = "client-cancelled"
    UPSTREAM_ERROR = "upstream-error"
    UPSTREAM_TIMEOUT = "upstream-timeout"


class Clock(StrEnum):
    """What the times of the reads count from.

    ``recorded``: from the moment the request was sent. ``partial``: from the first read, so gaps
    are known and first-times are not. ``none``: no times at all.
    """

    RECORDED = "recorded"
    PARTIAL = "partial"
    NONE = "none"


class Read(msgspec.Struct, frozen=True):
    """One network read. ``at_us`` is its arrival in microseconds, None where nobody noted it."""

    at_us: int | None
    data: bytes


class Request(msgspec.Struct, frozen=True, kw_only=True):
    """The request that was answered, where it is known. Headers are those that were kept."""

    method: str | None = None
    url: str | None = None
    headers: tuple[tuple[str, str], ...] = ()
    body: bytes | None = None


class Exchange(msgspec.Struct, frozen=True, kw_only=True):
    """One response with what is known of its transport; the evidence that reading starts from."""

    reads: tuple[Read, ...]
    content_type: str | None = None
    status_code: int | None = None
    headers: tuple[tuple[str, str], ...] = ()
    outcome: Outcome = Outcome.ENDED
    request: Request | None = None
    dialect: str | None = None
    """A dialect chosen by a person, used in place of recognition."""

    @classmethod
    def of_body(cls, body: bytes, content_type: str | None = None) -> Exchange:
        """A finished response whose times nobody noted."""
        return cls(reads=(Read(None, body),), content_type=content_type)

    @classmethod
    def of_reads(cls, reads: Iterable[Read], content_type: str | None = None) -> Exchange:
        return cls(reads=tuple(reads), content_type=content_type)

    @property
    def body(self) -> bytes:
        return b"".join(read.data for read in self.reads)


def clock_of(reads: Iterable[Read]) -> Clock:
    """A first read at 0 means that whoever recorded it did not know when the request left."""
    first: int | None = None
    for read in reads:
        if read.at_us is None:
            return Clock.NONE
        if first is None:
            first = read.at_us
    if first is None:
        return Clock.NONE
    return Clock.RECORDED if first > 0 else Clock.PARTIAL
