"""The bytes of a body that may come in chunks, piece by piece, with their coding undone."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress

from django.conf import settings
from django.http import HttpRequest

from api.body import PIECE_BYTES, bounded, declared_length, decoder, refuse_forms
from api.refusal import Refusal
from inspector.patience import allowed_seconds, finishes
from inspector.peers import asker_of

AS_LINES = (
    "send envelopes, one a line: with curl, by --data-binary and"
    " -H 'Content-Type: application/x-ndjson'"
)

Read = Callable[[int], bytes]


class Cut(Exception):
    """Less came than was announced."""


def pieces_of(request: HttpRequest) -> Iterator[bytes]:
    """What headers tell is refused here and now, the rest while the pieces are taken."""
    refuse_forms(request, AS_LINES)
    decode = decoder(request)
    if request.META.get("CONTENT_LENGTH"):
        length = declared_length(request, settings.MAX_BATCH_BYTES, _too_large)
        return bounded(
            decode(_counted(_wire(request.read, asker_of(request)), length)),
            settings.MAX_BATCH_BYTES,
            _too_large,
        )
    # Django takes a body without a length for an empty one; its server knows where chunks end.
    return bounded(
        decode(_wire(request.META["wsgi.input"].read, asker_of(request))),
        settings.MAX_BATCH_BYTES,
        _too_large,
    )


def _wire(read: Read, asker: str) -> Iterator[bytes]:
    waited, came = 0.0, 0
    while True:
        started = time.monotonic()
        piece = _next(read, allowed_seconds(came) - waited, asker)
        waited += time.monotonic() - started
        came += len(piece)
        if not piece:
            return
        yield piece


def _next(read: Read, seconds: float, asker: str) -> bytes:
    found: list[bytes] = []

    def fetch() -> None:
        # A connection that ends early ends the reading.
        with suppress(OSError):
            found.append(read(PIECE_BYTES))

    if not finishes(fetch, seconds, asker):
        raise Refusal(408, "body_too_slow", "the body did not come in time")
    return found[0] if found else b""


def _counted(pieces: Iterable[bytes], length: int) -> Iterator[bytes]:
    came = 0
    for piece in pieces:
        came += len(piece)
        yield piece
    if came < length:
        raise Cut(f"{length} bytes were announced, {length - came} of them did not come")


def _too_large() -> Refusal:
    message = f"the batch is over {settings.MAX_BATCH_BYTES} bytes (MAX_BATCH_BYTES)"
    return Refusal(413, "batch_too_large", message)
