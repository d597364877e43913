"""Every rule with a body on which it fires and one on which it stays silent."""

from __future__ import annotations

import gzip
import re
from itertools import accumulate
from pathlib import Path
from typing import Any
from unittest.mock import patch

import msgspec
import pytest

from inspector.core import rules
from inspector.core.completion import Result
from inspector.core.findings import Severity, Where
from inspector.core.limits import MAX_ALTERNATIVES
from inspector.core.wire.exchange import Read, Request, TransportFault, TransportOutcome
from tests.core import rules_page
from tests.core.bodies import (
    DONE,
    GOOD,
    GOOD_STREAM,
    HELLO,
    ROLE,
    STOP,
    USAGE,
    analysis,
    calls_stream,
    chat_stream,
    choice,
    chunk,
    codes,
    completion,
    delta,
    event,
)
from tests.core.frames import frame
from tests.core.telemetry_records import CHAT, WHO, record

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


MESSAGE_START = b'{"type":"message_start","message":{"id":"m","role":"assistant","content":[],"usage":{"input_tokens":3,"output_tokens":1}}}'
MESSAGE_STOP = b'{"type":"message_stop"}'
BEGIN = b'{"type":"content_block_start","index":0,"content_block":{"type":"text","text":""}}'
END = b'{"type":"content_block_stop","index":0}'


def piece(text: bytes) -> bytes:
    return (
        b'{"type":"content_block_delta","index":0,"delta":{"type":"text_delta","text":"%s"}}' % text
    )


def message_end(reason: bytes = b"end_turn", output_tokens: int = 2) -> bytes:
    return b'{"type":"message_delta","delta":{"stop_reason":"%s"},"usage":{"output_tokens":%d}}' % (
        reason,
        output_tokens,
    )


def messages(*events: bytes) -> bytes:
    """A stream of Anthropic's with these events, from its start to its end."""
    return b"".join(map(event, (MESSAGE_START, *events, MESSAGE_STOP)))


HI_MESSAGE = messages(BEGIN, piece(b"Hi"), END, message_end())
USES = b'{"type":"content_block_start","index":1,"content_block":{"type":"tool_use","id":"a","name":"f","input":{}}}'
USED = b'{"type":"content_block_stop","index":1}'


def searched(found: bytes) -> bytes:
    """A message of the provider's search, with what it found, and a text."""
    result = b'{"type":"web_search_tool_result","tool_use_id":"s","content":%s}' % found
    text = b'{"type":"text","text":"Hi"}'
    return b'{"type":"message","role":"assistant","content":[%s,%s],"stop_reason":"end_turn"}' % (
        result,
        text,
    )


def responses(*numbers: int, whole: bytes = b"Hi") -> bytes:
    """A stream of Responses whose events have these sequence numbers, and a text sent whole."""
    events = (
        b'{"type":"response.created","response":{"id":"r","status":"in_progress","output":[]}',
        b'{"type":"response.output_item.added","output_index":0,"item":{"type":"message","role":"assistant","content":[]}',
        b'{"type":"response.content_part.added","output_index":0,"content_index":0,"part":{"type":"output_text","text":""}',
        b'{"type":"response.output_text.delta","output_index":0,"content_index":0,"delta":"Hi"',
        b'{"type":"response.output_text.done","output_index":0,"content_index":0,"text":"%s"'
        % whole,
        b'{"type":"response.completed","response":{"id":"r","status":"completed","output":[{"type":"message","role":"assistant","content":[{"type":"output_text","text":"Hi"}]}]}',
    )
    numbered = (b'%s,"sequence_number":%d}' % each for each in zip(events, numbers, strict=True))
    return b"".join(map(event, numbered))


HI_RESPONSE = responses(0, 1, 2, 3, 4, 5)


DEEPSEEK = counted(
    b'"prompt_tokens":3,"prompt_cache_hit_tokens":2,"prompt_cache_miss_tokens":1'
).replace(b'"model"', b'"system_fingerprint":"fp_0123456789_prod0820_fp8_kvcache","model"')
Told = bytes | tuple[bytes, dict[str, Any]]

