"""The bytes of a body that may come in chunks, piece by piece, with their coding undone."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress

from django.conf import settings
from django.http import HttpRequest

from api.api_error import ApiError
from api.body import PIECE_BYTES, declared_length, decoder_of, limit_size, refuse_forms
from inspector.web.client_address import client_network_of
from inspector.web.client_timeout import allowed_seconds, finishes_within

SEND_LINES_HINT = (
    "send envelopes, one a line: with curl, by --data-binary and"
    " -H 'Content-Type: application/x-ndjson'"
)

ReadPiece = Callable[[int], bytes]


class BodyCut(Exception):
    """Less came than was announced."""


def stream_body(request: HttpRequest) -> Iterator[bytes]:
    """Yields the decoded body in pieces. Faults in the headers are raised at once, others during
    iteration.
    """
    refuse_forms(request, SEND_LINES_HINT)
    decode = decoder_of(request)
    if request.META.get("CONTENT_LENGTH"):
        length = declared_length(request, settings.MAX_BATCH_BYTES, _batch_too_large)
        return limit_size(
            decode(_require_length(_read_stream(request.read, client_network_of(request)), length)),
            settings.MAX_BATCH_BYTES,
            _batch_too_large,
        )
    # Django takes a body without a length for an empty one; its server knows where chunks end.
    return limit_size(
        decode(_read_stream(request.META["wsgi.input"].read, client_network_of(request))),
        settings.MAX_BATCH_BYTES,
        _batch_too_large,
    )


def _read_stream(read: ReadPiece, asker: str) -> Iterator[bytes]:
    waited, came = 0.0, 0
    while True:
        started = time.monotonic()
        piece = _read_piece(read, allowed_seconds(came) - waited, asker)
        waited += time.monotonic() - started
        came += len(piece)
        if not piece:
            return
        yield piece


def _read_piece(read: ReadPiece, seconds: float, asker: str) -> bytes:
    found: list[bytes] = []

    def fetch() -> None:
        # A connection that ends early ends the reading.
        with suppress(OSError):
            found.append(read(PIECE_BYTES))

    if not finishes_within(fetch, seconds, asker):
        raise ApiError(408, "body_too_slow", "the body did not come in time")
    return found[0] if found else b""


def _require_length(pieces: Iterable[bytes], length: int) -> Iterator[bytes]:
    came = 0
    for piece in pieces:
        came += len(piece)
        yield piece
    if came < length:
        raise BodyCut(f"{length} bytes were announced, {length - came} of them did not come")


def _batch_too_large() -> ApiError:
    message = f"the batch is over {settings.MAX_BATCH_BYTES} bytes (MAX_BATCH_BYTES)"
    return ApiError(413, "batch_too_large", message)
