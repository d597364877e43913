"""Composes a recording: events put into network reads, each with its arrival time."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator
from itertools import cycle
from typing import Any

from inspector.core.exchange import Exchange, Outcome, Read, Request

STREAM_TYPE = "text/event-stream; charset=utf-8"
CREATED_SECONDS = 1_795_183_339

# A pace that looks like a network's and is the same at every start: milliseconds between reads.
PACE_MS = (41, 23, 58, 36, 22, 71, 29, 44, 31, 52, 27, 38)


def pieces(text: str) -> list[str]:
    """A text as a model gives it: word by word, each with the space before it."""
    return re.findall(r"\s*\S+", text)


class Recording:
    """A stream being recorded. Time goes on with every read, by the pace unless told."""

    def __init__(self, model: str, id: str, *, first_ms: int, **top: Any) -> None:
        self._top = {
            "id": id,
            "object": "chat.completion.chunk",
            "created": CREATED_SECONDS,
            "model": model,
            **top,
        }
        self._reads: list[Read] = []
        self._at_us = first_ms * 1000
        self._pace = cycle(PACE_MS)

    def read(self, *events: bytes, after_ms: int | None = None) -> None:
        """One network read that brings these events; the first comes when the answer begins."""
        if self._reads:
            # A few odd microseconds, as real clocks have them.
            gap_us = (next(self._pace) if after_ms is None else after_ms) * 1000
            self._at_us += gap_us + len(self._reads) * 37 % 900
        self._reads.append(Read(self._at_us, b"".join(events)))

    def reads(self, events: Iterable[bytes]) -> None:
        """One read for each event, at the usual pace."""
        for event in events:
            self.read(event)

    def chunk(self, *choices: dict[str, Any], **top: Any) -> bytes:
        return data({**self._top, "choices": list(choices), **top})

    def deltas(self, text: str, field: str = "content", index: int = 0) -> Iterator[bytes]:
        """One chunk for each piece of a text."""
        for piece in pieces(text):
            yield self.chunk(delta({field: piece}, index))

    def exchange(
        self,
        *,
        asked: dict[str, Any] | None = None,
        outcome: Outcome = Outcome.ENDED,
    ) -> Exchange:
        return Exchange(
            reads=tuple(self._reads),
            content_type=STREAM_TYPE,
            status_code=200,
            headers=(("content-type", STREAM_TYPE),),
            outcome=outcome,
            request=request({"model": self._top["model"], "stream": True, **(asked or {})}),
        )


def data(value: dict[str, Any]) -> bytes:
    text = json.dumps(value, separators=(",", ":"), ensure_ascii=False)
    return b"data: " + text.encode() + b"\n\n"


DONE = b"data: [DONE]\n\n"
KEEP_ALIVE = b": keep-alive\n\n"


def delta(message: dict[str, Any], index: int = 0, finish: str | None = None) -> dict[str, Any]:
    return {"index": index, "delta": message, "finish_reason": finish}


def call(
    arguments: str, index: int = 0, *, id: str | None = None, name: str | None = None
) -> dict[str, Any]:
    """A piece of one tool call; id and name come with its first piece."""
    entry: dict[str, Any] = {"index": index, "function": {"arguments": arguments}}
    if id is not None:
        entry |= {"id": id, "type": "function"}
        entry["function"] = {"name": name, "arguments": arguments}
    return {"tool_calls": [entry]}


def request(body: dict[str, Any]) -> Request:
    return Request(
        method="POST",
        url="https://llm.example/v1/chat/completions",
        headers=(("content-type", "application/json"),),
        body=json.dumps(body).encode(),
    )


def whole(body: bytes, *, asked: dict[str, Any] | None, at_ms: int | None = None) -> Exchange:
    """A whole answer; where its time is known it came in two reads, as large bodies do."""
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
        status_code=200 if asked else None,
        request=request(asked) if asked else None,
    )
