"""Recordings in formats whose messages are lists of parts, one of each."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from itertools import count
from typing import Any

from inspector.core.wire.exchange import Exchange
from inspector.operations.samples.composer import CREATED_SECONDS, StreamComposer, data, pieces

SLOT = {
    "type": "object",
    "properties": {
        "order_id": {"type": "string"},
        "from_hour": {"type": "integer"},
        "to_hour": {"type": "integer"},
    },
    "required": ["order_id", "from_hour", "to_hour"],
}
"""The JSON schema of a tool that all of them may call."""
ASKED = "Book a delivery slot for order 48213 on Thursday."


def anthropic() -> Exchange:
    """Messages: thinking with its signature, a text, and a call, with a ping between them."""
    stream = StreamComposer("parcel-thinker-1", "", first_ms=318)
    stream.reads(anthropic_events())
    return stream.exchange(
        path="/v1/messages",
        request_fields={
            "max_tokens": 2048,
            "thinking": {"type": "enabled", "budget_tokens": 1024},
            "tools": [{"name": "reserve_slot", "input_schema": SLOT}],
            "messages": [{"role": "user", "content": ASKED}],
        },
    )


def anthropic_events() -> Iterator[bytes]:
    usage = {
        "input_tokens": 214,
        "cache_creation_input_tokens": 0,
        "cache_read_input_tokens": 1024,
        "output_tokens": 1,
        "service_tier": "standard",
    }
    message: dict[str, Any] = {
        "id": "msg_slot",
        "type": "message",
        "role": "assistant",
        "model": "parcel-thinker-1",
        "content": [],
        "stop_reason": None,
        "stop_sequence": None,
        "usage": usage,
    }
    yield named("message_start", message=message)
    thought = (
        "The customer is at home after four. The van passes Basel between 15:00 and 18:00, so the "
        "two hours from 16:00 fit both."
    )
    yield from anthropic_block(
        0,
        {"type": "thinking", "thinking": "", "signature": ""},
        [
            *({"type": "thinking_delta", "thinking": piece} for piece in pieces(thought)),
            {"type": "signature_delta", "signature": "c2lnbmVkLWJ5LW5vYm9keQ=="},
        ],
    )
    yield named("ping")
    said = "The van passes between 15:00 and 18:00. I reserve the two hours from 16:00."
    yield from anthropic_block(
        1,
        {"type": "text", "text": ""},
        ({"type": "text_delta", "text": piece} for piece in pieces(said)),
    )
    spelt = ("", '{"order_id": "482', '13", "from_hour"', ': 16, "to_hour": 18}')
    yield from anthropic_block(
        2,
        {"type": "tool_use", "id": "toolu_slot", "name": "reserve_slot", "input": {}},
        ({"type": "input_json_delta", "partial_json": piece} for piece in spelt),
    )
    yield named(
        "message_delta",
        delta={"stop_reason": "tool_use", "stop_sequence": None},
        usage={"output_tokens": 118},
    )
    yield named("message_stop")


def anthropic_block(
    index: int, begun: dict[str, Any], deltas: Iterable[dict[str, Any]]
) -> Iterator[bytes]:
    yield named("content_block_start", index=index, content_block=begun)
    for each in deltas:
        yield named("content_block_delta", index=index, delta=each)
    yield named("content_block_stop", index=index)


def responses() -> Exchange:
    """Responses: a summary of the reasoning, a web search, and a text that cites what it found."""
    stream = StreamComposer("parcel-search-1", "", first_ms=274)
    for number, (kind, event) in enumerate(responses_events()):
        late = 1310 if kind.endswith("_call.completed") else None
        stream.read(named(kind, **event, sequence_number=number), after_ms=late)
    return stream.exchange(
        path="/v1/responses",
        request_fields={
            "input": "Is the Gotthard open for lorries today?",
            "reasoning": {"summary": "auto"},
            "tools": [{"type": "web_search"}],
        },
    )


def responses_events() -> Iterator[tuple[str, dict[str, Any]]]:
    """Types and fields of the events, without their numbers."""
    response: dict[str, Any] = {
        "id": "resp_gotthard",
        "object": "response",
        "created_at": CREATED_SECONDS,
        "status": "in_progress",
        "error": None,
        "incomplete_details": None,
        "model": "parcel-search-1",
        "output": [],
        "service_tier": "default",
        "usage": None,
    }
    yield "response.created", {"response": response}
    thought: dict[str, Any] = {"type": "reasoning", "id": "rs_road", "summary": []}
    summary = "**Looking at the road** The tunnel closes for repairs at night, so I look it up."
    yield from responses_item(0, thought, responses_summary(summary))
    thought = {**thought, "summary": [{"type": "summary_text", "text": summary}]}
    yield "response.output_item.done", {"output_index": 0, "item": thought}
    search: dict[str, Any] = {"type": "web_search_call", "id": "ws_road", "status": "in_progress"}
    place = {"output_index": 1, "item_id": "ws_road"}
    steps = ("in_progress", "searching", "completed")
    asked = ((f"response.web_search_call.{step}", place) for step in steps)
    yield from responses_item(1, search, asked)
    action = {"type": "search", "query": "Gotthard road tunnel lorries today"}
    search = {**search, "status": "completed", "action": action}
    yield "response.output_item.done", {"output_index": 1, "item": search}
    said, cited = "It is open until 20:00; lorries wait about an hour.", "open until 20:00"
    note = {
        "type": "url_citation",
        "url": "https://roads.example/gotthard",
        "title": "Gotthard today",
        "start_index": said.index(cited),
        "end_index": said.index(cited) + len(cited),
    }
    answer: dict[str, Any] = {
        "type": "message",
        "id": "msg_road",
        "status": "in_progress",
        "role": "assistant",
    }
    part = {"type": "output_text", "text": said, "annotations": [note], "logprobs": []}
    yield from responses_item(2, {**answer, "content": []}, responses_text(said, part, note))
    answer = {**answer, "status": "completed", "content": [part]}
    yield "response.output_item.done", {"output_index": 2, "item": answer}
    usage = {
        "input_tokens": 1460,
        "input_tokens_details": {"cached_tokens": 1024},
        "output_tokens": 141,
        "output_tokens_details": {"reasoning_tokens": 96},
        "total_tokens": 1601,
    }
    output = [thought, search, answer]
    whole = {**response, "status": "completed", "output": output, "usage": usage}
    yield "response.completed", {"response": whole}


ResponsesEvents = Iterable[tuple[str, dict[str, Any]]]


def responses_item(index: int, item: dict[str, Any], events: ResponsesEvents) -> ResponsesEvents:
    yield "response.output_item.added", {"output_index": index, "item": item}
    yield from events


def responses_summary(text: str) -> ResponsesEvents:
    place = {"item_id": "rs_road", "output_index": 0, "summary_index": 0}
    part = {"type": "summary_text", "text": ""}
    yield "response.reasoning_summary_part.added", {**place, "part": part}
    for piece in pieces(text):
        yield "response.reasoning_summary_text.delta", {**place, "delta": piece}
    yield "response.reasoning_summary_text.done", {**place, "text": text}
    yield "response.reasoning_summary_part.done", {**place, "part": {**part, "text": text}}


def responses_text(text: str, part: dict[str, Any], note: dict[str, Any]) -> ResponsesEvents:
    place = {"item_id": "msg_road", "output_index": 2, "content_index": 0}
    begun = {**part, "text": "", "annotations": []}
    yield "response.content_part.added", {**place, "part": begun}
    for piece in pieces(text):
        yield "response.output_text.delta", {**place, "delta": piece, "logprobs": []}
    yield (
        "response.output_text.annotation.added",
        {
            **place,
            "annotation_index": 0,
            "annotation": note,
        },
    )
    yield "response.output_text.done", {**place, "text": text, "logprobs": []}
    yield "response.content_part.done", {**place, "part": part}


def gemini() -> Exchange:
    """GenerateContent: a thought, a text, and a call that comes whole; counts in every chunk."""
    stream = StreamComposer("parcel-pro-1", "", first_ms=803)
    thought = ["**Checking the van** ", "It passes after three, ", "so four o'clock fits."]
    said = ["Thursday works. ", "I reserve 16:00 ", "to 18:00."]
    call = {"name": "reserve_slot", "args": {"order_id": "48213", "from_hour": 16, "to_hour": 18}}
    parts: list[dict[str, Any]] = [{"text": text, "thought": True} for text in thought]
    parts += [{"text": text} for text in said]
    parts += [{"functionCall": call, "thoughtSignature": "c2lnbmVk"}]
    counts = count(7, 9)
    for part in parts:
        made = 0 if part.get("thought") else next(counts)
        stream.read(data(gemini_chunk(part, made, is_last="functionCall" in part)))
    return stream.exchange(
        path="/v1beta/models/parcel-pro-1:streamGenerateContent?alt=sse",
        request_fields={
            "contents": [{"role": "user", "parts": [{"text": ASKED}]}],
            "tools": [{"functionDeclarations": [{"name": "reserve_slot", "parameters": SLOT}]}],
            "generationConfig": {"thinkingConfig": {"includeThoughts": True}},
        },
    )


def gemini_chunk(part: dict[str, Any], made: int, *, is_last: bool) -> dict[str, Any]:
    candidate: dict[str, Any] = {"content": {"parts": [part], "role": "model"}, "index": 0}
    usage = {
        "promptTokenCount": 96,
        "thoughtsTokenCount": 31,
        "totalTokenCount": 127 + made,
        "promptTokensDetails": [{"modality": "TEXT", "tokenCount": 96}],
    }
    return {
        "candidates": [candidate | ({"finishReason": "STOP"} if is_last else {})],
        "usageMetadata": usage | ({"candidatesTokenCount": made} if made else {}),
        "modelVersion": "parcel-pro-1",
        "responseId": "slot-on-thursday",
    }


def ollama() -> Exchange:
    """Chat of a server of one's own, line by line, with its own clocks at the end."""
    stream = StreamComposer("parcel-small:8b", "", first_ms=452)
    for tenth, message in enumerate(ollama_messages()):
        stream.read(line(ollama_head(tenth) | {"message": message, "done": False}))
    clocks = {
        "total_duration": 812517209,
        "load_duration": 21480375,
        "prompt_eval_count": 31,
        "prompt_eval_duration": 192967209,
        "eval_count": 24,
        "eval_duration": 401520708,
    }
    closing = {"message": {"role": "assistant", "content": ""}, "done": True, "done_reason": "stop"}
    stream.read(line(ollama_head(99) | closing | clocks))
    return stream.exchange(
        path="/api/chat",
        content_type="application/x-ndjson",
        request_fields={
            "messages": [{"role": "user", "content": "Weight of 12 parcels of 850 g?"}]
        },
    )


def ollama_messages() -> Iterator[dict[str, Any]]:
    for piece in pieces("Twelve times 850 g is 10,200 g."):
        yield {"role": "assistant", "content": "", "thinking": piece}
    for piece in pieces("Together they weigh 10.2 kg."):
        yield {"role": "assistant", "content": piece}


def ollama_head(hundredths: int) -> dict[str, Any]:
    moment = f"2026-11-20T14:02:19.{hundredths:02}0517Z"
    return {"model": "parcel-small:8b", "created_at": moment}


def line(value: dict[str, Any]) -> bytes:
    return json.dumps(value, separators=(",", ":"), ensure_ascii=False).encode() + b"\n"


def named(kind: str, **fields: Any) -> bytes:
    """An event whose name is the type of its data."""
    return f"event: {kind}\n".encode() + data({"type": kind, **fields})