GZIP = {"headers": (("content-encoding", "gzip"),)}
CASES: dict[str, tuple[Told, Told]] = {
    "framing.coded": ((gzip.compress(GOOD), GZIP), (GOOD, GZIP)),
    "framing.coding-undeclared": (gzip.compress(GOOD), (gzip.compress(GOOD), GZIP)),
    "framing.coding-broken": (gzip.compress(GOOD)[:-4], gzip.compress(GOOD)),
    "block.several-answers": (HI_MESSAGE + HI_MESSAGE, HI_MESSAGE),
    "block.repeated": (messages(BEGIN, BEGIN, piece(b"Hi"), END, message_end()), HI_MESSAGE),
    "block.not-begun": (messages(piece(b"Hi"), END, message_end()), HI_MESSAGE),
    "block.after-stop": (messages(BEGIN, piece(b"Hi"), END, piece(b"!"), message_end()), messages(BEGIN, piece(b"Hi"), END, piece(b""), message_end())),
    "block.not-stopped": (messages(BEGIN, piece(b"Hi"), message_end()), HI_MESSAGE),
    "block.whole-differs": (responses(0, 1, 2, 3, 4, 5, whole=b"Ha!"), HI_RESPONSE),
    "block.position-malformed": (responses(0, 1, 2, 3, 4, 5).replace(b'"output_index":0,', b"", 1), HI_RESPONSE),
    "block.sequence-gap": (responses(0, 1, 2, 4, 5, 6), HI_RESPONSE),
    "tool.hosted-failed": (searched(b'{"type":"web_search_tool_result_error","error_code":"max_uses_exceeded"}'), searched(b"[]")),
    "usage.fell": (messages(BEGIN, piece(b"Hi"), END, message_end(output_tokens=0)), HI_MESSAGE + HI_MESSAGE),
    "choice.index-missing": (chat_stream(b'{"delta":{}}', STOP), GOOD_STREAM),
    "choice.index-malformed": (chat_stream(b'{"index":-1,"delta":{}}', STOP), GOOD_STREAM),
    "choice.index-repeated": (completion(HELLO, HELLO), completion(HELLO, HELLO.replace(b":0", b":1", 1))),
    "choice.index-gap": (chat_stream(STOP, STOP.replace(b":0", b":2", 1)), chat_stream(STOP, STOP.replace(b":0", b":1", 1))),
    "choice.finish-malformed": (said(b'"finish_reason":{"type":"stop"}'), said(b'"finish_reason":null')),
    "choice.finish-unknown": (said(b'"finish_reason":"eos"'), said(b'"finish_reason":"content_filter"')),
    "choice.finish-length": (said(b'"finish_reason":"length"'), GOOD),
    "choice.finish-mismatch": (said(b'"finish_reason":"tool_calls"'), ONE_CALL),
    "choice.finish-repeated": (chat_stream(ROLE, STOP, STOP), GOOD_STREAM),
    "choice.content-after-finish": (chat_stream(STOP, delta(b'"content":"late"')), chat_stream(STOP, delta(b'"content":""'))),
    "choice.says-nothing": (completion(choice(b'"role":"assistant","content":null')), completion(choice(b'"content":null,"refusal":"No"'))),
    "choice.finish-filtered": (said(b'"finish_reason":"content_filter"'), GOOD),
    "choice.finish-failed": (said(b'"finish_reason":"insufficient_system_resource"'), said(b'"finish_reason":"eos"')),
    "choice.finish-stop-with-calls": (ONE_CALL.replace(b'"tool_calls"}', b'"stop"}'), ONE_CALL),
    "choice.fewer-than-asked": ((GOOD, wanted(b'"n":2')), (completion(HELLO, HELLO.replace(b":0", b":1", 1)), wanted(b'"n":2'))),
    "choice.more-than-asked": ((completion(HELLO, HELLO.replace(b":0", b":1", 1)), wanted(b'"n":1')), (completion(HELLO, HELLO.replace(b":0", b":1", 1)), wanted(b'"prompt":["a","b"]'))),
    "choice.index-not-position": (completion(HELLO.replace(b":0", b":1", 1), HELLO), completion(HELLO, HELLO.replace(b":0", b":1", 1))),
    "choice.text-missing": (legacy(b'{"index":0,"finish_reason":"stop"}'), legacy(b'{"index":0,"text":"","finish_reason":"stop"}')),
    "chunks.choices-missing": (event(b'{"id":"a"}') + GOOD_STREAM, event(b'{"error":{"message":"gone"}}') + GOOD_STREAM),
    "chunks.choices-empty": (chunk(more=b'"prompt_filter_results":[]') + GOOD_STREAM, GOOD_STREAM),
    "chunks.choices-interleaved": (chat_stream(A_SAYS, B_SAYS, A_SAYS), chat_stream(A_SAYS, A_SAYS, B_SAYS, B_SAYS)),
    "chunks.delta-missing": (chat_stream(ROLE, b'{"index":0,"finish_reason":"stop"}'), GOOD_STREAM),
    "chunks.finish-key-missing": (chat_stream(b'{"index":0,"delta":{"content":"a"}}', STOP), GOOD_STREAM),
    "chunks.field-missing": (GOOD_STREAM.replace(b'"id":"chatcmpl-1",', b"", 1), GOOD_STREAM.replace(b'"id":"chatcmpl-1",', b"")),
    "chunks.finish-empty": (chat_stream(ROLE.replace(b"null", b'""'), STOP), GOOD_STREAM),
    "chunks.finish-null-text": (chat_stream(ROLE.replace(b"null", b'"null"'), STOP), chat_stream(ROLE.replace(b"null", b'""'), STOP)),
    "chunks.format-mixed": (GOOD_STREAM.removesuffix(DONE) + event(b'{"type":"message_stop"}'), GOOD_STREAM.removesuffix(DONE) + event(b'{"type":"ping"}')),
    "chunks.role-missing": (chat_stream(A_SAYS, STOP), GOOD_STREAM),
    "chunks.role-repeated": (chat_stream(ROLE, ROLE, STOP), GOOD_STREAM),
    "message.role-missing": (completion(choice(b'"content":"a"')), GOOD),
    "message.content-missing": (completion(choice(b'"role":"assistant"')), completion(choice(b'"content":null'))),
    "message.content-null": (completion(choice(b'"content":null,"refusal":"No"')), completion(choice(b'"content":""'))),
    "message.content-parts": (completion(choice(b'"content":[{"type":"text","text":"a"}]')), GOOD),
    "message.not-the-json-asked": ((GOOD, wanted(JSON_PLEASE)), (completion(choice(b'"content":"{}"')), wanted(JSON_PLEASE))),
    "message.refusal-beside-content": (completion(choice(b'"content":"a","refusal":"No"')), completion(choice(b'"content":"","refusal":"No"'))),
    "message.annotations-malformed": (completion(choice(b'"content":"a","annotations":{}')), completion(choice(b'"content":"a","annotations":[]'))),
    "message.annotations-null": (completion(choice(b'"content":"a","annotations":null')), completion(choice(b'"content":"a","annotations":[]'))),
    "message.legacy-function-call": (completion(choice(b'"function_call":{"name":"f","arguments":"{}"}')), ONE_CALL),
    "message.reasoning-twice": (chat_stream(delta(b'"reasoning":"a","reasoning_content":"a"'), STOP), chat_stream(delta(b'"reasoning":"a","reasoning_content":""'), STOP)),
    "message.think-passage": (completion(choice(b'"content":"<think>a</think>b"')), completion(choice(b'"content":"It says <think>."'))),
    "message.think-unclosed": (completion(choice(b'"content":"<think>a"')), said(b'"finish_reason":"length"').replace(b"Hi", b"<think>a")),
    "message.malformed": (chat_stream(b'{"index":0,"delta":null}', STOP), GOOD_STREAM),
    "message.missing": (completion(b'{"index":0,"finish_reason":"stop"}'), GOOD),
    "message.field-malformed": (completion(choice(b'"content":42')), completion(choice(b'"content":[{"type":"text","text":"a"}]'))),
    "message.role-unexpected": (completion(choice(b'"role":"","content":"a"')), completion(choice(b'"content":"a"'))),
    "message.role-changed": (chat_stream(ROLE, delta(b'"role":"user"'), STOP), chat_stream(ROLE, ROLE, STOP)),
    "message.annotations-missing": (said(b'"finish_reason":"stop","cost_usd":1'), completion(choice(b'"content":"a","annotations":[]', b'"finish_reason":"stop","cost_usd":1'))),
    "message.delta-in-whole": (completion(HELLO[:-1] + b',"delta":{"content":"Hello"}}'), completion(HELLO[:-1] + b',"delta":{}}')),
    "message.reasoning-after-content": (chat_stream(A_SAYS, delta(b'"reasoning_content":"b"'), STOP), chat_stream(delta(b'"content":"\\n"'), delta(b'"reasoning_content":"b"'), A_SAYS, STOP)),
    "message.schema-broken": ((completion(choice(b'"content":"{}"')), strict(b'{"required":["x"]}')), (completion(choice(b'"content":"{}"')), strict(b'{"type":"object"}'))),
    "message.in-stream": (chunk(HELLO) + DONE, GOOD),
    "ending.capped": ((HI, {"outcome": TransportOutcome.CAPPED}), HI),
    "ending.client-cancelled": ((HI, {"outcome": TransportOutcome.CLIENT_CANCELLED}), HI),
    "ending.upstream-error": ((HI, {"outcome": TransportOutcome.UPSTREAM_TIMEOUT}), (GOOD, {"status_code": 404})),
    "ending.elided": (b'{"choices":[]}\n...\n{"choices":[]}\n', b'{"choices":[]}\n{"choices":[]}\n'),
    "ending.cut-off": (HI, HI + DONE),
    "ending.missing-finish": (HI + DONE, GOOD_STREAM),
    "ending.missing-terminator": (HI + chunk(STOP), GOOD_STREAM),
    "ending.unterminated-event": (GOOD_STREAM[:-2], GOOD_STREAM[:-1].replace(b"\n", b"\r\n") + b"\n"),
    "ending.event-after-end-mark": (GOOD_STREAM + HI, GOOD_STREAM + b": bye\n\n"),
    "ending.end-mark-repeated": (GOOD_STREAM + DONE, GOOD_STREAM),
    "ending.end-mark-padded": (HI + chunk(STOP) + b"data: [DONE] \n\n", HI + chunk(STOP) + b"data:[DONE]\n\n"),
    "transport.recorder-stopped": ((HI, {"outcome": TransportOutcome.RECORDER_STOPPED}), (GOOD_STREAM, {"outcome": TransportOutcome.RECORDER_STOPPED})),
    "transport.address-refused": ((b"", {"fault": TransportFault.ADDRESS_REFUSED}), HI),
    "transport.unreachable": ((b"", {"fault": TransportFault.UNREACHABLE}), HI),
    "transport.tls": ((b"", {"fault": TransportFault.TLS}), HI),
    "transport.connect-timeout": ((b"", {"fault": TransportFault.CONNECT_TIMEOUT}), HI),
    "transport.response-timeout": ((b"", {"fault": TransportFault.RESPONSE_TIMEOUT}), HI),
    "transport.broken-response": ((b"", {"fault": TransportFault.BROKEN_RESPONSE}), HI),
    "transport.request-aborted": ((b"", {"fault": TransportFault.REQUEST_ABORTED}), HI),
    "envelope.not-a-response": (b"<html>", GOOD),
    "envelope.provider-error": (b'{"error":{"message":"gone"}}', chunk(STOP, more=b'"error":null') + DONE),
    "envelope.no-choices": (completion(), (chunk(), {"outcome": TransportOutcome.OPEN})),
    "envelope.choices-malformed": (b'{"choices":{"0":{}}}', b'{"choices":null}'),
    "envelope.object-unexpected": (GOOD.replace(b"chat.completion", b"chat.completion.chunk"), GOOD_STREAM),
    "envelope.fingerprint-missing": ((GOOD, wanted(b'"seed":7')), GOOD),
    "envelope.object-missing": (GOOD.replace(b'"chat.completion"', b'""'), GOOD),
    "envelope.created-missing": (GOOD.replace(b"1795183339", b"0"), GOOD),
    "envelope.model-not-asked": ((GOOD, wanted(b'"model":"crate-1"')), (GOOD, wanted(b'"model":"maker/parcel:free"'))),
    "envelope.streamed-otherwise": ((GOOD, wanted(b'"stream":true')), (GOOD_STREAM, wanted(b'"stream":true'))),
    "envelope.answer-with-error-status": ((GOOD, {"status_code": 429}), (GOOD, {"status_code": 201})),
    "json.python-notation": (b"ChatCompletion(id='a', choices=[Choice(index=0, message=Message(content='Hi'))])", b"The call ChatCompletion(id='a') makes one."),
    "json.trailing-comma": (GOOD.replace(b"5}", b"5,}")[:-1] + b",}", GOOD[:-1] + b",}"),
    "envelope.fragment": (b'{"role":"assistant","content":"Hi"}', GOOD),
    "envelope.identity-malformed": (GOOD.replace(b'"chatcmpl-1"', b"7"), GOOD),
    "envelope.identity-missing": (GOOD.replace(b"chatcmpl-1", b""), GOOD),
    "envelope.created-out-of-range": (GOOD.replace(b"1795183339", b"1795183339000"), GOOD.replace(b"1795183339", b"0")),
    "envelope.identity-changed": (top(b"id", b'"a"', b'"b"'), top(b"id", b'""', b'"a"', b'"a"')),
    "envelope.created-changed": (top(b"created", b"1795183339", b"1795183340"), top(b"created", b"0", b"1795183339")),
    "envelope.backend-changed": (top(b"service_tier", b'"flex"', b'"default"'), top(b"service_tier", b"null", b'"flex"')),
    "framing.misspelt-field": (b"DATA: {}\n\n" + GOOD_STREAM, b"foo: {}\n\n" + GOOD_STREAM),
    "framing.broken-frame": (FRAME[:-1] + b"\0", FRAME),
    "framing.error-line": (HI + b'error: {"message":"gone"}\n\n', HI + event(b'{"error":{"message":"gone"}}')),
    "framing.ignored-line": (b"foo: bar\n" + GOOD_STREAM, b"retry: 100\n" + GOOD_STREAM),
    "framing.empty-data": (b"data\n\n" + GOOD_STREAM, b"event: ping\n\n" + GOOD_STREAM),
    "framing.named-event": (b"event: delta\n" + GOOD_STREAM, b"event: message\n" + GOOD_STREAM),
    "framing.data-over-lines": (b"data: {}\ndata:\n\n" + GOOD_STREAM, GOOD_STREAM),
    "framing.no-data-prefix": (GOOD_STREAM.replace(b"data: ", b""), GOOD_STREAM),
    "framing.pasted": (b"```\n" + GOOD + b"\n```", GOOD),
    "framing.reconnection": (b"id: 7\nretry: 500\n\n" + GOOD_STREAM, b"event: a\n" + GOOD_STREAM),
    "framing.several-documents": (GOOD + b"\n" + GOOD, GOOD + b"\n\n"),
    "framing.content-type": ((GOOD_STREAM, {"content_type": "application/json; charset=utf-8"}), (GOOD_STREAM, {"content_type": "text/event-stream"})),
    "json.invalid": (GOOD[:-1] + b",}", GOOD),
    "json.broken-chunk": (event(b'{"choices":[{"del') + GOOD_STREAM, GOOD_STREAM + b'data: {"choices":[{"del'),
    "json.not-an-object": (event(b"[]") + GOOD_STREAM, GOOD_STREAM),
    "json.duplicate-name": (GOOD[:-1] + b',"id":"b"}', completion(HELLO, HELLO)),
    "json.nul": (GOOD.replace(b"Hello", b"\\u0000"), GOOD.replace(b"Hello", b"\\\\u0000")),
    "json.lone-surrogate": (GOOD.replace(b"Hello", b"\\ud800"), GOOD.replace(b"Hello", b"\\ud83d\\ude00")),
    "json.invalid-utf8": (GOOD.replace(b"Hello", b"\xff"), GOOD.replace(b"Hello", b"\xc3\xa9")),
    "json.number-out-of-range": (GOOD[:-1] + b',"x":1e400}', GOOD[:-1] + b',"x":1e300}'),
    "logprobs.misaligned": (tokens(b'{"token":"Ho","logprob":-1}'), tokens(b'{"token":"H","logprob":-1},{"token":"i","logprob":-1}')),
    "logprobs.lengths-differ": (said(b'"logprobs":{"tokens":["a"],"token_logprobs":[]},"finish_reason":"stop"'), said(b'"logprobs":{"tokens":["a"],"token_logprobs":[-1],"top_logprobs":null},"finish_reason":"stop"')),
    "logprobs.malformed": (tokens(b'{"token":"Hi","logprob":"-1"},7'), tokens(b'{"token":"Hi","logprob":null}')),
    "logprobs.array-missing": (legacy(b'{"index":0,"text":"a","logprobs":{"tokens":["a"],"token_logprobs":[-1],"top_logprobs":null}}'), legacy(b'{"index":0,"text":"a","logprobs":{"tokens":["a"],"token_logprobs":[-1],"top_logprobs":null,"text_offset":[0]}}')),
    "logprobs.positive": (tokens(b'{"token":"Hi","logprob":0.5}'), tokens(b'{"token":"Hi","logprob":0.0}')),
    "logprobs.sentinel": (tokens(b'{"token":"Hi","logprob":-9999.0}'), tokens(b'{"token":"Hi","logprob":-999.0}')),
    "logprobs.null": (tokens(b'{"token":"Hi","logprob":null}'), tokens(b'{"token":"Hi"}')),
    "timing.stall": (at_pace(*[50_000] * 9, 1_000_001), at_pace(*[50_000] * 9, 1_000_000)),
    "timing.held-back": (timed(*((at_us, HI_WORD * 10) for at_us in (1, 400_000, 800_000)), (800_001, DONE)), timed(*((at_us, HI_WORD * 10) for at_us in (1, 40_000, 80_000)), (80_001, DONE))),
    "timing.filter-blocks": (timed(*((at_us, JUDGED * 10) for at_us in (1, 400_000, 800_000)), (800_001, DONE)), timed(*((at_us, HI_WORD * 10) for at_us in (1, 400_000, 800_000)), (800_001, DONE))),
    "timing.single-read": (timed((9, HI_WORD * 8 + DONE)), timed((9, HI_WORD * 7 + DONE))),
    "timing.clock-went-back": (timed((2, HI_WORD), (1, DONE)), timed((1, HI_WORD), (1, DONE))),
    "timing.provider-clock-out-of-range": (took(b"-1"), took(b"null")),
    "timing.provider-took-longer": (took(b"2.5"), took(b"2.01")),
    "timing.late-first-token": (timed((1, chunk(ROLE)), (1_000_001, HI_WORD)), timed((1, chunk(ROLE)), (1_000_000, HI_WORD))),
    "timing.silence-at-close": (closed(1_000_002), closed(1_000_001)),
    "timing.silence-before-end": (timed((1, HI_WORD), (1_000_002, DONE)), timed((1, HI_WORD), (1_000_001, DONE))),
    "tool.arguments-invalid": (calls_stream(CALL % b"{'a':1}"), ONE_CALL),
    "tool.arguments-truncated": (calls_stream(CALL % b"{"), ((HI + chunk(delta(b'"tool_calls":[%s]' % (CALL % b"{")))), {"outcome": TransportOutcome.OPEN})),
    "tool.arguments-empty": (calls_stream(CALL % b""), ONE_CALL),
    "tool.unknown-name": ((ONE_CALL, asked(b"g", b"{}")), (ONE_CALL, asked(b"f", b"{}"))),
    "tool.arguments-against-schema": ((ONE_CALL, asked(b"f", b'{"required":["x"]}')), (ONE_CALL, asked(b"f", b'{"type":"object"}'))),
    "tool.forbidden-field": ((X_CALL, asked(b"f", b'{"properties":{},"additionalProperties":false}')), (X_CALL, asked(b"f", b'{"properties":{}}'))),
    "tool.invented-field": ((X_CALL, asked(b"f", b'{"properties":{}}')), (X_CALL, asked(b"f", b'{"properties":{"x":{}}}'))),
    "tool.arguments-not-text": (calls_stream(CALL.replace(b'"%s"', b"{}")), ONE_CALL),
    "tool.call-malformed": (calls_stream(b'"f"'), ONE_CALL),
    "tool.id-missing": (calls_stream((CALL % b"{}").replace(b'"id":"a",', b"")), ONE_CALL),
    "tool.id-repeated": (calls_stream(CALL % b"{}", (CALL % b"{}").replace(b"0", b"1", 1)), ONE_CALL),
    "tool.id-changed": (calls_stream(CALL % b"{", b'{"index":0,"id":"b","function":{"arguments":"}"}}'), ONE_CALL),
    "tool.id-malformed": (calls_stream((CALL % b"{}").replace(b'"a"', b"5")), calls_stream((CALL % b"{}").replace(b'"id":"a",', b""))),
    "tool.name-missing": (calls_stream((CALL % b"{}").replace(b'"f"', b'""')), ONE_CALL),
    "tool.name-in-pieces": (calls_stream(CALL % b"", NAMED % (b"g", b"{}")), calls_stream(CALL % b"", NAMED % (b"f", b"{}"))),
    "tool.name-changed": (calls_stream(CALL % b"{", NAMED % (b"g", b"}")), calls_stream(CALL % b"", NAMED % (b"g", b"{}"))),
    "tool.arguments-derived": (partial_call(b'"$.a"'), gemini_call(b'"name":"f","args":{"a":"b"}')),
    "tool.partial-misplaced": (partial_call(b'"a"'), partial_call(b'"$.a"')),
    "tool.type-missing": (calls_stream((CALL % b"{}").replace(b'"type":"function",', b"")), ONE_CALL),
    "tool.type-unknown": (calls_stream((CALL % b"{}").replace(b'"type":"function"', b'"type":"tool"')), calls_stream(b'{"index":0,"id":"a","type":"custom","custom":{"name":"f","input":"x"}}')),
    "tool.none-offered": ((ONE_CALL, wanted(b'"tools":[]')), (ONE_CALL, asked(b"f", b"{}"))),
    "tool.choice-not-followed": ((ONE_CALL, chosen(b'"none"')), (ONE_CALL, chosen(b'{"type":"function","function":{"name":"f"}}'))),
    "tool.parallel-not-allowed": ((TWO_CALLS, wanted(b'"parallel_tool_calls":false')), (ONE_CALL, wanted(b'"parallel_tool_calls":false'))),
    "tool.index-missing": (calls_stream((CALL % b"{}").replace(b'"index":0,', b"")), ONE_CALL),
    "tool.index-repeated": (calls_stream(CALL % b"{}", (CALL % b"{}").replace(b'"a"', b'"b"')), calls_stream(CALL % b"{}", (CALL % b"{}").replace(b":0", b":1", 1).replace(b'"a"', b'"b"'))),
    "tool.index-gap": (calls_stream((CALL % b"{}").replace(b":0", b":1", 1)), calls_stream(CALL % b"{}", (CALL % b"{}").replace(b'"a"', b'"b"'))),
    "usage.missing": (completion(HELLO, more=b""), (HI, {"outcome": TransportOutcome.OPEN})),
    "usage.asked-not-sent": ((chat_stream(ROLE, STOP), wanted(b'"stream_options":{"include_usage":true}')), (GOOD_STREAM, wanted(b'"stream_options":{"include_usage":true}'))),
    "usage.count-missing": (counted(b'"prompt_tokens":3,"completion_tokens":null,"total_tokens":5'), counted(b'"prompt_tokens":3,"completion_tokens":"2","total_tokens":5')),
    "usage.over-token-limit": ((GOOD, wanted(b'"max_tokens":1')), (GOOD, wanted(b'"max_completion_tokens":2,"max_tokens":1'))),
    "usage.service-tier-malformed": (completion(HELLO, more=b'"service_tier":5'), completion(HELLO, more=b'"service_tier":null')),
    "usage.service-tier-missing": ((GOOD, in_tier(b"auto")), (completion(HELLO, more=b'"service_tier":"default"'), in_tier(b"auto"))),
    "usage.service-tier-unknown": (completion(HELLO, more=b'"service_tier":"warp"'), completion(HELLO, more=b'"service_tier":"flex"')),
    "usage.count-too-large": (counted(b'"prompt_tokens":1000000000'), counted(b'"prompt_tokens":999999999')),
    "usage.not-a-count": (counted(b'"prompt_tokens":-7'), counted(b'"prompt_tokens":null,"queue_time":0.5')),
    "usage.total-mismatch": (counted(b'"prompt_tokens":3,"completion_tokens":2,"total_tokens":6'), counted(b'"prompt_tokens":3,"total_tokens":6')),
    "usage.part-exceeds-whole": (counted(b'"prompt_tokens":2,"prompt_tokens_details":{"cached_tokens":3}'), counted(b'"completion_tokens":2,"reasoning_tokens":2')),
    "usage.parts-mismatch": (DEEPSEEK.replace(b"2,", b"1,"), DEEPSEEK),
    "usage.parts-differ": (counted(b'"prompt_tokens":3,"prompt_cache_hit_tokens":2,"prompt_cache_miss_tokens":0'), counted(b'"prompt_tokens":3,"prompt_cache_hit_tokens":2')),
    "usage.counted-beside": (counted(b'"completion_tokens":2,"reasoning_tokens":3'), counted(b'"completion_tokens":2,"reasoning_tokens":2')),
    "usage.stated-twice": (counted(b'"cached_tokens":1,"prompt_tokens_details":{"cached_tokens":2}'), counted(b'"cached_tokens":2,"prompt_tokens_details":{"cached_tokens":2}')),
    "usage.null-only": (chunk(STOP, more=b'"usage":null') + DONE, chunk(STOP, more=b'"usage":null') + chunk(more=USAGE) + DONE),
    "usage.repeated": (chunk(STOP, more=b'"usage":{"total_tokens":6}') + chunk(more=USAGE) + DONE, chunk(STOP, more=b'"usage":null') + chunk(more=USAGE) + DONE),
    "usage.cumulative": (chunk(STOP, more=b'"usage":{"total_tokens":1}') + chunk(more=USAGE) + DONE, chunk(STOP, more=USAGE) + chunk(more=USAGE) + DONE),
    "usage.in-vendor-object": (chunk(STOP, more=b'"x_groq":{%s}' % USAGE) + DONE, chunk(STOP, more=b'"x_groq":{%s},%s' % (USAGE, USAGE)) + DONE),
    "usage.before-last-chunk": (chunk(ROLE, more=USAGE) + chunk(STOP) + DONE, chunk(STOP, more=USAGE) + b"data: 10:00:00.120\n\n" + DONE),
    "usage.rejected-prediction": (counted(b'"completion_tokens_details":{"rejected_prediction_tokens":1}'), counted(b'"completion_tokens_details":{"rejected_prediction_tokens":0}')),
    "usage.completion-not-counted": (counted(b'"completion_tokens":0'), completion(choice(b'"content":""'), more=b'"usage":{"completion_tokens":0}')),
    "usage.service-tier": ((completion(HELLO, more=b'"service_tier":"default"'), in_tier(b"flex")), (completion(HELLO, more=b'"service_tier":"default"'), in_tier(b"auto"))),
    "usage.on-choice": (chunk(STOP[:-1] + b"," + USAGE + b"}") + DONE, GOOD_STREAM),
    "reading.told": (record({**CHAT, **WHO}), GOOD),
    "reading.capped": (alternatives(MAX_ALTERNATIVES + 1), alternatives(MAX_ALTERNATIVES)),
    "vendor.filter-triggered": (said(FILTERED % b'"hate":{"filtered":true}'), said(FILTERED % b'"hate":{"filtered":false}')),
    "vendor.filter-failed": (said(FILTERED % b'"error":{"code":"content_filter_error"}'), said(FILTERED % b"")),
    "vendor.native-finish-differs": (said(b'"finish_reason":"stop","native_finish_reason":"MAX_TOKENS"'), said(b'"finish_reason":"stop","native_finish_reason":"end_turn"')),
    "vendor.workflowai-malformed": (said(b'"finish_reason":"stop","feedback_token":"","cost_usd":0.1'), said(b'"finish_reason":"stop","feedback_token":"a"')),
    "vendor.workflowai-fields": (said(b'"finish_reason":"stop","cost_usd":0.1'), said(b'"finish_reason":"stop","cost_usd":null,"duration_seconds":1,"feedback_token":"a"')),
}  # fmt: skip

