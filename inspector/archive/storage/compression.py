"""zstd compression. Contexts are reused: making one takes longer than compressing most bodies."""

from threading import local

from zstandard import ZstdCompressor, ZstdDecompressor

# The level that zstd itself takes by default.
LEVEL = 3


class _Contexts(local):
    """zstd contexts of one thread; they must not be shared between threads."""

    def __init__(self) -> None:
        self.compressor = ZstdCompressor(LEVEL)
        self.decompressor = ZstdDecompressor()


_contexts = _Contexts()


def compressed(data: bytes) -> bytes:
    return _contexts.compressor.compress(data)


def decompressed(data: bytes | memoryview) -> bytes:
    """Raise a ``zstandard.ZstdError`` where that is nothing compressed."""
    return _contexts.decompressor.decompress(data)
