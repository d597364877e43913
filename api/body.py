"""The posted body: all of it, within the limit, with its coding undone, or a refusal."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator

from django.conf import settings
from django.http import HttpRequest

from api.coding import CODINGS, BrokenCoding, Decode
from api.refusal import Refusal
from inspector.patience import SECONDS, allowed_seconds, finishes, is_too_slow
from inspector.peers import asker_of

PIECE_BYTES = 1 << 16
FORMS = ("multipart/", "application/x-www-form-urlencoded")
AS_THEY_ARE = (
    "a form would change the bytes: send them as they are, with curl by --data-binary and"
    " a Content-Type such as application/json or text/event-stream"
)
AS_JSON = "send the body as JSON: with curl, add -H 'Content-Type: application/json'"

_LENGTH = re.compile(r"[0-9]{1,18}")


STORED, WAITED_FOR = "MAX_BODY_BYTES", "MAX_WAIT_BYTES"
"""The limits of a body by what is done with it: kept, or read while its sender waits."""


def read_body(request: HttpRequest, limit: str = STORED) -> bytes:
    """Decoded. The order of the checks is that of their cost."""
    refuse_forms(request)
    return body_within(request, getattr(settings, limit), lambda: _too_large(limit))


def read_json(request: HttpRequest) -> bytes:
    """The same for what is no evidence but says something."""
    refuse_forms(request, AS_JSON)
    return body_within(request, settings.MAX_BODY_BYTES, _too_large)


def body_within(
    request: HttpRequest,
    largest: int,
    too_large: Callable[[], Refusal],
    first_seconds: float = SECONDS,
) -> bytes:
    """Decoded, of any content type, up to a number of bytes."""
    decode = decoder(request)
    length = declared_length(request, largest, too_large)
    pieces = _wire(request, length, allowed_seconds(length, first_seconds))
    try:
        # Once only to count: what turns out to be a bomb was never held.
        for _ in bounded(decode(pieces), largest, too_large):
            pass
        body = b"".join(decode(pieces))
    except BrokenCoding as error:
        raise Refusal(400, "coding_broken", str(error)) from error
    if not body:
        raise Refusal(400, "body_empty", "there is nothing to keep: the body is empty")
    return body


def media_type(request: HttpRequest) -> str:
    return str(request.content_type or "").strip().lower()


def refuse_forms(request: HttpRequest, message: str = AS_THEY_ARE) -> None:
    if media_type(request).startswith(FORMS):
        raise Refusal(415, "form_encoded", message)


def decoder(request: HttpRequest) -> Decode:
    coding = request.META.get("HTTP_CONTENT_ENCODING", "").strip().lower()
    if coding not in CODINGS:
        message = "one Content-Encoding of gzip, deflate or zstd is understood"
        raise Refusal(415, "unknown_coding", message)
    return CODINGS[coding]


def declared_length(request: HttpRequest, largest: int, too_large: Callable[[], Refusal]) -> int:
    text = request.META.get("CONTENT_LENGTH", "")
    if not text:
        raise Refusal(411, "length_required", "send a Content-Length")
    if not _LENGTH.fullmatch(text):
        raise Refusal(400, "bad_request", "the Content-Length is no length")
    if int(text) > largest:
        raise too_large()
    return int(text)


def _wire(request: HttpRequest, length: int, seconds: float) -> list[bytes]:
    """A server may hand on an upload that was cut as if it were whole, so bytes are counted."""
    pieces: list[bytes] = []
    if not finishes(lambda: _fetch(request, length, pieces), seconds, asker_of(request)):
        raise Refusal(408, "body_too_slow", "the body did not come in time")
    missing = length - sum(map(len, pieces))
    if missing:
        message = f"{length} bytes were announced, {missing} of them did not come"
        raise Refusal(400, "body_incomplete", message)
    return pieces


def _fetch(request: HttpRequest, length: int, pieces: list[bytes]) -> None:
    # A connection that ends early ends the reading; the count tells.
    try:
        while length and (piece := request.read(min(PIECE_BYTES, length))):
            pieces.append(piece)
            length -= len(piece)
    except OSError as error:
        if is_too_slow(error):
            raise TimeoutError from error


def bounded(
    pieces: Iterable[bytes], largest: int, too_large: Callable[[], Refusal]
) -> Iterator[bytes]:
    """The pieces themselves, up to a number of bytes in all; what is over it is refused."""
    left = largest
    for piece in pieces:
        left -= len(piece)
        if left < 0:
            raise too_large()
        yield piece


def _too_large(limit: str = STORED) -> Refusal:
    message = f"the body is over {getattr(settings, limit)} bytes ({limit})"
    return Refusal(413, "body_too_large", message)
