"""Evidence between its two forms: an exchange as a value, and three packed columns."""

from __future__ import annotations

from collections.abc import Iterator

import msgspec
import zstandard

from inspector.archive.models import Capture, Evidence
from inspector.core.exchange import Exchange, Outcome, Read, Request

ZSTD_LEVEL = 3


class Cutting(msgspec.Struct, frozen=True, array_like=True):
    """Where each read ends, and when it came: None for all where nobody noted it."""

    byte_end: list[int]
    at_us: list[int | None]


class Surroundings(msgspec.Struct, frozen=True):
    """What came with the body and is not a column of its own."""

    headers: tuple[tuple[str, str], ...] = ()
    request: Request | None = None


def pack(capture: Capture, exchange: Exchange, body: bytes) -> Evidence:
    surroundings = Surroundings(exchange.headers, exchange.request)
    return Evidence(
        capture=capture,
        body=zstandard.compress(body, ZSTD_LEVEL),
        reads=_compressed(cutting_of(exchange)),
        surroundings=_compressed(surroundings),
    )


def unpack(capture: Capture, evidence: Evidence) -> Exchange:
    cutting = msgspec.msgpack.decode(zstandard.decompress(evidence.reads), type=Cutting)
    around = msgspec.msgpack.decode(zstandard.decompress(evidence.surroundings), type=Surroundings)
    return Exchange(
        reads=tuple(_reads(zstandard.decompress(evidence.body), cutting)),
        content_type=capture.content_type,
        status_code=capture.status_code,
        headers=around.headers,
        outcome=Outcome(capture.outcome),
        request=around.request,
        dialect=capture.dialect_hint,
    )


def cutting_of(exchange: Exchange) -> Cutting:
    byte_end, end = [], 0
    for read in exchange.reads:
        end += len(read.data)
        byte_end.append(end)
    return Cutting(byte_end, [read.at_us for read in exchange.reads])


def _reads(body: bytes, cutting: Cutting) -> Iterator[Read]:
    start = 0
    for at_us, end in zip(cutting.at_us, cutting.byte_end, strict=True):
        yield Read(at_us, body[start:end])
        start = end


def _compressed(value: msgspec.Struct) -> bytes:
    return zstandard.compress(msgspec.msgpack.encode(value), ZSTD_LEVEL)
