"""Frames: how the proxy and its children send messages over one socket between two processes.

A frame is the length of what follows (four bytes, big-endian) and a MessagePack list of messages,
so that all that happened within a moment costs one write.
"""

import struct
from collections.abc import Iterator, Sequence

import msgspec

LENGTH = struct.Struct(">I")
MAX_FRAME_BYTES = 16 * 1024 * 1024
"""A longer frame can only be a fault: the sender cuts at a fraction of it."""

_encoder = msgspec.msgpack.Encoder()


def frame(messages: Sequence[msgspec.Struct]) -> bytes:
    payload = _encoder.encode(messages)
    return LENGTH.pack(len(payload)) + payload


class PayloadSplitter:
    """Splits what a socket brings into payloads of frames."""

    def __init__(self) -> None:
        self._received = bytearray()

    def feed(self, data: bytes) -> Iterator[bytes]:
        """Raise ``ValueError`` for a frame longer than ``MAX_FRAME_BYTES``."""
        self._received += data
        while len(self._received) >= LENGTH.size:
            (length,) = LENGTH.unpack_from(self._received)
            if length > MAX_FRAME_BYTES:
                raise ValueError(f"a frame of {length} bytes")
            end = LENGTH.size + length
            if len(self._received) < end:
                return
            payload = bytes(self._received[LENGTH.size : end])
            del self._received[:end]
            yield payload
