"""The posted body: all of it, within the limit, with its coding undone, or a refusal."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator

from django.conf import settings
from django.http import HttpRequest

from api.api_error import ApiError
from api.coding import DECODERS, BrokenContentEncoding, Decoder
from inspector.web.client_address import client_network_of
from inspector.web.client_timeout import (
    DEFAULT_WAIT_SECONDS,
    allowed_seconds,
    finishes_within,
    is_too_slow,
)

PIECE_BYTES = 1 << 16
FORM_TYPES = ("multipart/", "application/x-www-form-urlencoded")
SEND_BYTES_HINT = (
    "a form would change the bytes: send them as they are, with curl by --data-binary and"
    " a Content-Type such as application/json or text/event-stream"
)
SEND_JSON_HINT = "send the body as JSON: with curl, add -H 'Content-Type: application/json'"

_LENGTH = re.compile(r"[0-9]{1,18}")


STORED_LIMIT, WAIT_LIMIT = "MAX_BODY_BYTES", "MAX_WAIT_BYTES"
"""The limits of a body by what is done with it: kept, or read while its sender waits."""


def read_body(request: HttpRequest, limit: str = STORED_LIMIT) -> bytes:
    """Decoded. The order of the checks is that of their cost."""
    refuse_forms(request)
    return read_within(request, getattr(settings, limit), lambda: _body_too_large(limit))


def read_json(request: HttpRequest) -> bytes:
    """Reads a JSON body that is not evidence, such as that of a PATCH."""
    refuse_forms(request, SEND_JSON_HINT)
    return read_within(request, settings.MAX_BODY_BYTES, _body_too_large)


def read_within(
    request: HttpRequest,
    largest: int,
    too_large: Callable[[], ApiError],
    first_seconds: float = DEFAULT_WAIT_SECONDS,
) -> bytes:
    """Decoded, of any content type, up to a number of bytes."""
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
    """A server may hand on an upload that was cut as if it were whole, so bytes are counted."""
    pieces: list[bytes] = []
    if not finishes_within(
        lambda: _read_into(request, length, pieces), seconds, client_network_of(request)
    ):
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


def limit_size(
    pieces: Iterable[bytes], largest: int, too_large: Callable[[], ApiError]
) -> Iterator[bytes]:
    """The pieces themselves, up to a number of bytes in all; what is over it is refused."""
    left = largest
    for piece in pieces:
        left -= len(piece)
        if left < 0:
            raise too_large()
        yield piece


def _body_too_large(limit: str = STORED_LIMIT) -> ApiError:
    message = f"the body is over {getattr(settings, limit)} bytes ({limit})"
    return ApiError(413, "body_too_large", message)
