"""The operations a reader process runs. Pure functions over values of the core."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import msgspec

from inspector.archive.readers.response_json import encode_json, submitted_analysis
from inspector.core import reading
from inspector.core.analysis import Analysis
from inspector.core.pasted.responses import PastedResponse, pasted_responses
from inspector.core.tape import Snapshots, Tape
from inspector.core.wire.content_encoding import decompressed
from inspector.core.wire.exchange import Exchange

ReaderOperation = Callable[[Any], Any]


class Readout(msgspec.Struct, frozen=True):
    """All results of a reading: the full analysis and the tape."""

    analysis: Analysis
    tape: Tape
    snapshots: Snapshots = {}


def readout(exchange: Exchange) -> Readout:
    finished = reading.read(exchange)
    return Readout(finished.analysis(), finished.tape(), finished.snapshots())


def analysis(exchange: Exchange) -> Analysis:
    return reading.analyze(exchange)


def response_json(exchange: Exchange) -> bytes:
    """The JSON that the API answers."""
    return encode_json(submitted_analysis(reading.analyze(exchange)))


def responses(body: bytes) -> tuple[PastedResponse, ...]:
    """The responses in a pasted text that holds several."""
    return pasted_responses(body)


OPERATIONS: dict[str, ReaderOperation] = {
    work.__name__: work for work in (readout, analysis, response_json, responses)
}


def size_of(given: Exchange | bytes) -> int:
    """Bytes to read, after decompression."""
    if isinstance(given, bytes):
        return len(given)
    request_body = given.request.body if given.request else None
    return len(decompressed(given).body) + len(request_body or b"")
