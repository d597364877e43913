"""Chat completions, whole and streamed, and what is known beside them, for cases of rules."""

from itertools import accumulate
from typing import Any

from inspector.core.wire.exchange import Read, Request
from tests.core.bodies import (
    DONE,
    HELLO,
    ROLE,
    STOP,
    calls_stream,
    choice,
    chunk,
    completion,
    delta,
    event,
)
from tests.core.frames import frame

FRAME = frame("messageStop", b'{"stopReason":"end_turn"}')
HI = chunk(ROLE) + chunk(delta(b'"content":"Hi"'))
CALL = b'{"index":0,"id":"a","type":"function","function":{"name":"f","arguments":"%s"}}'
NAMED = b'{"index":0,"function":{"name":"%s","arguments":"%s"}}'
ONE_CALL = calls_stream(CALL % b"{}")
TWO_CALLS = calls_stream(
    CALL % b"{}", b'{"index":1,"id":"b","type":"function","function":{"name":"f","arguments":"{}"}}'
)
A_SAYS = delta(b'"content":"a"')
B_SAYS = delta(b'"content":"b"', 1)
JSON_PLEASE = b'"response_format":{"type":"json_object"}'
FILTERED = b'"finish_reason":"stop","content_filter_results":{%s}'
X_CALL = calls_stream(CALL % b'{\\"x\\":1}')


def said(more: bytes) -> bytes:
    """A whole answer whose only choice has these fields beside its message."""
    return completion(choice(b'"role":"assistant","content":"Hi"', more))


def tokens(entries: bytes) -> bytes:
    """A whole answer of two characters with these logprobs."""
    return said(b'"logprobs":{"content":[%s]},"finish_reason":"stop"' % entries)


def alternatives(number: int) -> bytes:
    """A whole answer with one token that has so many alternatives."""
    top = b",".join([b'{"token":"H","logprob":-1}'] * number)
    return tokens(b'{"token":"Hi","logprob":-1,"top_logprobs":[%s]}' % top)


def asked(name: bytes, schema: bytes) -> dict[str, Any]:
    """The request is known, and offers one tool."""
    function = b'{"name":"%s","parameters":%s}' % (name, schema)
    return {"request": Request(body=b'{"tools":[{"type":"function","function":%s}]}' % function)}


def wanted(parameters: bytes) -> dict[str, Any]:
    """The request is known, and sets these parameters."""
    return {"request": Request(body=b"{%s}" % parameters)}


def gemini_call(call: bytes) -> bytes:
    """A stream of Gemini with one call."""
    parts = b'{"parts":[{"functionCall":{%s}}]}' % call
    return event(b'{"candidates":[{"content":%s,"finishReason":"STOP"}]}' % parts)


def partial_call(path: bytes) -> bytes:
    """The same, with arguments that are one value at a path."""
    return gemini_call(b'"name":"f","partialArgs":[{"jsonPath":%s,"stringValue":"b"}]' % path)


def legacy(*choices: bytes) -> bytes:
    """A whole legacy completion."""
    return completion(*choices).replace(b"chat.completion", b"text_completion")


def counted(usage: bytes) -> bytes:
    return completion(HELLO, more=b'"usage":{%s}' % usage)


def strict(schema: bytes) -> dict[str, Any]:
    """That the request asks for an answer that matches a strict schema."""
    shape = b'{"type":"json_schema","json_schema":{"name":"a","strict":true,"schema":%s}}' % schema
    return wanted(b'"response_format":' + shape)


def chosen(choice_: bytes) -> dict[str, Any]:
    """That the request offers the tools f and g, and says which may be called."""
    tools = b'{"function":{"name":"f"}},{"function":{"name":"g"}}'
    return wanted(b'"tools":[%s],"tool_choice":%s' % (tools, choice_))


def in_tier(tier: bytes) -> dict[str, Any]:
    """That the request asks for a service tier."""
    return {"request": Request(body=b'{"service_tier":"%s"}' % tier)}


def top(name: bytes, *values: bytes) -> bytes:
    """A stream in which a field beside the choices has these values."""
    chunks = (event(b'{"%s":%s,"choices":[%s]}' % (name, value, STOP)) for value in values)
    return b"".join(chunks) + DONE


HI_WORD = chunk(delta(b'"content":"Hi"'))
JUDGED = chunk(
    b'{"index":0,"delta":{"content":" hi"},"content_filter_results":{"hate":{"filtered":false,"severity":"safe"}},"finish_reason":null}'
)


def timed(*reads: tuple[int, bytes]) -> tuple[bytes, dict[str, Any]]:
    """Reads at these microseconds after the request."""
    return b"", {"reads": tuple(Read(at_us, data) for at_us, data in reads)}


def at_pace(*gaps_us: int, end: bytes = chunk(STOP) + DONE) -> tuple[bytes, dict[str, Any]]:
    """A word a read, with these gaps between them, and the end in the last read."""
    moments = list(accumulate(gaps_us, initial=100_000))
    words = [(at_us, HI_WORD) for at_us in moments[:-1]]
    return timed(*words, (moments[-1], HI_WORD + end))


def closed(ended_at_us: int) -> tuple[bytes, dict[str, Any]]:
    """One word 1 µs after the request, and the end of the call at this time."""
    body, known = timed((1, HI_WORD))
    return body, {**known, "ended_at_us": ended_at_us}


def took(total: bytes, unit: bytes = b"total_time") -> tuple[bytes, dict[str, Any]]:
    """A whole answer, 2 s after the request, whose provider states this time."""
    return timed((2_000_000, counted(b'"prompt_tokens":3,"%s":%s' % (unit, total))))
