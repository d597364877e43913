"""The content type of a body whose headers were not recorded."""

from __future__ import annotations

from inspector.core.wire import event_frames
from inspector.core.wire.content_encoding import Decompressor
from inspector.core.wire.exchange import Exchange
from inspector.core.wire.framing import Framing, Sniffer, framed_lines

EVENT_STREAM = "text/event-stream; charset=utf-8"
JSON = "application/json"
LINES = "application/x-ndjson"
TEXT = "text/plain; charset=utf-8"
_FIELDS = (b"data:", b"event:", b"id:", b"retry:", b":")


def content_type_of(exchange: Exchange) -> str:
    """The type that fits how the body is cut into objects: clients go by it."""
    uncoder, sniffer = Decompressor(exchange.headers), Sniffer()
    body = b"".join(one.data for read in exchange.reads for one in uncoder.feed(read))
    body += b"".join(one.data for one in uncoder.end())
    framing = sniffer.feed(body)
    if framing is Framing.EVENT_FRAMES:
        return event_frames.CONTENT_TYPE
    lines = [line.text for line in framed_lines(body)]
    if framing is Framing.DOCUMENT:
        return LINES if _are_objects(lines) else JSON
    return EVENT_STREAM if lines and lines[0].startswith(_FIELDS) else TEXT


def _are_objects(lines: list[bytes]) -> bool:
    """True for two lines or more that are an object each."""
    return len(lines) > 1 and all(line.startswith(b"{") and line.endswith(b"}") for line in lines)
