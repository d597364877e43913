"""Bodies to try the page with; each shows one thing that it tells."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True, slots=True)
class Example:
    words: str
    body: bytes


def _stream(chunks: Sequence[Mapping[str, Any]]) -> bytes:
    common = {"id": "chatcmpl-1", "object": "chat.completion.chunk", "created": 1795183339}
    common["model"] = "gpt-4.1-mini"
    events = [json.dumps({**common, **chunk}, ensure_ascii=False) for chunk in chunks]
    return "".join(f"data: {event}\n\n" for event in (*events, "[DONE]")).encode()


def _chunk(finish_reason: str | None = None, **delta: Any) -> Mapping[str, Any]:
    return {"choices": [{"index": 0, "delta": delta, "finish_reason": finish_reason}]}


def _call(arguments: str) -> Mapping[str, Any]:
    return _chunk(tool_calls=[{"index": 0, "function": {"arguments": arguments}}])


_NAMED = {"name": "book_table", "arguments": ""}
_BEGUN = {"index": 0, "id": "call_1", "type": "function", "function": _NAMED}
_SPENT = {"prompt_tokens": 58, "completion_tokens": 12, "total_tokens": 70}
_ANSWERS = {
    "id": "chatcmpl-2",
    "object": "chat.completion",
    "created": 1795183339,
    "model": "gpt-4.1-mini",
    "choices": [
        {
            "index": index,
            "message": {"role": "assistant", "content": content},
            "finish_reason": finish_reason,
        }
        for index, (content, finish_reason) in enumerate(
            (("The harbour opens at six.", "stop"), ("The harbour opens at", "length"))
        )
    ],
    "usage": {"prompt_tokens": 14, "completion_tokens": 11, "total_tokens": 26},
}
_ERROR = {
    "error": {
        "message": "This model's maximum context length is 128000 tokens.",
        "type": "invalid_request_error",
        "param": "messages",
        "code": "context_length_exceeded",
    }
}

EXAMPLES: Mapping[str, Example] = {
    "cut-call": Example(
        "A tool call cut in the middle",
        _stream(
            (
                _chunk(role="assistant", content=None, tool_calls=[_BEGUN]),
                _call('{"guests": 4, '),
                _call('"at": "19:'),
                {**_chunk("length"), "usage": _SPENT},
            )
        ),
    ),
    "two-answers": Example(
        "Two answers and a wrong sum", json.dumps(_ANSWERS, indent=2, ensure_ascii=False).encode()
    ),
    "error": Example("An error", json.dumps(_ERROR, indent=2).encode()),
}
