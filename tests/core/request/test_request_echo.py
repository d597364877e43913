"""An exchange shown without its request: what is known to answer, and nothing else."""

import json
from itertools import product
from typing import Any

import msgspec
import pytest

from inspector.core.formats import dialects
from inspector.core.formats.grammar import At
from inspector.core.redaction import json_tokens
from inspector.core.request.request_echo import ANSWER, FIGURES, QUOTED, without_request
from inspector.core.wire.exchange import Exchange, Request
from tests.tiers import mostly_thorough

SECRET = "PROMPT-CANARY"
CHAT: dict[str, Any] = {
    "id": "chatcmpl-1",
    "object": "chat.completion",
    "created": 1700000000,
    "model": "gpt-4o",
    "choices": [
        {
            "index": 0,
            "message": {
                "role": "assistant",
                "content": "In Paris.",
                "tool_calls": [
                    {
                        "id": "call_1",
                        "type": "function",
                        "function": {"name": "find", "arguments": '{"prompt":"Paris"}'},
                    }
                ],
            },
            "logprobs": {"content": [{"token": "In", "logprob": -0.1, "bytes": [73, 110]}]},
            "finish_reason": "tool_calls",
        }
    ],
    "usage": {"prompt_tokens": 3, "completion_tokens": 2, "total_tokens": 5, "new_tokens": 7},
}
ECHOES: list[tuple[str, object]] = [
    ("prompt", SECRET),
    ("echo", [{"role": "user", "content": SECRET}]),
    ("request", {"messages": [{"role": "user", "content": [{"type": "text", "text": SECRET}]}]}),
    ("input", {"prompt": SECRET}),
    ("data", SECRET),
    ("json", {"messages": [{"content": SECRET}]}),
    ("pro\u0301mpt", SECRET),
    ("Content", SECRET),
    ("deep", {"content": {"text": {"choices": [[[SECRET]]]}}}),
    ("tools", [{"function": {"parameters": {"properties": {SECRET: {"type": "string"}}}}}]),
    ("named", {SECRET: None}),
]


def shown(body: bytes, request: bytes | None = None) -> bytes:
    exchange = Exchange.of_body(body, "application/json")
    if request is not None:
        exchange = msgspec.structs.replace(exchange, request=Request(body=request))
    return without_request(exchange).body


@pytest.mark.parametrize("indent", [None, 2])
@pytest.mark.parametrize(("name", "value"), ECHOES, ids=[name for name, _ in ECHOES])
def test_an_unknown_member_is_overwritten(name: str, value: object, indent: int | None) -> None:
    for holder in ("top", "choice", "message"):
        sent = json.loads(json.dumps(CHAT))
        choice = sent["choices"][0]
        {"top": sent, "choice": choice, "message": choice["message"]}[holder][name] = value
        body = json.dumps(sent, indent=indent, ensure_ascii=False).encode()
        told = shown(body)
        assert SECRET.encode() not in told, holder
        assert len(told) == len(body)
        assert json.loads(told)["choices"][0]["message"]["content"] == "In Paris."


def test_an_escape_in_a_name_hides_nothing() -> None:
    for name in (r"p\u0072ompt", r"\u0070\u0072ompt", r"pro\/mpt"):
        told = shown(f'{{"object":"chat.completion","{name}":"{SECRET}"}}'.encode())
        assert SECRET.encode() not in told, name


def test_an_answer_is_what_it_was() -> None:
    body = json.dumps(CHAT).encode()
    assert shown(body) == body


def test_a_figure_stays_and_a_list_of_numbers_goes() -> None:
    sent = {"object": "chat.completion", "seconds": 12, "new_ids": [1, 25, 7], "usage": {"x": [4]}}
    assert json.loads(shown(json.dumps(sent).encode())) == {**sent, "new_ids": [1, 11, 1]}


def test_names_that_are_overwritten_stay_different() -> None:
    told = json.loads(shown(b'{"tools":{"alpha":{"a":1,"b":2},"gamma":"x"}}'))
    assert told == {"tools": {"****1": {"1": 1, "2": 1}, "****2": "*"}}


@pytest.mark.parametrize("end", [b"\n\n", b"\r\n\r\n", b"\r\r"])
def test_events_are_looked_into_one_by_one(end: bytes) -> None:
    events = [
        b'data: {"choices":[{"index":0,"delta":{"content":"Yes."}}]}',
        b'data: {"choices":[],"echo":{"content":"PROMPT-CANARY"}}',
        b'event: x\ndata: {"choices":[],\ndata: "echo":"PROMPT-CANARY"}',
        b"data: [DONE]",
    ]
    for chosen in (events[:2], events):
        told = shown(end.join((*chosen, b"")))
        assert SECRET.encode() not in told and b'"content":"Yes."' in told


