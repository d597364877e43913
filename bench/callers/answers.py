"""What a provider would answer: each wire format whole, streamed, with a tool call, or an error.

Shaped after what the providers document; words, ids and counts are made up.
"""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

WHOLE, STREAMED, CANCELLED, CUT = "whole", "streamed", "cancelled", "cut"
ERROR, TOOLS = "error", "tools"
SITUATIONS = (WHOLE, STREAMED, CANCELLED, CUT, ERROR, TOOLS)
WORDS = ("Der ", "Tee ", "ist ", "fertig ☕", ".")
TEXT = "".join(WORDS)
TOOL, ARGUMENTS = "brew", '{"minutes": 3}'
JSON, EVENTS = "application/json", "text/event-stream; charset=utf-8"
HELD_AFTER = 3
"""Pieces of a stream that is never finished: its caller goes, or the upstream does."""


@dataclass(frozen=True, slots=True)
class CannedAnswer:
    status: str
    content_type: str
    pieces: tuple[bytes, ...]
    is_held: bool = False
    """The pieces are all that comes, and the connection stays open."""
    is_cut: bool = False
    """The connection is closed after the pieces, without the chunk of HTTP that ends a body."""


def answer_to(path: str, situation: str) -> CannedAnswer:
    """Raises ``KeyError`` for a path of no format."""
    whole, events, error = next(
        FORMATS[ending] for ending in FORMATS if path.partition("?")[0].endswith(ending)
    )
    if situation == ERROR:
        return CannedAnswer("429 Too Many Requests", JSON, (dumped(error),))
    if situation == WHOLE:
        return CannedAnswer("200 OK", JSON, (dumped(whole),))
    pieces = tuple(events(situation == TOOLS))
    if situation == CANCELLED:
        return CannedAnswer("200 OK", EVENTS, pieces[:HELD_AFTER], is_held=True)
    if situation == CUT:
        return CannedAnswer("200 OK", EVENTS, pieces[:HELD_AFTER], is_cut=True)
    return CannedAnswer("200 OK", EVENTS, pieces)


def dumped(value: Any) -> bytes:
    return json.dumps(value, ensure_ascii=False).encode()


def data(value: Any) -> bytes:
    return b"data: " + dumped(value) + b"\n\n"


def named(value: dict[str, Any]) -> bytes:
    return b"event: " + value["type"].encode() + b"\n" + data(value)


# -- chat completions -----------------------------------------------------------------------------

CHAT = {"id": "chatcmpl-9", "created": 1_790_000_000, "model": "m-1"}
CHAT_USAGE = {"prompt_tokens": 9, "completion_tokens": 5, "total_tokens": 14}
CHAT_WHOLE = {
    **CHAT,
    "object": "chat.completion",
    "choices": [
        {
            "index": 0,
            "message": {"role": "assistant", "content": TEXT, "refusal": None},
            "logprobs": None,
            "finish_reason": "stop",
        }
    ],
    "usage": CHAT_USAGE,
}
CHAT_ERROR = {
    "error": {
        "message": "Rate limit reached",
        "type": "requests",
        "param": None,
        "code": "rate_limit_exceeded",
    }
}


def chat_events(with_tool: bool) -> Iterable[bytes]:
    if with_tool:
        call = {"index": 0, "id": "call_1", "type": "function"}
        first = {"role": "assistant", "content": None}
        yield _chat(
            {**first, "tool_calls": [{**call, "function": {"name": TOOL, "arguments": ""}}]}
        )
        for part in (ARGUMENTS[:5], ARGUMENTS[5:]):
            yield _chat({"tool_calls": [{"index": 0, "function": {"arguments": part}}]})
        yield _chat({}, "tool_calls")
    else:
        yield _chat({"role": "assistant", "content": ""})
        for word in WORDS:
            yield _chat({"content": word})
        yield _chat({}, "stop")
    yield data({**CHAT, "object": "chat.completion.chunk", "choices": [], "usage": CHAT_USAGE})
    yield b"data: [DONE]\n\n"


def _chat(delta: dict[str, Any], finish_reason: str | None = None) -> bytes:
    choice = {"index": 0, "delta": delta, "logprobs": None, "finish_reason": finish_reason}
    return data({**CHAT, "object": "chat.completion.chunk", "choices": [choice]})


# -- responses ------------------------------------------------------------------------------------

RESPONSE = {
    "id": "resp_9",
    "object": "response",
    "created_at": 1_790_000_000,
    "model": "m-1",
    "error": None,
    "incomplete_details": None,
    "instructions": None,
    "metadata": {},
    "parallel_tool_calls": True,
    "temperature": 1.0,
    "tool_choice": "auto",
    "tools": [],
    "top_p": 1.0,
}
RESPONSE_USAGE = {
    "input_tokens": 9,
    "input_tokens_details": {"cached_tokens": 0},
    "output_tokens": 5,
    "output_tokens_details": {"reasoning_tokens": 0},
    "total_tokens": 14,
}
MESSAGE_ITEM = {
    "id": "msg_1",
    "type": "message",
    "status": "completed",
    "role": "assistant",
    "content": [{"type": "output_text", "text": TEXT, "annotations": []}],
}
CALL_ITEM = {
    "id": "fc_1",
    "type": "function_call",
    "status": "completed",
    "call_id": "call_1",
    "name": TOOL,
    "arguments": ARGUMENTS,
}