SLUGS = sorted(CASES)


def told(case: Told) -> set[str]:
    body, known = case if isinstance(case, tuple) else (case, {})
    return codes(analysis(body, **known))


@pytest.mark.parametrize("code", SLUGS)
def test_every_rule_fires_where_it_should(code: str) -> None:
    assert code in told(CASES[code][0])


@pytest.mark.parametrize("code", SLUGS)
def test_every_rule_is_silent_where_it_should_be(code: str) -> None:
    assert code not in told(CASES[code][1])


@pytest.mark.parametrize("code", SLUGS)
def test_a_rule_is_left_unasked_only_where_it_has_nothing_to_say(code: str) -> None:
    # Rules about transport look at nothing else: their trait is what they report.
    asked = tuple(
        rule
        if rule.code.startswith("transport.")
        else msgspec.structs.replace(rule, when=frozenset())
        for rule in rules.rules()
    )
    for case in CASES[code]:
        found = told(case)
        with patch.object(rules, "rules", return_value=asked):
            forget_selections()
            assert told(case) == found
        forget_selections()


def forget_selections() -> None:
    """Which rules are asked of what is kept, by traits and formats."""
    rules.rules_with.cache_clear()
    rules.rules_about.cache_clear()


def test_every_rule_has_a_case() -> None:
    assert [rule.code for rule in rules.rules() if rule.code not in CASES] == []
    assert set(CASES) == {rule.code for rule in rules.rules()}


