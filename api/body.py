"""Reads a request body: whole or in pieces, in time, within a limit, with its coding undone and
parsed where it is JSON; or refuses it.

A content coding is transport: what comes out is the evidence, a whole document or nothing. Memory
stays bounded: codings are undone piece by piece, and a batch is split into lines as it comes.
"""

from __future__ import annotations

import re
import time
import zlib
from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from functools import partial
from io import BytesIO
from typing import Any, TypeVar

import msgspec
import zstandard
from django.conf import settings
from django.http import HttpRequest

from api.api_error import ApiError
from inspector.core.decoded_types import built
from inspector.core.json.document import strict_value
from inspector.core.wire.content_encoding import SLICE_BYTES, ZSTD_WINDOW_BYTES
from inspector.web.client_address import client_network_of
from inspector.web.client_timeout import (
    DEFAULT_WAIT_SECONDS,
    allowed_seconds,
    finishes_within,
    is_too_slow,
)

PIECE_BYTES = 1 << 16
"""Bytes that a batch holds of its body at a time, besides the line that has not ended."""
FORM_TYPES = ("multipart/", "application/x-www-form-urlencoded")
SEND_BYTES_HINT = (
    "a form would change the bytes: send them as they are, with curl by --data-binary and"
    " a Content-Type such as application/json or text/event-stream"
)
SEND_LINES_HINT = (
    "send envelopes, one a line: with curl, by --data-binary and"
    " -H 'Content-Type: application/x-ndjson'"
)
SEND_JSON_HINT = "send the body as JSON: with curl, add -H 'Content-Type: application/json'"

STORED_LIMIT, WAIT_LIMIT = "MAX_BODY_BYTES", "MAX_WAIT_BYTES"
"""The limits of a body by what is done with it: kept, or read while its sender waits."""
# Most bytes of decompressed output per call, so that a limit is noticed before the memory is spent.
STEP_BYTES = 1 << 18

Decoder = Callable[[Iterable[bytes]], Iterator[bytes]]
ReadPiece = Callable[[int], bytes]
Body = TypeVar("Body", bound=msgspec.Struct)

# As in "1048576". More digits would be past 64 bits, and no length of a body.
_LENGTH = re.compile(r"[0-9]{1,18}")


class BrokenContentEncoding(Exception):
    """The body does not match its ``Content-Encoding``, ends early, or goes on after the end."""


class BodyCut(Exception):
    """Less came than was announced."""


# -- a whole body ---------------------------------------------------------------------------------


def read_body(request: HttpRequest, limit: str = STORED_LIMIT) -> bytes:
    """Return it decoded. The order of the checks is that of their cost."""
    refuse_forms(request)
    return read_within(request, getattr(settings, limit), lambda: _body_too_large(limit))


def read_json(request: HttpRequest, body_type: type[Body]) -> Body:
    """Return a JSON body that is not evidence (PATCH); unknown members are refused by name."""
    refuse_forms(request, SEND_JSON_HINT)
    return parse_json(read_within(request, settings.MAX_BODY_BYTES, _body_too_large), body_type)


def parse_json(body: bytes, body_type: type[Body]) -> Body:
    return convert(strict_value(body, "body"), body_type)


def convert(value: Any, body_type: type[Body]) -> Body:
    """Return the Struct that a parsed body is. Raises ``ApiError`` that names what it is not."""
    try:
        return msgspec.convert(value, built(body_type))
    except msgspec.ValidationError as error:
        raise ApiError(422, "invalid_body", str(error)[:500]) from error


def read_within(
    request: HttpRequest,
    largest: int,
    too_large: Callable[[], ApiError],
    first_seconds: float = DEFAULT_WAIT_SECONDS,
) -> bytes:
    """Return it decoded, of any content type, up to a number of bytes."""
    decode = decoder_of(request)
    length = declared_length(request, largest, too_large)
    pieces = _read_whole(request, length, allowed_seconds(length, first_seconds))
    try:
        # Once only to count: what turns out to be a bomb was never held.
        for _ in limit_size(decode(pieces), largest, too_large):
            pass
        body = b"".join(decode(pieces))
    except BrokenContentEncoding as error:
        raise ApiError(400, "coding_broken", str(error)) from error
    if not body:
        raise ApiError(400, "body_empty", "there is nothing to keep: the body is empty")
    return body


def media_type(request: HttpRequest) -> str:
    return str(request.content_type or "").strip().lower()


def refuse_forms(request: HttpRequest, message: str = SEND_BYTES_HINT) -> None:
    if media_type(request).startswith(FORM_TYPES):
        raise ApiError(415, "form_encoded", message)


def decoder_of(request: HttpRequest) -> Decoder:
    coding = request.META.get("HTTP_CONTENT_ENCODING", "").strip().lower()
    if coding not in DECODERS:
        message = "one Content-Encoding of gzip, deflate or zstd is understood"
        raise ApiError(415, "unknown_coding", message)
    return DECODERS[coding]


def declared_length(request: HttpRequest, largest: int, too_large: Callable[[], ApiError]) -> int:
    text = request.META.get("CONTENT_LENGTH", "")
    if not text:
        raise ApiError(411, "length_required", "send a Content-Length")
    if not _LENGTH.fullmatch(text):
        raise ApiError(400, "bad_request", "the Content-Length is no length")
    if int(text) > largest:
        raise too_large()
    return int(text)


