"""Composes recordings: events packed into network reads with arrival times.

A stream with reads and times as a file is two hundred lines that nobody reads; composed, a sample
says which words, stall and reads it has.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator
from itertools import cycle
from typing import Any

from inspector.core.wire.exchange import Exchange, Read, Request, TransportOutcome

STREAM_TYPE = "text/event-stream; charset=utf-8"
CHAT_PATH = "/v1/chat/completions"
CREATED_SECONDS = 1_795_183_339

# Milliseconds between reads; irregular like a network, yet the same at every start.
PACE_MS = (41, 23, 58, 36, 22, 71, 29, 44, 31, 52, 27, 38)


def pieces(text: str) -> list[str]:
    """Splits a text into tokens: words with their leading space."""
    return re.findall(r"\s*\S+", text)


class StreamComposer:
    """Builds a stream; the clock advances with every read by the pace, unless given."""

    def __init__(self, model: str, response_id: str, *, first_ms: int, **top: Any) -> None:
        self._top = {
            "id": response_id,
            "object": "chat.completion.chunk",
            "created": CREATED_SECONDS,
            "model": model,
            **top,
        }
        self._reads: list[Read] = []
        self._at_us = first_ms * 1000
        self._pace = cycle(PACE_MS)

    def read(self, *events: bytes, after_ms: int | None = None) -> None:
        """Adds one read with these events; the first read is at the time to first byte."""
        if self._reads:
            # Odd microseconds, as in real recordings.
            gap_us = (next(self._pace) if after_ms is None else after_ms) * 1000
            self._at_us += gap_us + len(self._reads) * 37 % 900
        self._reads.append(Read(self._at_us, b"".join(events)))

    def reads(self, events: Iterable[bytes]) -> None:
        """Adds one read per event at the usual pace."""
        for event in events:
            self.read(event)

    def chunk(self, *choices: dict[str, Any], **top: Any) -> bytes:
        return data({**self._top, "choices": list(choices), **top})

    def deltas(self, text: str, field: str = "content", index: int = 0) -> Iterator[bytes]:
        """Yields one chunk per token of the text."""
        for piece in pieces(text):
            yield self.chunk(delta({field: piece}, index))

    def exchange(
        self,
        *,
        request_fields: dict[str, Any] | None = None,
        outcome: TransportOutcome = TransportOutcome.ENDED,
        path: str = CHAT_PATH,
        content_type: str = STREAM_TYPE,
    ) -> Exchange:
        return Exchange(
            reads=tuple(self._reads),
            content_type=content_type,
            status_code=200,
            headers=(("content-type", content_type),),
            outcome=outcome,
            request=request(
                {"model": self._top["model"], "stream": True, **(request_fields or {})}, path
            ),
        )


def data(value: dict[str, Any]) -> bytes:
    text = json.dumps(value, separators=(",", ":"), ensure_ascii=False)
    return b"data: " + text.encode() + b"\n\n"


DONE = b"data: [DONE]\n\n"
KEEP_ALIVE = b": keep-alive\n\n"


def delta(message: dict[str, Any], index: int = 0, finish: str | None = None) -> dict[str, Any]:
    return {"index": index, "delta": message, "finish_reason": finish}


def call(
    arguments: str, index: int = 0, *, call_id: str | None = None, name: str | None = None
) -> dict[str, Any]:
    """Chunk with a piece of one tool call; the first piece carries id and name."""
    entry: dict[str, Any] = {"index": index, "function": {"arguments": arguments}}
    if call_id is not None:
        entry |= {"id": call_id, "type": "function"}
        entry["function"] = {"name": name, "arguments": arguments}
    return {"tool_calls": [entry]}


def request(body: dict[str, Any], path: str = CHAT_PATH) -> Request:
    return Request(
        method="POST",
        url=f"https://llm.example{path}",
        headers=(("content-type", "application/json"),),
        body=json.dumps(body).encode(),
    )


def whole_response(
    body: bytes, *, request_fields: dict[str, Any] | None, at_ms: int | None = None
) -> Exchange:
    """A non-streamed response; if timed, it arrives in two reads, as large bodies do."""
    middle = len(body) // 2
    reads: tuple[Read, ...] = (Read(None, body),)
    if at_ms is not None:
        reads = (
            Read(at_ms * 1000 + 417, body[:middle]),
            Read(at_ms * 1000 + 1803, body[middle:]),
        )
    return Exchange(
        reads=reads,
        content_type="application/json",
        status_code=200 if request_fields else None,
        request=request(request_fields) if request_fields else None,
    )
