"""The answer of a stored exchange, as it is replayed: status, headers, and reads at their times."""

from __future__ import annotations

import msgspec

from inspector.core.wire.content_encoding import Decompressor
from inspector.core.wire.exchange import Clock, Exchange, Headers, Read, TransportOutcome, clock_of
from inspector.replay.content_types import content_type_of
from inspector.replay.headers import replayed_headers

OK = 200


class RecordedAnswer(msgspec.Struct, frozen=True, kw_only=True):
    """The response that a caller is sent. Times are microseconds since the request was sent."""

    name: str
    """The capture's id, or the name of a file."""
    status: int
    headers: Headers
    """Those that may be replayed, in their order. ``content-length`` is the recorded one."""
    reads: tuple[Read, ...]
    """As stored, content coding included."""
    clock: Clock
    duration_us: int | None
    """When the transport ended; None if only arrivals were recorded."""
    outcome: TransportOutcome
    """How the recorded response ended. Anything but ``ended`` breaks the connection again."""
    assumed: tuple[str, ...] = ()
    """What was not recorded and had to be chosen: ``status``, ``content-type``."""
    dialect: str | None = None
    """The slug of the answer's format where it is known already; None to recognise it."""

    @property
    def content_type(self) -> str | None:
        return next((value for name, value in self.headers if name == "content-type"), None)

    @property
    def byte_length(self) -> int:
        return sum(len(read.data) for read in self.reads)


def answer_of(exchange: Exchange, name: str, dialect: str | None = None) -> RecordedAnswer | None:
    """The answer of an exchange; None if no response came, so that there is nothing to replay.

    ``dialect``: the slug that an analysis found. Where no status was recorded, 200 is assumed, and
    where no content type was, the one that fits the body.
    """
    if exchange.status_code is None and not exchange.body and exchange.fault is not None:
        return None
    headers = replayed_headers(exchange.headers or (), is_coded=_is_coded(exchange))
    assumed = [] if exchange.status_code else ["status"]
    if not any(key == "content-type" for key, _ in headers):
        stated = exchange.content_type
        headers = (("content-type", stated or content_type_of(exchange)), *headers)
        assumed += [] if stated else ["content-type"]
    return RecordedAnswer(
        name=name,
        status=exchange.status_code or OK,
        headers=headers,
        reads=exchange.reads,
        clock=clock_of(exchange.reads),
        duration_us=exchange.ended_at_us,
        outcome=exchange.outcome,
        assumed=tuple(assumed),
        dialect=exchange.dialect or dialect,
    )


def _is_coded(exchange: Exchange) -> bool:
    """True if the stored bytes still have the coding that the headers name. Recorders often write
    decoded bodies next to the original headers.
    """
    uncoder = Decompressor(exchange.headers)
    for read in exchange.reads:
        uncoder.feed(Read(None, read.data))
        if uncoder.is_plain:
            return False
        if uncoder.coding is not None:
            break
    uncoder.end()
    return uncoder.coding is not None and uncoder.coding.is_declared
