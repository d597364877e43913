"""Decompresses brotli (RFC 7932) read by read, and recognises it by its first bytes."""

from codecs import getincrementaldecoder
from collections.abc import Iterator
from typing import Any

from inspector.core.wire.event_frames import begins_frame

try:
    import brotli
except ImportError:  # The distribution that only inspects does without: it is 5 MB.
    brotli = None
IS_INSTALLED = brotli is not None

HEAD_BYTES = 64
"""Brotli has no magic number: so many bytes must decompress before a body is taken for it."""
STEP_BYTES = 1 << 16
"""Output of one step: the limit is looked at between."""
_EMPTY = b";"
"""Output of encoders for an empty body; no JSON text or event stream."""
_CORRUPT = "it is corrupt"
_WHITESPACE = "\t\n\r"


class BrotliStream:
    """Decompresses one body. The result does not depend on how it is cut.

    A decoder discards the output of a call that raises, and it cannot be copied. So another one
    goes ahead: bytes at which that one raises are decompressed one by one.
    """

    def __init__(self, max_bytes: int) -> None:
        self._decoder, self._ahead = brotli.Decompressor(), brotli.Decompressor()
        self._room = max_bytes
        """How much more the one ahead may put out; who takes ``pieces`` stops there, too."""
        self.eof = False
        self.fault: str | None = None

    def pieces(self, data: bytes) -> Iterator[bytes]:
        """Yield what comes out of the next bytes, until there is a fault."""
        if self._goes_well(data):
            yield from self._decompress(data)
            return
        for at in range(len(data)):
            if self.eof:
                self.fault = "bytes follow its end"
                return
            try:
                yield from self._decompress(data[at : at + 1])
            except brotli.error:
                break
        self.fault = _CORRUPT

    def _goes_well(self, data: bytes) -> bool:
        try:
            for piece in _process(self._ahead, data):
                self._room -= len(piece)
                if self._room < 0:
                    break
        except brotli.error:
            return False
        return True

    def _decompress(self, data: bytes) -> Iterator[bytes]:
        yield from _process(self._decoder, data)
        self.eof = self._decoder.is_finished()


def begins_brotli(head: bytes) -> bool:
    """Return True if a body that is declared to be brotli is. ``head`` is its first ``HEAD_BYTES``,
    or all of it.

    Some texts and frames begin like brotli; brotli does not begin with that much of either.
    """
    if head == _EMPTY:
        return True
    if _is_text(head) or begins_frame(head):
        return False
    return not IS_INSTALLED or _can_be_decompressed(head)


def _is_text(head: bytes) -> bool:
    try:
        text = getincrementaldecoder("utf-8")().decode(head)
    except UnicodeDecodeError:
        return False
    return all(character >= " " or character in _WHITESPACE for character in text)


def _can_be_decompressed(head: bytes) -> bool:
    stream, taken = BrotliStream(STEP_BYTES), 0
    for piece in stream.pieces(head):
        taken += len(piece)
        if taken > STEP_BYTES:
            return True
    return stream.fault != _CORRUPT


def _process(decoder: Any, data: bytes) -> Iterator[bytes]:
    """Yield all that comes out of the data, in pieces hardly longer than the limit.

    A decoder that waits for input may still hold output, whatever ``can_accept_more_data`` says.
    """
    while piece := decoder.process(data, output_buffer_limit=STEP_BYTES):
        yield piece
        data = b""