def test_codes_have_one_shape_and_occur_once() -> None:
    every = [rule.code for rule in rules.rules()]
    assert all(re.fullmatch(r"[a-z]+\.[a-z0-9]+(-[a-z0-9]+)*", code) for code in every)
    assert len(set(every)) == len(every)


@pytest.mark.parametrize("rule", rules.rules(), ids=lambda rule: rule.code)
def test_every_rule_says_what_it_looks_for_and_who_suffers(rule: rules.Rule) -> None:
    assert rule.help.endswith(".") and len(rule.help) <= 100
    assert rule.impact.endswith(".") and len(rule.impact) <= 100


@pytest.mark.parametrize("code", SLUGS)
def test_findings_have_the_severity_of_their_rule_and_a_sentence(code: str) -> None:
    body, known = CASES[code][0] if isinstance(CASES[code][0], tuple) else (CASES[code][0], {})
    severities = {rule.code: rule.severity for rule in rules.rules()}
    for finding in analysis(body, **known).findings:
        assert finding.severity is severities[finding.code]
        assert finding.message == finding.message.strip() != ""


# What Python calls values and their types; JSON has other words for them.
PYTHON_WORDS = re.compile(r"\b(?:None|True|False|NoneType|dict|float|int|str|tuple|UNSET)\b")
ODD_VALUES = [b"null", b"true", b"false", b"1.5", b"[null]", b'{"a":true}', b'""']
FIELDS = [b'"chatcmpl-1"', b'"chat.completion"', b"1795183339", b'"parcel-1"', b'"assistant"', b'"Hello"', b'"stop"', b"0", b"3", b"5"]  # fmt: skip