def _response(status: str, output: list[dict[str, Any]]) -> dict[str, Any]:
    usage = RESPONSE_USAGE if status == "completed" else None
    return {**RESPONSE, "status": status, "output": output, "usage": usage}


def response_events(with_tool: bool) -> Iterable[bytes]:
    for number, event in enumerate(_response_events(with_tool)):
        yield named({**event, "sequence_number": number})


def _response_events(with_tool: bool) -> Iterable[dict[str, Any]]:
    item = CALL_ITEM if with_tool else MESSAGE_ITEM
    begun = {"arguments": ""} if with_tool else {"content": []}
    yield {"type": "response.created", "response": _response("in_progress", [])}
    at = {"output_index": 0}
    opened = {**item, **begun, "status": "in_progress"}
    yield {"type": "response.output_item.added", **at, "item": opened}
    at |= {"item_id": item["id"]}
    if with_tool:
        for part in (ARGUMENTS[:5], ARGUMENTS[5:]):
            yield {"type": "response.function_call_arguments.delta", **at, "delta": part}
        done = {**at, "name": TOOL, "arguments": ARGUMENTS}
        yield {"type": "response.function_call_arguments.done", **done}
    else:
        at |= {"content_index": 0}
        empty = {"type": "output_text", "text": "", "annotations": []}
        yield {"type": "response.content_part.added", **at, "part": empty}
        for word in WORDS:
            yield {"type": "response.output_text.delta", **at, "delta": word, "logprobs": []}
        yield {"type": "response.output_text.done", **at, "text": TEXT, "logprobs": []}
        yield {"type": "response.content_part.done", **at, "part": {**empty, "text": TEXT}}
    yield {"type": "response.output_item.done", "output_index": 0, "item": item}
    yield {"type": "response.completed", "response": _response("completed", [item])}


# -- messages -------------------------------------------------------------------------------------

MESSAGE = {"id": "msg_9", "type": "message", "role": "assistant", "model": "m-1"}
MESSAGE_USAGE = {"input_tokens": 9, "output_tokens": 5}
MESSAGE_WHOLE = {
    **MESSAGE,
    "content": [{"type": "text", "text": TEXT}],
    "stop_reason": "end_turn",
    "stop_sequence": None,
    "usage": MESSAGE_USAGE,
}
MESSAGE_ERROR = {"type": "error", "error": {"type": "rate_limit_error", "message": "Slow down"}}


def message_events(with_tool: bool) -> Iterable[bytes]:
    begun = {**MESSAGE, "content": [], "stop_reason": None, "stop_sequence": None}
    yield named({"type": "message_start", "message": {**begun, "usage": MESSAGE_USAGE}})
    tool = {"type": "tool_use", "id": "toolu_1", "name": TOOL, "input": {}}
    block = tool if with_tool else {"type": "text", "text": ""}
    yield named({"type": "content_block_start", "index": 0, "content_block": block})
    kind, field = ("input_json_delta", "partial_json") if with_tool else ("text_delta", "text")
    for part in (ARGUMENTS[:5], ARGUMENTS[5:]) if with_tool else WORDS:
        delta = {"type": kind, field: part}
        yield named({"type": "content_block_delta", "index": 0, "delta": delta})
    yield named({"type": "content_block_stop", "index": 0})
    stopped = {"stop_reason": "tool_use" if with_tool else "end_turn", "stop_sequence": None}
    yield named({"type": "message_delta", "delta": stopped, "usage": {"output_tokens": 5}})
    yield named({"type": "message_stop"})


# -- generateContent ------------------------------------------------------------------------------

GEMINI_USAGE = {"promptTokenCount": 9, "candidatesTokenCount": 5, "totalTokenCount": 14}
GEMINI_ERROR = {"error": {"code": 429, "message": "Quota exceeded", "status": "RESOURCE_EXHAUSTED"}}


def _gemini(parts: list[dict[str, Any]], finish: str | None = None) -> dict[str, Any]:
    candidate: dict[str, Any] = {"content": {"parts": parts, "role": "model"}, "index": 0}
    if finish:
        candidate["finishReason"] = finish
    return {
        "candidates": [candidate],
        "usageMetadata": GEMINI_USAGE,
        "modelVersion": "m-1",
        "responseId": "r-9",
    }


def gemini_events(with_tool: bool) -> Iterable[bytes]:
    if with_tool:
        call = {"functionCall": {"name": TOOL, "args": json.loads(ARGUMENTS)}}
        yield data(_gemini([call], "STOP"))
        return
    for word in WORDS[:-1]:
        yield data(_gemini([{"text": word}]))
    yield data(_gemini([{"text": WORDS[-1]}], "STOP"))


FORMATS = {
    "/chat/completions": (CHAT_WHOLE, chat_events, CHAT_ERROR),
    "/responses": (_response("completed", [MESSAGE_ITEM]), response_events, CHAT_ERROR),
    "/messages": (MESSAGE_WHOLE, message_events, MESSAGE_ERROR),
    ":generateContent": (_gemini([{"text": TEXT}], "STOP"), gemini_events, GEMINI_ERROR),
    ":streamGenerateContent": (None, gemini_events, GEMINI_ERROR),
}
