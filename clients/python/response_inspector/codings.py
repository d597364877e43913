"""Undoes the compression of a response, read by read, to look for credentials in it."""

from __future__ import annotations

import importlib
import zlib
from collections.abc import Callable, Iterable
from typing import Any

Decode = Callable[[bytes], bytes]
Reads = list[tuple[int, bytes]]

DECODED_BYTES = 50 * 1024 * 1024
"""Most bytes of a decoded body; one that decodes to more is not looked at any further."""


def decoded_reads(coding: str, reads: Iterable[tuple[int, bytes]]) -> Reads | None:
    """Return the same reads without their coding, as far as they decode; None for a coding that
    nobody here knows. What a client asks for it can read: the modules are those that httpx uses.
    """
    decode = _decoder(coding.strip().lower())
    if decode is None:
        return None
    decoded: Reads = []
    total = 0
    for at, data in reads:
        try:
            piece = decode(data)
        except Exception:
            # Each library has errors of its own.
            break
        total += len(piece)
        if total > DECODED_BYTES:
            break
        decoded.append((at, piece))
    return decoded


def _decoder(coding: str) -> Decode | None:
    if coding in ("gzip", "x-gzip"):
        return zlib.decompressobj(zlib.MAX_WBITS | 16).decompress
    if coding == "deflate":
        return zlib.decompressobj().decompress
    if coding == "br":
        return _brotli()
    return _zstandard() if coding == "zstd" else None


def _brotli() -> Decode | None:
    module = _module("brotli") or _module("brotlicffi")
    if module is None:
        return None
    decoder = module.Decompressor()
    decode: Decode = getattr(decoder, "process", None) or decoder.decompress
    return decode


def _zstandard() -> Decode | None:
    module = _module("zstandard")
    if module is None:
        return None
    decode: Decode = module.ZstdDecompressor().decompressobj().decompress
    return decode


def _module(name: str) -> Any:
    try:
        return importlib.import_module(name)
    except ImportError:
        return None