@pytest.mark.parametrize("code", SLUGS)
def test_no_message_has_a_word_of_python(code: str) -> None:
    for case in CASES[code]:
        body, known = case if isinstance(case, tuple) else (case, {})
        for finding in analysis(body, **known).findings:
            assert not PYTHON_WORDS.search(finding.message)


@pytest.mark.parametrize("value", ODD_VALUES)
def test_no_message_about_an_odd_value_has_a_word_of_python(value: bytes) -> None:
    call = CALL % b'{\\"x\\":null}'
    bodies = [GOOD.replace(field, value, 1) for field in FIELDS]
    bodies += [
        calls_stream(call.replace(field, value, 1)) for field in (b'"a"', b'"function"', b'"f"')
    ]
    bodies += [top(name, value, b'"b"') for name in (b"id", b"model", b"service_tier")]
    bodies += [b'{"error":{"message":%s}}' % value, chat_stream(ROLE, delta(b'"role":' + value))]
    told_of = [
        each
        for body in bodies
        for each in analysis(
            body, **asked(b"f", b'{"properties":{"x":{"type":"object"}}}')
        ).findings
    ]
    assert told_of
    assert [each.message for each in told_of if PYTHON_WORDS.search(each.message)] == []


def test_a_good_answer_has_no_finding() -> None:
    assert analysis(GOOD).findings == ()
    assert analysis(GOOD_STREAM).findings == ()


