"""Answers that spans of OpenTelemetry tell, by each convention that tells them."""

import json
from collections.abc import Mapping

import pytest

from inspector.core.analysis import Verdict
from inspector.core.completion import ArgumentsState, Result
from inspector.core.reading import analyze
from inspector.core.wire.exchange import Exchange
from tests.core.bodies import codes
from tests.core.formats.recordings import (
    assert_cuttings_agree,
    assert_every_character_has_bytes,
    only_choice,
    texts,
)
from tests.core.telemetry_records import CHAT, HELLO, WHO, document, record, span, told

OPENINFERENCE = {
    "openinference.span.kind": "LLM",
    "llm.system": "openai",
    "llm.model_name": "gpt-5.4",
    "llm.token_count.prompt": 9,
    "llm.token_count.completion": 5,
    "llm.token_count.prompt_details.cache_read": 2,
    "llm.output_messages.0.message.role": "assistant",
    "llm.output_messages.0.message.content": "Grüezi!",
    "llm.finish_reason": "stop",
}
OPENLLMETRY = {
    "llm.request.type": "chat",
    "gen_ai.system": "OpenAI",
    "gen_ai.response.model": "gpt-5.4",
    "gen_ai.usage.prompt_tokens": 9,
    "gen_ai.usage.completion_tokens": 5,
    "gen_ai.completion.0.role": "assistant",
    "gen_ai.completion.0.content": "Grüezi!",
    "gen_ai.completion.0.finish_reason": "stop",
}
CHOICE_EVENT = (
    "gen_ai.choice",
    {"gen_ai.event.content": '{"index":0,"finish_reason":"stop","message":{"content":"Grüezi!"}}'},
)
CONTENT_EVENT = (
    "gen_ai.content.completion",
    {"gen_ai.completion": '[{"role":"assistant","content":"Grüezi!"}]'},
)


@pytest.mark.parametrize(
    "attributes",
    [{**CHAT, **WHO, "gen_ai.output.messages": HELLO}, OPENINFERENCE, OPENLLMETRY],
    ids=["current", "openinference", "openllmetry"],
)
def test_every_convention_tells_the_same_answer(attributes: Mapping[str, object]) -> None:
    result = told(attributes)
    assert (result.dialect, result.vendor, result.model) == ("otel-genai", "openai", "gpt-5.4")
    assert (result.verdict, result.result) == (Verdict.COMPLETE, Result.ANSWERED)
    assert texts(result) == [("text", "Grüezi!")]
    assert only_choice(result).finish_reason == "stop"
    assert codes(result) == {"reading.told"}


@pytest.mark.parametrize("event", [CHOICE_EVENT, CONTENT_EVENT], ids=["choice", "content"])
def test_events_tell_the_answer_without_attributes(event: tuple[str, Mapping[str, object]]) -> None:
    assert texts(told({**CHAT, **WHO}, [event])) == [("text", "Grüezi!")]


def test_the_event_with_the_details_has_the_messages_of_the_current_convention() -> None:
    event = ("gen_ai.client.inference.operation.details", {"gen_ai.output.messages": HELLO})
    assert texts(told({**CHAT, **WHO}, [event])) == [("text", "Grüezi!")]


def test_messages_may_be_structured_and_not_json() -> None:
    messages = [{"role": "assistant", "parts": [{"type": "text", "content": "Hi"}]}]
    assert texts(told({**CHAT, "gen_ai.output.messages": messages})) == [("text", "Hi")]


def test_the_current_convention_holds_beside_an_older_one() -> None:
    both = {**CHAT, "gen_ai.output.messages": HELLO, "gen_ai.completion.0.content": "older"}
    assert texts(told(both)) == [("text", "Grüezi!")]


def test_reasoning_and_calls_are_parts_of_their_own() -> None:
    parts = [
        {"type": "reasoning", "content": "A town."},
        {"type": "tool_call", "id": "call_1", "name": "weather", "arguments": {"town": "Zürich"}},
    ]
    message = {"role": "assistant", "parts": parts, "finish_reason": "tool_call"}
    result = told({**CHAT, **WHO, "gen_ai.output.messages": json.dumps([message])})
    assert texts(result) == [("reasoning", "A town."), ("tool-call", '{"town": "Zürich"}')]
    (call,) = only_choice(result).tool_calls
    assert (call.id, call.name) == ("call_1", "weather")
    assert call.arguments_state is ArgumentsState.VALID
    assert result.result is Result.CALLED