def test_a_line_in_the_midst_of_an_object_is_not_taken_for_one() -> None:
    told = shown(b'{"object":"x","prompt":[{"text":"a"}\n,{"text":"PROMPT-CANARY"}]}')
    assert SECRET.encode() not in told


def test_what_a_text_completion_repeats_goes_where_it_was_asked_for() -> None:
    body = (
        b'{"choices":[{"index":0,"text":"PROMPT-CANARY and on","logprobs":{"tokens":["PROMPT"]}}]}'
    )
    assert shown(body, b'{"prompt":"PROMPT-CANARY"}') == body
    assert b"PROMPT" not in shown(body, b'{"prompt":"PROMPT-CANARY","echo":true}')


@pytest.mark.parametrize(
    "body",
    [
        b'{"type":"message","role":"assistant","content":[{"type":"tool_use","id":"t","name":"n",'
        b'"input":{"anything":["Paris",1]}}]}',
        b'{"output":{"message":{"role":"assistant","content":[{"toolUse":{"toolUseId":"t","name":'
        b'"n","input":{"anything":"Paris"}}}]}}}',
        b'{"candidates":[{"content":{"parts":[{"functionCall":{"name":"n","args":{"any":"x"}}}]}}]}',
        b'{"message":{"role":"assistant","tool_calls":[{"function":{"name":"n","arguments":{"any":'
        b'"x"}}}]},"done":true}',
        b'data: {"type":"response.custom_tool_call_input.done","item_id":"i","input":"grep"}\n\n',
        b'{"object":"response","output":[{"type":"custom_tool_call","input":"grep","call_id":"c"}]}',
    ],
    ids=["anthropic", "bedrock", "gemini", "ollama", "responses, streamed", "responses"],
)  # fmt: skip
def test_arguments_of_calls_are_answers_whatever_their_names(body: bytes) -> None:
    assert shown(body) == body


def test_every_name_of_a_format_is_an_answers_or_known_to_be_withheld() -> None:
    """A name that is added to a table must be said here to be one or the other."""
    steps = {
        step
        for dialect in dialects().values()
        if not dialect.is_told
        for place in dialect.table
        for step in (place.path if isinstance(place, At) else place).split("/")
    }
    fields = {
        name
        for dialect in dialects().values()
        if not dialect.is_told
        for name in dialect.top_fields | dialect.choice_fields | dialect.message_fields
    }
    unknown = {name for name in steps | fields if name.isidentifier()} - ANSWER - QUOTED - FIGURES
    assert unknown == WITHHELD


WITHHELD = {
    *("context", "conversation", "input", "instructions", "metadata", "previous_response_id"),
    *("prompt", "prompt_cache_key", "safety_identifier", "tool_choice", "tools", "user"),
    # Of what asks: a part of a request, and the name that it gave to a line of a batch.
    *("toolResult", "custom_id"),
}


def test_of_more_than_is_looked_into_nothing_is_shown(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(json_tokens, "MAX_TOKENS", 10)
    body = b'{"prompt":1,"content":"PROMPT-CANARY","a":[1,2,3,4,5,6,7,8]}'
    assert shown(body) == b"*" * len(body)


@pytest.mark.parametrize(
    "body",
    [
        b"{'object': 'chat.completion', 'prompt': 'PROMPT-CANARY'}",
        b"[\n {\n  'prompt': 'PROMPT-CANARY'}]",
        b"data: {prompt: 'PROMPT-CANARY'}\n\n",
        "{'prompt': \"PROMPT-CANARY\"}".encode("utf-16"),
    ],
)
def test_of_an_object_whose_names_are_in_other_quotes_nothing_is_shown(body: bytes) -> None:
    assert b"PROMPT" not in shown(body).replace(b"\0", b"")


NEAR = [b'"a ', b'\\"', b'"a" ', b'"a":', b"{", b"[", b"\n", b" ", b'{"x":[', b'"\\', b"{'", b"\r"]  # fmt: skip


@pytest.mark.parametrize(
    ("near", "before"), mostly_thorough(product(NEAR, [b'{"x":1,"a":', b""]), 2)
)
def test_any_text_is_looked_through_in_linear_time(near: bytes, before: bytes) -> None:
    # What begins anew at each of its characters would never end.
    body = before + near * (400_000 // len(near))
    assert len(shown(body)) == len(body)