def message_of(body: bytes, code: str) -> tuple[str, Where]:
    """The sentence of a finding, and its place without bytes."""
    (found,) = (finding for finding in analysis(body).findings if finding.code == code)
    return found.message, Where(pointer=found.where.pointer, event=found.where.event)


@pytest.mark.parametrize(
    ("body", "code", "message", "where"),
    [
        (HI_MESSAGE + HI_MESSAGE, "block.several-answers",
            "The body has 2 answers; each is shown as a choice, the last usage is that of the response.", Where(pointer="/message", event=6)),
        (HI_MESSAGE.replace(b'"text":"Hi"', b'"text":7'), "message.field-malformed",
            "text is a number, not a text.", Where(pointer="/delta/text", event=2)),
        (completion(choice(b'"content":42')), "message.field-malformed",
            "content is a number, not a text or a list.", Where(pointer="/choices/0/message/content")),
        (completion(choice(b'"content":[true]')), "message.field-malformed",
            "A part of content is true or false, not an object.", Where(pointer="/choices/0/message/content")),
        (completion(choice(b'"content":[{"type":"text","text":{}}]')), "message.field-malformed",
            "The text of a part of content is an object, not a text.", Where(pointer="/choices/0/message/content")),
        (completion(choice(b'"content":null,"tool_calls":{}')), "message.field-malformed",
            "tool_calls is an object, not a list.", Where(pointer="/choices/0/message/tool_calls")),
        (HI_RESPONSE.replace(b'"content":[]', b'"content":"Hi"'), "message.field-malformed",
            "content is a text, not a list.", Where(pointer="/item/content", event=1)),
        (messages(BEGIN, piece(b"Hi"), message_end()), "block.not-stopped",
            "A block of type text did not end before the message.", Where(pointer="/index", event=1)),
        (messages(BEGIN, BEGIN, END, message_end()), "block.repeated",
            "Block 0 began twice.", Where(pointer="/content_block", event=2)),
        (messages(piece(b"Hi"), piece(b"!"), END, message_end()), "block.not-begun",
            "A piece came for block 0, which never began.", Where(pointer="/delta/text", event=1)),
        (messages(BEGIN, END, piece(b"Hi"), message_end()), "block.after-stop",
            "A piece of text came after its block had ended.", Where(pointer="/delta/text", event=3)),
        (responses(0, 1, 2, 3, 4, 5, whole=b"Ha!"), "block.whole-differs",
            "text sent whole differs from its pieces: 3 characters instead of 2, different from character 1 on.",
            Where(pointer="/text", event=4)),
        (responses(0, 1, 2, 4, 5, 5), "block.sequence-gap",
            "The sequence number jumps: 4 after 2 (2 times, this is the first).", Where(pointer="/sequence_number", event=3)),
        (messages(message_end(output_tokens=0)), "usage.fell",
            "output_tokens fell: 1 became 0.", Where(pointer="/usage/output_tokens", event=1)),
        (HI_MESSAGE + event(piece(b"late")), "ending.event-after-end-mark",
            "An event came after message_stop.", Where(pointer="", event=6)),
    ],
)  # fmt: skip
def test_what_is_odd_in_the_events_of_a_message_is_told_at_its_place(
    body: bytes, code: str, message: str, where: Where
) -> None:
    assert message_of(body, code) == (message, where)


