"""Puts binary event frames together, with their checksums."""

from zlib import crc32


def header(name: str, value: str) -> bytes:
    """One header whose value is a text."""
    spelt = value.encode()
    return bytes([len(name)]) + name.encode() + b"\x07" + len(spelt).to_bytes(2) + spelt


def frame_of(headers: bytes, payload: bytes) -> bytes:
    """One frame with right lengths and checksums."""
    lengths = (len(headers) + len(payload) + 16).to_bytes(4) + len(headers).to_bytes(4)
    body = lengths + crc32(lengths).to_bytes(4) + headers + payload
    return body + crc32(body).to_bytes(4)


def frame(event_type: str, payload: bytes) -> bytes:
    """The frame of one event, its headers in the order in which AWS sends them."""
    headers = header(":event-type", event_type) + header(":content-type", "application/json")
    return frame_of(headers + header(":message-type", "event"), payload)


def exception(exception_type: str, payload: bytes) -> bytes:
    headers = header(":exception-type", exception_type)
    headers += header(":content-type", "application/json")
    return frame_of(headers + header(":message-type", "exception"), payload)