def test_calls_of_flattened_conventions_are_read() -> None:
    open_call = "llm.output_messages.0.message.tool_calls.0.tool_call"
    inference = {
        "openinference.span.kind": "LLM",
        "llm.output_messages.0.message.role": "assistant",
        f"{open_call}.id": "call_1",
        f"{open_call}.function.name": "weather",
        f"{open_call}.function.arguments": '{"town":"Chur"}',
    }
    flat_call = "gen_ai.completion.0.tool_calls.0"
    llmetry = {
        "llm.request.type": "chat",
        f"{flat_call}.id": "call_1",
        f"{flat_call}.name": "weather",
        f"{flat_call}.arguments": '{"town":"Chur"}',
    }
    for attributes in (inference, llmetry):
        (call,) = only_choice(told(attributes)).tool_calls
        assert (call.id, call.name, call.arguments_text) == ("call_1", "weather", '{"town":"Chur"}')


def test_several_messages_are_several_choices_each_with_its_reason() -> None:
    def message(text: str) -> dict[str, object]:
        return {"role": "assistant", "parts": [{"type": "text", "content": text}]}

    messages = json.dumps([message("one"), message("two")])
    reasons = ["stop", "length"]
    result = told(
        {
            **CHAT,
            **WHO,
            "gen_ai.output.messages": messages,
            "gen_ai.response.finish_reasons": reasons,
        }
    )
    found = [(choice.index, choice.content, choice.finish_reason) for choice in result.choices]
    assert found == [(0, "one", "stop"), (1, "two", "length")]


def test_without_content_the_result_is_unknown_and_nothing_is_called_empty() -> None:
    result = told({**CHAT, **WHO, "gen_ai.response.finish_reasons": ["stop"]})
    assert (result.verdict, result.result) == (Verdict.COMPLETE, Result.UNKNOWN)
    assert result.result_reason == "The answer ended, and the record does not tell what was in it."
    assert codes(result) == {"reading.told"}


def test_a_reason_alone_tells_that_the_answer_was_truncated() -> None:
    result = told({**CHAT, **WHO, "gen_ai.response.finish_reasons": ["max_tokens"]})
    assert result.result is Result.TRUNCATED


@pytest.mark.parametrize("reasons", [["length"], '["length"]', "length"])
def test_reasons_are_a_list_its_json_or_one_alone(reasons: object) -> None:
    found = told({**CHAT, **WHO, "gen_ai.response.finish_reasons": reasons})
    assert [choice.finish_reason for choice in found.choices] == ["length"]
    assert found.result == Result.TRUNCATED


def test_a_reason_that_is_json_of_something_else_is_as_it_was_told() -> None:
    found = told({**CHAT, **WHO, "gen_ai.response.finish_reasons": "[stop"})
    assert [choice.finish_reason for choice in found.choices] == ["[stop"]


def test_without_content_and_reason_nothing_is_missing_of_the_answer() -> None:
    result = told({**CHAT, **WHO})
    assert (result.verdict, result.result) == (Verdict.COMPLETE, Result.UNKNOWN)
    assert result.verdict_reason == "The record tells of no error, and of no finish reason."
    assert codes(result) == {"reading.told"}


def test_an_error_is_what_the_record_tells_not_what_a_provider_sent() -> None:
    result = told({**CHAT, "error.type": "RateLimitError"}, status={"code": 2, "message": "slow"})
    assert (result.verdict, result.result) == (Verdict.PROVIDER_ERROR, Result.ERROR)
    assert result.verdict_reason == "The record tells of an error: slow"


def test_counts_stand_under_the_names_of_their_attributes() -> None:
    counts = {
        "gen_ai.usage.input_tokens": 9,
        "gen_ai.usage.output_tokens": 5,
        "gen_ai.usage.cache_read.input_tokens": 2,
        "gen_ai.usage.reasoning.output_tokens": 3,
    }
    usage = told({**CHAT, **WHO, **counts}).usage
    assert (usage.prompt_tokens, usage.completion_tokens) == (9, 5)
    assert (usage.cached_tokens, usage.reasoning_tokens) == (2, 3)
    inference = told(OPENINFERENCE).usage
    assert (inference.prompt_tokens, inference.cached_tokens) == (9, 2)


