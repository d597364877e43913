"""The operations a reader process runs. Pure functions over values of the core."""

from collections.abc import Callable
from typing import Any

from inspector.archive.readers.extract import extract, request_facts
from inspector.archive.readers.response_json import submitted_analysis
from inspector.core import reading
from inspector.core.json.encoding import encode_json
from inspector.core.pasted.responses import PastedResponse, pasted_responses
from inspector.core.readout import readout
from inspector.core.request.request_echo import without_request
from inspector.core.wire.content_encoding import decompressed
from inspector.core.wire.exchange import Exchange

ReaderOperation = Callable[[Any], Any]


def response_json(exchange: Exchange) -> bytes:
    """Return the JSON that the API answers."""
    return encode_json(submitted_analysis(reading.analyze(exchange)))


def responses(body: bytes) -> tuple[PastedResponse, ...]:
    """Return the responses in a pasted text that holds several."""
    return pasted_responses(body)


OPERATIONS: dict[str, ReaderOperation] = {
    work.__name__: work
    for work in (extract, readout, request_facts, response_json, responses, without_request)
}


def size_of(given: Exchange | bytes) -> int:
    """Decompressed bytes of all bodies: what limits of rate and size count of a reading."""
    if isinstance(given, bytes):
        return len(given)
    request_body = given.request.body if given.request else None
    return len(decompressed(given).body) + len(request_body or b"")