@pytest.mark.parametrize(
    ("body", "message", "pointer"),
    [
        (searched(b'{"type":"web_search_tool_result_error","error_code":"max_uses_exceeded"}'),
            "The provider's web_search_tool_result failed: max_uses_exceeded.", "/content/0"),
        (b'{"type":"message","role":"assistant","content":[{"type":"mcp_tool_result","is_error":true,"content":[]}],"stop_reason":"end_turn"}',
            "The provider's mcp_tool_result failed.", "/content/0"),
        (b'{"object":"response","status":"completed","output":[{"type":"mcp_call","name":"f","error":{"message":"gone"}}]}',
            "The provider's mcp_call failed: gone.", "/output/0"),
        (b'{"object":"response","status":"completed","output":[{"type":"web_search_call","status":"failed"}]}',
            "The provider's web_search_call failed.", "/output/0"),
        (b'{"candidates":[{"content":{"parts":[{"codeExecutionResult":{"outcome":"OUTCOME_FAILED","output":"x"}}]},"finishReason":"STOP"}]}',
            "The provider's codeExecutionResult failed: OUTCOME_FAILED.", "/candidates/0/content/parts/0"),
    ],
)  # fmt: skip
def test_a_tool_of_the_provider_that_failed_is_told_in_every_format(
    body: bytes, message: str, pointer: str
) -> None:
    assert message_of(body, "tool.hosted-failed") == (message, Where(pointer=pointer))


def test_a_ping_after_the_end_of_a_message_is_nothing() -> None:
    assert codes(analysis(HI_MESSAGE + event(b'{"type":"ping"}'))) == set()


def test_what_comes_after_the_end_is_told_however_alike_it_is() -> None:
    body = messages(BEGIN, piece(b"a"), piece(b"b"), END, message_end()) + event(piece(b"c")) * 3
    told, _ = message_of(body, "ending.event-after-end-mark")
    assert told == "An event came after message_stop (3 times, this is the first)."


@pytest.mark.parametrize(
    ("events", "code", "message"),
    [
        ((message_end(b"max_tokens"),), "choice.finish-length", "Choice 0 hit max_tokens."),
        ((message_end(b"model_context_window_exceeded"),), "choice.finish-length",
            "Choice 0 hit the limit of the model's context."),
        ((message_end(b"tool_use"),), "choice.finish-mismatch",
            "Choice 0 ended with finish reason tool_use but has no tool call."),
        ((USES, USED, message_end()), "choice.finish-stop-with-calls",
            "Choice 0 calls a tool but ended with finish reason end_turn."),
        ((message_end(b"bored"),), "choice.finish-unknown",
            "Choice 0 ended with the unknown finish reason 'bored'."),
        ((message_end(), message_end()), "choice.finish-repeated", "Choice 0 got another finish reason."),
        ((message_end(), piece(b"Hi")), "choice.content-after-finish",
            "Choice 0 continued after its finish reason."),
    ],
)  # fmt: skip
def test_finish_reasons_of_a_message_are_judged_as_those_of_a_chat_completion(
    events: tuple[bytes, ...], code: str, message: str
) -> None:
    told, where = message_of(messages(BEGIN, piece(b"Hi"), END, *events), code)
    assert told == message
    assert where.pointer is not None and "choices" not in where.pointer


def test_a_finding_about_an_event_carries_its_bytes() -> None:
    broken = event(b'{"choices":[{"del')
    result = analysis(HI + broken + chunk(STOP) + DONE)
    (finding,) = (finding for finding in result.findings if finding.code == "json.broken-chunk")
    where = finding.where
    assert where.event == 2
    assert (where.byte_start, where.byte_end) == (len(HI), len(HI) + len(broken))


def test_the_worst_comes_first_and_then_what_comes_first_in_the_body() -> None:
    late = chunk(delta(b'"role":"user"'))
    body = b"foo: bar\n" + HI + event(b"{'a':1}") + late + event(b"[1,") + DONE
    found = analysis(body).findings
    ranks = [list(Severity).index(finding.severity) for finding in found]
    assert ranks == sorted(ranks)
    places = [finding.where.byte_start for finding in found if finding.severity == "error"]
    assert len(places) == 2 and places == sorted(places)


def test_what_occurs_often_is_one_finding_with_its_count() -> None:
    result = analysis(b"foo: bar\n" * 2_000 + GOOD_STREAM)
    (finding,) = result.findings
    assert finding.message.endswith("(2,000 times, this is the first).")
    assert finding.where.byte_start == 0


@pytest.mark.parametrize(
    ("body", "code", "message"),
    [
        (b"x" * 500 + b"\n" + GOOD_STREAM, "framing.ignored-line", f"The field '{'x' * 80}' is ignored by every client."),
        (top(b"id", b'"%s"' % (b"a" * 99), b'"b"'), "envelope.identity-changed", f"id changed within the stream: {'a' * 60}… became b."),
        (completion(HELLO, more=b'"usage":"%s"' % (b"x" * 99)), "usage.not-a-count", f'usage is "{"x" * 60}…", which is not a count.'),
        (counted(b'"prompt_tokens":%d' % 2**62), "usage.count-too-large", "prompt_tokens is 4,611,686,018,427,387,904: no model uses so many tokens."),
        (counted(b'"prompt_tokens":-7'), "usage.not-a-count", "prompt_tokens is -7, which is not a count."),
        (counted(b'"total_tokens":"15"'), "usage.not-a-count", 'total_tokens is "15", which is not a count.'),
        (counted(b'"total_tokens":true'), "usage.not-a-count", "total_tokens is true, which is not a count."),
        (GOOD[:-1] + b',"%s":1,"%s":2}' % (b"k" * 99, b"k" * 99), "json.duplicate-name", f"'{'k' * 40}…' occurs twice in one object."),
    ],
)  # fmt: skip
def test_what_is_long_is_cut_inside_a_sentence(body: bytes, code: str, message: str) -> None:
    assert message in [one.message for one in analysis(body).findings if one.code == code]


def test_a_fault_inside_a_document_is_placed_at_its_byte() -> None:
    body = GOOD.replace(b"Hello", b"Hell\xff")
    (finding,) = analysis(body).findings
    at = body.index(b"\xff")
    assert (finding.where.byte_start, finding.where.byte_end) == (at, at + 1)


def test_the_page_of_the_rules_says_what_their_functions_say() -> None:
    written = Path(__file__).parents[3] / "docs" / "rules.md"
    assert written.read_text() == rules_page.page()


def test_choices_take_turns_from_the_chunk_on_in_which_one_goes_on() -> None:
    body = chat_stream(A_SAYS, A_SAYS, B_SAYS, B_SAYS, A_SAYS, B_SAYS)
    (finding,) = (f for f in analysis(body).findings if f.code == "chunks.choices-interleaved")
    assert finding.where.event == 4
    assert finding.message == "Chunks of several choices alternate from here on."