def test_an_unknown_count_is_an_extra_of_usage_and_an_unknown_member_one_of_the_span() -> None:
    result = told({**CHAT, **WHO, "gen_ai.usage.dreams": 7}, dreamt=True)
    assert result.extras == {"/dreamt": True}
    assert "/gen_ai.usage.dreams" in result.usage.extras


def test_attributes_of_a_program_are_kept_and_are_no_extras() -> None:
    result = told({**CHAT, **WHO, "shop.basket": "b-7", "shop.items": [1, 2]})
    assert result.extras == {}
    assert result.completion["attributes"]["shop.basket"] == "b-7"
    assert result.completion["attributes"]["shop.items"] == [1, 2]
    assert result.completion["resource"] == {"service.name": "shop"}


@pytest.mark.parametrize(
    "attributes",
    [
        {"http.request.method": "GET"},
        {"gen_ai.operation.name": "execute_tool", "gen_ai.tool.name": "weather"},
        {"gen_ai.operation.name": "invoke_agent", "gen_ai.request.model": "gpt-5.4"},
        {"gen_ai.operation.name": "embeddings", "gen_ai.request.model": "e-1"},
        {"openinference.span.kind": "CHAIN", "output.value": "Hi"},
    ],
    ids=["http", "tool", "agent", "embeddings", "chain"],
)
def test_spans_that_tell_of_no_completion_are_no_answers(attributes: Mapping[str, object]) -> None:
    assert told(attributes).dialect is None


def test_of_several_spans_none_is_chosen() -> None:
    body = json.dumps(document(span({**CHAT, **WHO}), span({**CHAT, **WHO}))).encode()
    assert analyze(Exchange.of_body(body)).dialect is None


def test_a_format_that_a_person_chose_is_not_overruled() -> None:
    body = record({**CHAT, **WHO, "gen_ai.output.messages": HELLO})
    exchange = Exchange(reads=Exchange.of_body(body).reads, dialect="openai-chat")
    assert analyze(exchange).dialect == "openai-chat"


@pytest.mark.parametrize("name", ["aws.bedrock", "gcp.vertex_ai", "x_ai", "anthropic"])
def test_the_vendor_is_the_one_that_the_record_names(name: str) -> None:
    vendor = told({"gen_ai.operation.name": "chat", "gen_ai.provider.name": name}).vendor
    assert vendor in ("bedrock", "vertexai", "xai", "anthropic")


def test_a_provider_that_nobody_knows_is_no_vendor() -> None:
    assert (
        told({"gen_ai.operation.name": "chat", "gen_ai.provider.name": "a.new.one"}).vendor is None
    )


def test_texts_that_are_attributes_of_their_own_have_their_bytes() -> None:
    for attributes in (OPENINFERENCE, OPENLLMETRY):
        assert_every_character_has_bytes(Exchange.of_body(record(attributes)))


def test_any_cutting_gives_the_same() -> None:
    assert_cuttings_agree(record({**CHAT, **WHO, "gen_ai.output.messages": HELLO}))


@pytest.mark.parametrize(
    "value",
    [
        "[",
        "[[[[",
        "null",
        '[{"parts":7}]',
        '[{"parts":[7,null,{"type":[]}]}]',
        '[{"role":{},"content":[{"text":{}}],"tool_calls":[7,{"function":[]}]}]',
        "[" * 5_000,
        '"\\ud800"',
    ],
)
def test_messages_of_any_shape_are_read_without_failing(value: str) -> None:
    for name in ("gen_ai.output.messages", "gen_ai.completion.0.content", "output.value"):
        assert told({**CHAT, **WHO, name: value}).dialect == "otel-genai"


@pytest.mark.parametrize(
    "pair",
    [
        7,
        {"key": 7},
        {"key": "gen_ai.output.messages"},
        {"key": "gen_ai.output.messages", "value": {"arrayValue": {"values": 7}}},
        {"key": "gen_ai.completion.0", "value": {"stringValue": "a"}},
        {"key": "gen_ai.completion.99999999999999999999.content", "value": {"stringValue": "a"}},
        {"key": "gen_ai.usage.input_tokens", "value": {"intValue": "9" * 5_000}},
    ],
)
def test_attributes_of_any_shape_are_read_without_failing(pair: object) -> None:
    made = document(span({**CHAT, **WHO}))
    made["resourceSpans"][0]["scopeSpans"][0]["spans"][0]["attributes"].append(pair)
    assert analyze(Exchange.of_body(json.dumps(made).encode())).dialect == "otel-genai"
