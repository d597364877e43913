"""Puts bodies together out of literal pieces, so that a test shows only what it is about."""

import json
from typing import Any

import msgspec

from inspector.core.analysis import Analysis
from inspector.core.reading import Reading, read
from inspector.core.wire.exchange import Exchange, Read

DONE = b"data: [DONE]\n\n"
TOP = b'"id":"chatcmpl-1","object":"chat.completion.chunk","created":1795183339,"model":"parcel-1"'
WHOLE_TOP = b'"id":"chatcmpl-1","object":"chat.completion","created":1795183339,"model":"parcel-1"'
ROLE = b'{"index":0,"delta":{"role":"assistant","content":""},"finish_reason":null}'
STOP = b'{"index":0,"delta":{},"finish_reason":"stop"}'
USAGE = b'"usage":{"prompt_tokens":3,"completion_tokens":2,"total_tokens":5}'


def event(data: bytes) -> bytes:
    return b"data: " + data + b"\n\n"


def delta(fields: bytes, index: int = 0) -> bytes:
    """One choice of a chunk, not finished."""
    return b'{"index":%d,"delta":{%s},"finish_reason":null}' % (index, fields)


def chunk(*choices: bytes, more: bytes = b"") -> bytes:
    """One event that holds one chunk; ``more`` are further fields beside the choices."""
    return event(b'{%s,"choices":[%s]%s}' % (TOP, b",".join(choices), more and b"," + more))


def chat_stream(*choices: bytes) -> bytes:
    """A whole stream: each choice in a chunk of its own, then the end mark."""
    return b"".join(map(chunk, choices)) + DONE


def calls_stream(*entries: bytes) -> bytes:
    """A stream of tool calls: each entry in a chunk of its own."""
    deltas = (delta(b'"tool_calls":[%s]' % entry) for entry in entries)
    return chat_stream(ROLE, *deltas, b'{"index":0,"delta":{},"finish_reason":"tool_calls"}')


def completion(*choices: bytes, more: bytes = USAGE) -> bytes:
    """A whole chat answer."""
    return b'{%s,"choices":[%s]%s}' % (WHOLE_TOP, b",".join(choices), more and b"," + more)


def choice(message: bytes, more: bytes = b'"finish_reason":"stop"') -> bytes:
    """One choice of a whole answer."""
    return b'{"index":0,"message":{%s}%s}' % (message, more and b"," + more)


HELLO = choice(b'"role":"assistant","content":"Hello"')
GOOD = completion(HELLO)
GOOD_STREAM = (
    chunk(ROLE) + chunk(delta(b'"content":"Hello"')) + chunk(STOP) + chunk(more=USAGE) + DONE
)


def exchange(body: bytes, **known: Any) -> Exchange:
    """One read without a time, unless ``known`` holds the reads."""
    return Exchange(**{"reads": (Read(None, body),), **known})


def reading(body: bytes, **known: Any) -> Reading:
    return read(exchange(body, **known))


def analysis(body: bytes, **known: Any) -> Analysis:
    """Return the reading of a body; ``known`` are further fields of the exchange."""
    return reading(body, **known).analysis()


def codes(result: Analysis) -> set[str]:
    return {finding.code for finding in result.findings}


def analysis_from_json(text: bytes) -> Analysis:
    """The way back of ``analysis_to_json``."""
    try:
        return msgspec.json.decode(text, type=Analysis)
    except msgspec.ValidationError:
        raise
    except msgspec.DecodeError:
        return msgspec.convert(json.loads(text), Analysis)