def test_the_role_is_told_where_it_first_comes_again_and_once() -> None:
    said = delta(b'"role":"assistant","content":"a"')
    body = chat_stream(*[said] * 1_000, STOP)
    (finding,) = (f for f in analysis(body).findings if f.code == "chunks.role-repeated")
    assert (finding.where.event, finding.where.pointer) == (1, "/choices/0/delta/role")


FILTER_ERROR = (
    b'{"error":{"code":"content_filter","message":"no","innererror":{"content_filter_result":'
    b'{"hate":{"filtered":true},"violence":{"filtered":false}}}}}'
)


def test_a_filter_that_refused_a_prompt_is_told_from_the_error_object() -> None:
    (finding,) = (f for f in analysis(FILTER_ERROR).findings if f.code == "vendor.filter-triggered")
    assert finding.message == "The content filter blocked the prompt: hate."
    assert finding.where.pointer == "/error/innererror/content_filter_result/hate"


@pytest.mark.parametrize(
    ("outcome", "is_told"),
    [
        (TransportOutcome.ENDED, True),
        (TransportOutcome.CLIENT_CANCELLED, False),
        (TransportOutcome.UPSTREAM_ERROR, False),
    ],
)
def test_usage_that_a_closed_stream_could_still_have_sent_is_not_called_unsent(
    outcome: TransportOutcome, is_told: bool
) -> None:
    asked = Request(body=b'{"stream":true,"stream_options":{"include_usage":true}}')
    body = chunk(ROLE) + chunk(delta(b'"content":"Hi"')) + chunk(STOP)
    found = codes(analysis(body, outcome=outcome, request=asked))
    assert ("usage.asked-not-sent" in found) is is_told
    assert ("usage.missing" in found) is not is_told


@pytest.mark.parametrize("reason", ["error", "insufficient_system_resource", "network_error"])
def test_a_finish_reason_of_a_failure_is_told_as_one(reason: str) -> None:
    body = completion(choice(b'"content":"Hi"', b'"finish_reason":"%s"' % reason.encode()))
    (found,) = (f for f in analysis(body).findings if f.code == "choice.finish-failed")
    assert found.message == f"Choice 0 ended with finish reason {reason}: the provider failed."


EMPTY_MESSAGES = {
    "white space": b'"content":" \\n"',
    "reasoning": b'"content":"","reasoning_content":"Hm."',
    "inline reasoning": b'"content":"<think>Hm.</think>\\n"',
}
SAYING_MESSAGES = {
    "a call": b'"content":null,"tool_calls":[{"id":"c","type":"function","function":'
    b'{"name":"f","arguments":"{}"}}]',
    "a refusal": b'"content":null,"refusal":"No."',
    "speech": b'"content":null,"audio":{"id":"a","data":"AAAA"}',
    "an image beside the text": b'"content":"","images":[{"image_url":{"url":"data:,"}}]',
    "an image as a part": b'"content":[{"type":"image_url","image_url":{"url":"data:,"}}]',
}


@pytest.mark.parametrize("message", EMPTY_MESSAGES.values(), ids=EMPTY_MESSAGES)
def test_an_answer_without_anything_for_its_reader_is_a_warning(message: bytes) -> None:
    result = analysis(completion(choice(b'"role":"assistant",' + message)))
    (found,) = (f for f in result.findings if f.code == "choice.says-nothing")
    assert (found.severity, result.result) == (Severity.WARNING, Result.EMPTY)
    assert found.message == "Choice 0 is empty: it has no text, tool call or refusal."


@pytest.mark.parametrize("message", SAYING_MESSAGES.values(), ids=SAYING_MESSAGES)
def test_an_answer_with_anything_for_its_reader_is_not_empty(message: bytes) -> None:
    result = analysis(completion(choice(b'"role":"assistant",' + message)))
    assert "choice.says-nothing" not in codes(result)


@pytest.mark.parametrize(
    "body",
    [
        chunk(ROLE),
        completion(choice(b'"content":""', b'"finish_reason":"length"')),
        completion(choice(b'"content":""', b'"finish_reason":"content_filter"')),
    ],
    ids=["cut before anything came", "at its limit", "filtered"],
)
def test_an_answer_with_another_result_is_not_called_empty(body: bytes) -> None:
    result = analysis(body)
    assert result.result is not Result.EMPTY
    assert "choice.says-nothing" not in codes(result)


def test_an_empty_legacy_call_and_empty_speech_are_none() -> None:
    empty = b'"function_call":{"name":"","arguments":""},"audio":{"id":"","data":""}'
    result = analysis(completion(choice(b'"role":"assistant","content":"a",' + empty)))
    assert codes(result) == set()
    result = analysis(completion(choice(b'"role":"assistant","content":"",' + empty)))
    assert codes(result) == {"choice.says-nothing"}


def test_an_end_mark_without_its_blank_line_is_called_so() -> None:
    (finding,) = (
        finding
        for finding in analysis(GOOD_STREAM[:-2]).findings
        if finding.code == "ending.unterminated-event"
    )
    expected = (
        "The end marker has no blank line after it; clients that follow the standard drop it."
    )
    assert finding.message == expected


def test_an_unfinished_choice_of_a_whole_answer_stands_in_no_event() -> None:
    body = completion(choice(b'"role":"assistant","content":"a"', b""))
    (finding,) = (f for f in analysis(body).findings if f.code == "ending.missing-finish")
    assert finding.where == Where(pointer="/choices/0/finish_reason")


INVENTED = '''
from inspector.core.findings import Severity, Where
from inspector.core.rules.rule import rule


@rule("parcel.too-friendly", Severity.INFO)
def too_friendly(facts):
    """A choice says hello.
    Nobody.
    """
    for choice in facts.choices:
        if choice.content == "Hello":
            yield "It says hello.", Where(pointer=f"/choices/{choice.index}")
'''


def forget() -> None:
    """What was found in the folder."""
    rules.rules.cache_clear()
    rules.rules_about.cache_clear()
    rules.rules_with.cache_clear()


def test_a_file_dropped_into_the_folder_holds_rules(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "zz_parcel.py").write_text(INVENTED)
    with monkeypatch.context() as patched:
        patched.setattr(rules, "__path__", [*rules.__path__, str(tmp_path)])
        forget()
        found = codes(analysis(GOOD))
    forget()
    assert found == {"parcel.too-friendly"}
    assert codes(analysis(GOOD)) == set()


def test_what_is_known_of_a_vendor_is_told_once() -> None:
    body = counted(b'"prompt_tokens":3,"completion_tokens":2,"total_tokens":9')
    asked_at = Request(url="https://generativelanguage.googleapis.com/v1/chat/completions")
    (finding,) = (f for f in analysis(body, request=asked_at).findings if "mismatch" in f.code)
    assert finding.message.lower().count("known for gemini") == 1