def _read_whole(request: HttpRequest, length: int, seconds: float) -> list[bytes]:
    """Read the body in pieces. A server may hand on an upload that was cut as if it were whole, so
    bytes are counted.
    """
    pieces: list[bytes] = []
    work = partial(_read_into, request, length, pieces)
    if isinstance(request.META.get("wsgi.input"), BytesIO):
        # All of it is here already: two turns of threads would be for nothing.
        work()
    elif not finishes_within(work, seconds, client_network_of(request)):
        raise ApiError(408, "body_too_slow", "the body did not come in time")
    missing = length - sum(map(len, pieces))
    if missing:
        message = f"{length} bytes were announced, {missing} of them did not come"
        raise ApiError(400, "body_incomplete", message)
    return pieces


def _read_into(request: HttpRequest, length: int, pieces: list[bytes]) -> None:
    # A connection that ends early ends the reading; the count tells.
    try:
        while length and (piece := request.read(min(PIECE_BYTES, length))):
            pieces.append(piece)
            length -= len(piece)
    except OSError as error:
        if is_too_slow(error):
            raise TimeoutError from error


# -- a body in pieces, which may come in chunks ---------------------------------------------------


def stream_body(request: HttpRequest) -> Iterator[bytes]:
    """Yield the decoded body. Faults in headers are raised at once, others during iteration."""
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


def limit_size(
    pieces: Iterable[bytes], largest: int, too_large: Callable[[], ApiError]
) -> Iterator[bytes]:
    """Yield the pieces themselves, up to a number of bytes in all; what is over it is refused."""
    left = largest
    for piece in pieces:
        left -= len(piece)
        if left < 0:
            raise too_large()
        yield piece


def _body_too_large(limit: str = STORED_LIMIT) -> ApiError:
    message = f"the body is over {getattr(settings, limit)} bytes ({limit})"
    return ApiError(413, "body_too_large", message)


def _batch_too_large() -> ApiError:
    message = f"the batch is over {settings.MAX_BATCH_BYTES} bytes (MAX_BATCH_BYTES)"
    return ApiError(413, "batch_too_large", message)


# -- content codings ------------------------------------------------------------------------------


def identity(pieces: Iterable[bytes]) -> Iterator[bytes]:
    yield from pieces


def gunzip(pieces: Iterable[bytes]) -> Iterator[bytes]:
    """Decompress all members (RFC 1952, 2.2): stopping at the first would lose bytes."""
    # zlib's manual: 16 asks for a gzip header, 15 is the largest window.
    yield from _inflate_members(pieces, wbits=31, members=True)


def inflate(pieces: Iterable[bytes]) -> Iterator[bytes]:
    """Decompress zlib's format (RFC 9110, ``deflate``), or raw DEFLATE that some send."""
    waiting = iter(pieces)
    head = b""
    for piece in waiting:
        head += piece
        if len(head) >= 2:
            break
    wrapped = len(head) >= 2 and head[0] & 15 == 8 and int.from_bytes(head[:2]) % 31 == 0
    yield from _inflate_members(
        _chained(head, waiting), wbits=15 if wrapped else -15, members=False
    )


def unzstd(pieces: Iterable[bytes]) -> Iterator[bytes]:
    """Decompress all frames (RFC 8878, section 3.1)."""
    decompressor = zstandard.ZstdDecompressor(max_window_size=ZSTD_WINDOW_BYTES)
    frame = decompressor.decompressobj()
    for piece in _sliced(pieces):
        while piece:
            if frame.eof:
                frame = decompressor.decompressobj()
            yield _zstd_step(frame, piece)
            piece = frame.unused_data if frame.eof else b""
    if not frame.eof:
        raise BrokenContentEncoding("the zstd frame ends early")


DECODERS: dict[str, Decoder] = {
    "": identity,
    "identity": identity,
    "gzip": gunzip,
    "x-gzip": gunzip,
    "deflate": inflate,
    "zstd": unzstd,
}


def _inflate_members(pieces: Iterable[bytes], wbits: int, members: bool) -> Iterator[bytes]:
    member = zlib.decompressobj(wbits)
    for piece in pieces:
        while piece:
            if member.eof:
                if not members:
                    raise BrokenContentEncoding("bytes follow the end of the compressed body")
                member = zlib.decompressobj(wbits)
            yield from _inflate_steps(member, piece)
            piece = member.unused_data
    if not member.eof:
        raise BrokenContentEncoding("the compressed body ends early")


def _inflate_steps(member: zlib._Decompress, piece: bytes) -> Iterator[bytes]:
    while True:
        try:
            out = member.decompress(piece, STEP_BYTES)
        except zlib.error as error:
            raise BrokenContentEncoding(f"the compressed body is broken: {error}") from error
        yield out
        piece = member.unconsumed_tail
        # A full step may leave output inside although all input went in.
        if member.eof or not (piece or len(out) == STEP_BYTES):
            return


def _zstd_step(frame: zstandard.ZstdDecompressionObj, piece: bytes) -> bytes:
    try:
        return frame.decompress(piece)
    except zstandard.ZstdError as error:
        raise BrokenContentEncoding(f"the zstd body is broken: {error}") from error


def _sliced(pieces: Iterable[bytes]) -> Iterator[bytes]:
    for piece in pieces:
        for start in range(0, len(piece), SLICE_BYTES["zstd"]):
            yield piece[start : start + SLICE_BYTES["zstd"]]


def _chained(head: bytes, pieces: Iterable[bytes]) -> Iterator[bytes]:
    if head:
        yield head
    yield from pieces
