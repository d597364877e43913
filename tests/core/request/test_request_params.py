"""Parameters of a request, whatever its body holds."""

from typing import Any

import pytest

from inspector.core.request.request_params import (
    RequestParams,
    ToolChoice,
    parse_request_body,
    parse_request_params,
)
from inspector.core.wire.exchange import Request


def asked(body: bytes | None) -> RequestParams | None:
    return parse_request_params(parse_request_body(Request(body=body)))


def test_what_was_asked_is_read() -> None:
    body = b'{"model":"parcel-1","n":3,"stream":true,"response_format":{"type":"json_schema"}}'
    expected = RequestParams(model="parcel-1", choices=3, is_streamed=True, wants_json=True)
    assert asked(body) == expected


@pytest.mark.parametrize(
    "body",
    [
        b"{}",
        b'{"model":null,"n":null,"stream":null,"response_format":null}',
        b'{"model":7,"n":"3","stream":"true","response_format":"json"}',
        b'{"model":"","n":true,"stream":1,"response_format":{"type":["json_object"]}}',
        b'{"n":-1,"response_format":{"type":"text"}}',
    ],
)
def test_what_cannot_be_meant_counts_as_the_default(body: bytes) -> None:
    assert asked(body) == RequestParams()


@pytest.mark.parametrize("body", [None, b"", b"[]", b"{", b"\xff", b"[" * 100_000])
def test_a_body_that_is_no_object_says_nothing(body: bytes | None) -> None:
    assert asked(body) is None


def test_nothing_is_asked_where_no_request_is_known() -> None:
    assert parse_request_params(parse_request_body(None)) is None


SCHEMA = b'{"type":"object","required":["x"]}'
X = {"type": "object", "required": ["x"]}


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        (b'{"text":{"format":{"type":"json_schema","name":"a","strict":true,"schema":%s}}}' % SCHEMA, X),
        (b'{"text":{"format":{"type":"json_schema","name":"a","schema":%s}}}' % SCHEMA, None),
        (b'{"text":{"format":{"type":"text"}}}', None),
        (b'{"output_format":{"type":"json_schema","schema":%s}}' % SCHEMA, X),
        (b'{"output_config":{"format":{"type":"json_schema","schema":%s}}}' % SCHEMA, X),
        (b'{"format":%s}' % SCHEMA, X),
        (b'{"format":"json"}', None),
        (b'{"generationConfig":{"responseMimeType":"application/json","responseJsonSchema":%s}}' % SCHEMA, X),
        (b'{"generationConfig":{"responseMimeType":"application/json","responseSchema":{"type":"STRING","nullable":true}}}', {"type": ["string", "null"]}),
    ],
)  # fmt: skip
def test_the_schema_of_the_answer_is_read_in_every_format(body: bytes, expected: Any) -> None:
    params = asked(body)
    assert params is not None and params.answer_schema == expected
    assert params.wants_json is (b'"text"}' not in body)


@pytest.mark.parametrize(
    "body",
    [
        b'{"max_tokens":9}',
        b'{"max_completion_tokens":9}',
        b'{"max_output_tokens":9}',
        b'{"max_tokens_to_sample":9}',
        b'{"generationConfig":{"maxOutputTokens":9}}',
        b'{"options":{"num_predict":9}}',
        b'{"inferenceConfig":{"maxTokens":9}}',
    ],
)
def test_the_limit_of_tokens_is_read_in_every_format(body: bytes) -> None:
    params = asked(body)
    assert params is not None and params.token_limit == 9


def test_gemini_asks_for_several_candidates() -> None:
    params = asked(b'{"generationConfig":{"candidateCount":3}}')
    assert params is not None and params.choices == 3


OFFERS = b'"tools":[{"name":"f"}]'


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        (b'"tool_choice":{"type":"auto"}', ToolChoice(offers_tools=True)),
        (b'"tool_choice":{"type":"any"}', ToolChoice(offers_tools=True, is_required=True)),
        (b'"tool_choice":{"type":"none"}', ToolChoice(offers_tools=True, is_forbidden=True)),
        (b'"tool_choice":{"type":"tool","name":"f"}', ToolChoice(offers_tools=True, is_required=True, names=frozenset({"f"}))),
        (b'"tool_choice":{"type":"auto","disable_parallel_tool_use":true}', ToolChoice(offers_tools=True, allows_parallel=False)),
        (b'"tool_choice":{"type":"function","name":"f"}', ToolChoice(offers_tools=True, is_required=True, names=frozenset({"f"}))),
        (b'"tool_choice":{"type":"allowed_tools","mode":"required","tools":[{"type":"function","name":"f"}]}', ToolChoice(offers_tools=True, is_required=True, names=frozenset({"f"}))),
        (b'"tool_choice":{"type":"allowed_tools","mode":"auto","tools":[{"type":"function","name":"f"}]}', ToolChoice(offers_tools=True, names=frozenset({"f"}))),
        (b'"tool_choice":"REQUIRED"', ToolChoice(offers_tools=True, is_required=True)),
        (b'"toolConfig":{"functionCallingConfig":{"mode":"ANY","allowedFunctionNames":["f"]}}', ToolChoice(offers_tools=True, is_required=True, names=frozenset({"f"}))),
        (b'"toolConfig":{"functionCallingConfig":{"mode":"NONE"}}', ToolChoice(offers_tools=True, is_forbidden=True)),
        (b'"toolConfig":{"toolChoice":{"any":{}}}', ToolChoice(offers_tools=True, is_required=True)),
        (b'"toolConfig":{"toolChoice":{"tool":{"name":"f"}}}', ToolChoice(offers_tools=True, is_required=True, names=frozenset({"f"}))),
    ],
)  # fmt: skip
def test_the_tools_that_may_be_called_are_always_read(body: bytes, expected: ToolChoice) -> None:
    params = asked(b"{%s,%s}" % (OFFERS, body))
    assert params is not None and params.tool_choice == expected
